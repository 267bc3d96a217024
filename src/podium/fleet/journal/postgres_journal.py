"""The journal port on PostgreSQL: the same events, the same hash chain, the same two numbers.

Whether an owner is alive is judged by the database's clock, and only to save work: once a lease has
expired, the next owner may open the run, and from then on the epoch keeps the older one from
writing, whatever any clock says.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from podium.core.chain import FIRST, Break, unseal
from podium.core.digest import canonical
from podium.core.errors import Busy, ChainBroken, Fenced, UsageError
from podium.fleet.journal import messages, turns
from podium.fleet.journal.link import Link
from podium.fleet.journal.schema import migrate
from podium.fleet.line import placement
from podium.fleet.line.line import Line
from podium.fleet.line.queries import SILENT, WORK
from podium.state.port import Event, Opened
from podium.state.run_folder import RunFolder
from podium.state.sealing import Clean, sealed, stamp
from podium.state.state_file import last_state

_NOWHERE = Path()
LEASE = 1.5
"""In beats. An owner reports twice per beat, so three reports may be lost before another takes
over.
"""


class PostgresJournal:
    """One object is one owner. `beat_s`: within this time an owner reports twice that it is
    alive.
    """

    def __init__(
        self,
        url: str,
        clock: Callable[[], datetime],
        *,
        beat_s: float = 10.0,
        patience_s: float = 60.0,
        worker: str = "",
    ) -> None:
        self.worker = worker
        self.link = Link(url, patience_s)
        self.beat_s = beat_s
        self._clock = clock
        self._held: dict[str, Opened] = {}
        try:
            self.link.do(migrate)
        except BaseException:
            self.link.close()
            raise

    # -- the port

    def create(
        self,
        run: str,
        first: Sequence[Mapping[str, Any]],
        *,
        request: Mapping[str, Any] | None = None,
        parcel: str = "",
    ) -> bool:
        """Create a run. A child run gets the epoch of its root run, which this process must
        hold.
        """
        root = checked(run)
        events, lines, _ = sealed(run, first, 0, FIRST, self._now())
        epoch = self._held[root].epoch if root in self._held else 0
        told = json.dumps(request, ensure_ascii=False) if request is not None else ""
        token = secrets.token_hex(8)

        def work(connection: Any) -> bool:
            if run != root:
                self._guard(connection, root, epoch)
            made = connection.execute(
                "insert into podium_run (id, root, token, status, parcel, request, workflow) "
                "values (%s, %s, %s, %s, %s, %s, %s)"
                " on conflict do nothing",
                (
                    run,
                    root,
                    token,
                    _status(events) or "active",
                    parcel,
                    told,
                    str((request or {}).get("workflow", "")),
                ),
            )
            if made.rowcount == 0:
                whose = connection.execute(
                    "select token from podium_run where id = %s", (run,)
                ).fetchone()[0]
                return bool(whose == token)  # it is ours, and the answer was lost
            _insert(connection, run, epoch, events, lines)
            placement.enter(connection, run, request or {})
            return True

        return self.link.do(work)

    def open(self, run: str, owner: str, terms: placement.Terms | None = None) -> Opened:
        """`terms`: those of a worker, to which the fleet's limits apply."""
        root = self._existing(run)
        if run in self._held:
            raise UsageError(f"run {run} is already open here")
        if run == root:
            tried: list[tuple[int, datetime]] = []
            epoch = self.link.do(
                lambda connection: self._taken(connection, run, owner, terms, tried)
            )
        elif root in self._held:
            epoch = self._held[root].epoch
            self.link.do(lambda connection: self._guard(connection, root, epoch))
        else:
            raise UsageError(f"{run} is a child run: open its root run {root} first")
        opened = Opened(run, epoch, self.read(run))
        self._held[run] = opened
        return opened

    def append(
        self,
        opened: Opened,
        expected_seq: int,
        events: Sequence[Mapping[str, Any]],
        *,
        durable: bool = True,  # noqa: ARG002  # the database is always durable
        clean: Clean | None = None,
        parcel: str = "",
        sealed_before: bool = False,
    ) -> Sequence[Event]:
        """`parcel`: the commit with the files that these events mention; it is on the remote
        already.

        `sealed_before`: a copy of this journal has already numbered and hashed the events.
        """
        self._own(opened)
        if expected_seq != opened.seq:
            raise Fenced(
                f"run {opened.run} is at event {opened.seq}, not at {expected_seq}; nothing "
                "was written"
            )
        prev = str(opened.events[-1]["hash"]) if opened.events else FIRST
        if sealed_before:
            fresh = [dict(each) for each in events]
            if fresh and fresh[0]["prev"] != prev:
                raise Fenced(
                    f"run {opened.run}: what was sealed here does not follow what is written; "
                    "nothing was written"
                )
            lines = "".join(f"{canonical(each)}\n" for each in fresh).encode()
        else:
            fresh, lines, _ = sealed(opened.run, events, expected_seq, prev, self._now(), clean)
        self.link.do(
            lambda connection: self._append(connection, opened, expected_seq, fresh, lines, parcel)
        )
        opened.events.extend(fresh)
        return fresh

    def sync(self, opened: Opened) -> None:
        """Nothing to do: every append is a commit."""

    def close(self, opened: Opened, result: str = "") -> None:
        """`result`: how the turn ended, for the figures."""
        self._release(opened, result, undone=False)

    def read(self, run: str) -> list[dict[str, Any]]:
        self._existing(run)
        query = "select line from podium_event where run = %s order by seq"
        rows = self.link.do(lambda connection: connection.execute(query, (run,)).fetchall())
        events: list[dict[str, Any]] = []
        prev = FIRST
        for seq, (line,) in enumerate(rows, 1):
            found = unseal(line.encode(), seq, prev)
            if isinstance(found, Break):
                raise ChainBroken(f"podium_event of run {run}", seq, found.what)
            events.append(found)
            prev = found["hash"]
        return events

    def post(self, run: str, key: str, message: Mapping[str, Any]) -> bool:
        self._existing(run)
        body, token = messages.written(key, message), secrets.token_hex(8)
        return self.link.do(lambda connection: messages.post(connection, run, key, body, token))

    def inbox(self, run: str) -> Mapping[str, Mapping[str, Any]]:
        checked(run)
        return self.link.do(lambda connection: messages.all_of(connection, run))

    def withdraw(self, run: str, key: str) -> bool:
        self._existing(run)
        return self.link.do(lambda connection: messages.withdraw(connection, run, key))

    def runs(self) -> Sequence[str]:
        rows = self.link.do(
            lambda connection: connection.execute(
                "select id from podium_run where id = root"
            ).fetchall()
        )
        return sorted(row[0] for row in rows)

    def holder(self, run: str) -> dict[str, Any] | None:
        query = (
            "select epoch, pid, host, owner, opened from podium_run"
            " where id = %s and seen > clock_timestamp() - make_interval(secs => %s)"
        )
        row = self.link.do(
            lambda connection: connection.execute(query, (checked(run), self.lease_s)).fetchone()
        )
        if row is None:
            return None
        return {
            "epoch": row[0],
            "pid": row[1],
            "host": row[2],
            "owner": row[3],
            "since": stamp(row[4]),
            "alive": True,
        }

    def intact(self, opened: Opened) -> bool:
        """Agents cannot reach the database."""
        self._own(opened)
        return True

    def repair(self, opened: Opened) -> None:
        """Nothing to restore."""
        self._own(opened)

    # -- beyond the port

    @property
    def lease_s(self) -> float:
        return self.beat_s * LEASE

    def beat(self, run: str, epoch: int) -> bool:
        """Report that the owner is alive; False if it no longer owns the run, or was silent for
        longer than its lease.

        An expired lease stays expired, since its place in the fleet's limits may belong to another
        by then.
        """
        query = (
            "update podium_run set seen = clock_timestamp() where id = %s and epoch = %s"
            " and seen >= clock_timestamp() - make_interval(secs => %s)"
        )
        return self.link.do(
            lambda connection: bool(connection.execute(query, (run, epoch, self.lease_s)).rowcount)
        )

    def has(self, run: str) -> bool:
        query = "select 1 from podium_run where id = %s"
        return (
            self.link.do(lambda connection: connection.execute(query, (run,)).fetchone())
            is not None
        )

    def family(self, run: str) -> list[str]:
        """The run and all its child runs."""
        query = "select id from podium_run where root = %s"
        rows = self.link.do(
            lambda connection: connection.execute(query, (checked(run),)).fetchall()
        )
        return sorted(row[0] for row in rows)

    def request(self, run: str) -> dict[str, Any]:
        """What the run was asked to do."""
        root = self._existing(run)
        query = "select request from podium_run where id = %s"
        text = self.link.do(lambda connection: connection.execute(query, (root,)).fetchone()[0])
        found: dict[str, Any] = json.loads(text) if text else {}
        return found

    def needs(self, run: str) -> list[str]:
        """The labels that a worker must have to drive the run."""
        return [str(each) for each in self.request(run).get("needs", [])]

    def parcel(self, run: str) -> str:
        """The commit with the run's files as of its last event."""
        query = "select parcel from podium_run where id = %s"
        row = self.link.do(lambda connection: connection.execute(query, (checked(run),)).fetchone())
        return str(row[0]) if row else ""

    def abandon(self, opened: Opened, result: str = "") -> None:
        """Give the run back unfinished, as if its lease had expired: its work remains to be
        done.
        """
        self._release(opened, result, undone=True)

    def _release(self, opened: Opened, result: str, *, undone: bool) -> None:
        if self._held.get(opened.run) is not opened:
            return
        for each in [
            each for each in self._held if each == opened.run or each.startswith(opened.run + "/")
        ]:
            del self._held[each]
        if "/" not in opened.run:
            release = (
                "update podium_run set let_go = clock_timestamp(),"
                " seen = case when %s then clock_timestamp() - make_interval(secs => %s) end "
                "where id = %s and epoch = %s"
            )

            def work(connection: Any) -> None:
                connection.execute(release, (undone, self.lease_s, opened.run, opened.epoch))
                turns.end(connection, opened.run, opened.epoch, result)

            self.link.do(work)

    def keep_parcel(self, opened: Opened, parcel: str) -> None:
        """Record files that changed without an event mentioning it: what an owner leaves behind
        when it stops.
        """

        def work(connection: Any) -> None:
            self._guard(connection, opened.run, opened.epoch)
            connection.execute(
                "update podium_run set parcel = %s where id = %s", (parcel, opened.run)
            )

        self.link.do(work)

    def with_work(self) -> list[str]:
        """Runs that could continue and that nobody is driving."""
        # constants
        query = f"select id from podium_run as r where {WORK} and {SILENT} order by id"  # noqa: S608
        rows = self.link.do(
            lambda connection: connection.execute(query, {"lease": self.lease_s}).fetchall()
        )
        return [row[0] for row in rows]

    def next_lease_s(self) -> float | None:
        """Seconds until a lease expires that was not renewed in time; None if every owner
        reported in time.
        """
        query = """
            select extract(epoch from min(seen) - clock_timestamp()) from podium_run
            where id = root and status not in ('complete', 'cancelled')
            and seen > clock_timestamp() - make_interval(secs => %s) and seen < clock_timestamp() - make_interval(secs => %s)
        """  # noqa: E501
        row = self.link.do(
            lambda connection: connection.execute(query, (self.lease_s, self.beat_s / 2)).fetchone()
        )
        return None if row is None or row[0] is None else float(row[0]) + self.lease_s

    def line(self) -> Line:
        """Who waits, who is at work, and which workers there are."""
        return self.link.do(lambda connection: placement.look(connection, self.lease_s))

    # -- inside one transaction

    def _taken(
        self,
        connection: Any,
        run: str,
        owner: str,
        terms: placement.Terms | None,
        tried: list[tuple[int, datetime]],
    ) -> int:
        """`tried`: the leases (epoch and time) that this opening has taken so far, whether or
        not it learned of it.
        """
        query = (
            "select epoch, opened, owner, host, pid, seen > clock_timestamp() - "
            "make_interval(secs => %s)"
            " from podium_run where id = %s for update"
        )
        epoch, since, whose, host, pid, lives = connection.execute(
            query, (self.lease_s, run)
        ).fetchone()
        if lives and (epoch, since) in tried:
            return int(epoch)  # it is ours, and the answer was lost
        if lives:
            raise Busy(
                f"{whose} (process {pid} on {host}) drives run {run}; wait until it ends, or "
                f"`podium cancel {run}`"
            )
        if terms is not None:
            placement.claim(connection, run, terms, self.lease_s)
        turns.begin(connection, run, self.worker or owner, _host(), self.lease_s)
        taken = connection.execute(
            "update podium_run set epoch = epoch + 1, owner = %s, pid = %s, host = %s,"
            " opened = clock_timestamp(), seen = clock_timestamp() where id = %s returning "
            "epoch, opened",
            (owner, os.getpid(), _host(), run),
        ).fetchone()
        tried.append(taken)
        return int(taken[0])

    def _append(
        self,
        connection: Any,
        opened: Opened,
        seq: int,
        events: list[dict[str, Any]],
        lines: bytes,
        parcel: str,
    ) -> None:
        root = checked(opened.run)
        self._guard(connection, root, opened.epoch)
        if not events:
            return
        at = connection.execute(
            "select coalesce(max(seq), 0), (select hash from podium_event where run = %s and "
            "seq = %s)"
            " from podium_event where run = %s",
            (opened.run, seq + len(events), opened.run),
        ).fetchone()
        if at[1] == events[-1]["hash"]:
            # committed before and the answer was lost; the chain makes the last hash vouch for all
            # events
            return
        if at[0] != seq:
            raise Fenced(f"run {opened.run} is at event {at[0]}, not at {seq}; nothing was written")
        _insert(connection, opened.run, opened.epoch, events, lines)
        turns.count(connection, root, opened.epoch, events)
        if parcel:
            connection.execute("update podium_run set parcel = %s where id = %s", (parcel, root))
        if status := _status(events):
            until = next(
                (each.get("until") for each in reversed(events) if each["type"] == "run.paused"),
                None,
            )
            connection.execute(
                "update podium_run set status = %s, until = %s where id = %s",
                (status, until, opened.run),
            )

    def _guard(self, connection: Any, root: str, epoch: int) -> None:
        """Raises Fenced unless the epoch is still ours; nobody can raise it until the
        transaction ends.
        """
        row = connection.execute(
            "select epoch, owner from podium_run where id = %s for update", (root,)
        ).fetchone()
        if row is None or row[0] != epoch:
            whose = f" by {row[1]}" if row else ""
            raise Fenced(f"run {root} was opened anew{whose}; this process stopped without writing")

    def _own(self, opened: Opened) -> None:
        if self._held.get(opened.run) is not opened:
            raise Fenced(f"run {opened.run} is no longer open here; nothing was written")

    def _existing(self, run: str) -> str:
        root = checked(run)
        if not self.has(run):
            raise UsageError(f"there is no run {run!r} on the fleet; `podium list` names them all")
        return root

    def _now(self) -> str:
        return stamp(self._clock())


def checked(run: str) -> str:
    """The root run's id. Raises UsageError for a name that could not be a folder."""
    return RunFolder(_NOWHERE, run).root_id


def _insert(
    connection: Any, run: str, epoch: int, events: Sequence[Mapping[str, Any]], lines: bytes
) -> None:
    rows = [
        (run, event["seq"], epoch, event["hash"], line.decode())
        for event, line in zip(events, lines.rstrip(b"\n").split(b"\n"), strict=True)
    ]
    with connection.cursor() as cursor:
        cursor.executemany(
            "insert into podium_event (run, seq, epoch, hash, line) values (%s, %s, %s, %s, %s)",
            rows,
        )


def _status(events: Sequence[Mapping[str, Any]]) -> str:
    """The run's status after these events; empty if none of them says."""
    return str(last_state(events).get("status", ""))


def _host() -> str:
    return os.uname().nodename
