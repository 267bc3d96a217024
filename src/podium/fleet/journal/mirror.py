"""Journals of the fleet's runs as files in a folder, kept up to date with the database, so they are
read like others.

A journal only grows, so each look appends what is new. Several processes may maintain the same
folder.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from podium.core.errors import UsageError
from podium.fleet.journal import messages
from podium.fleet.journal.postgres_journal import PostgresJournal
from podium.state.lock import one_by_one
from podium.state.run_folder import RunFolder
from podium.state.sealing import stamp

TAIL = 1 << 16
"""Bytes at the end of a file in which its last line is searched first."""
BATCH = 500
"""Runs fetched at once; they become visible before the next batch is fetched."""

_LOOK = """
    select r.id, r.root, r.status, r.seen > clock_timestamp() - make_interval(secs => %(lease)s), r.epoch, r.pid, r.host, r.owner,
           r.opened, r.parcel, (select count(*) from podium_message as m where m.run = r.id),
           (select seq from podium_event as e where e.run = r.id order by seq desc limit 1), extract(epoch from clock_timestamp())
    from podium_run as r where
"""  # noqa: E501
_THESE = "r.root = any (%(known)s)"
_RESTLESS = """
    r.root = any (%(known)s) or r.root in (
        select id from podium_run where id = root and (status not in ('complete', 'cancelled') or opened > to_timestamp(%(last)s)))
"""  # noqa: E501
"""Runs that have ended are not asked about again, unless somebody opened them."""
_MARKS = """
    select e.run, e.hash from podium_event as e
    join unnest(%(names)s::text[], %(ats)s::integer[]) as w (run, at) on e.run = w.run and e.seq = w.at
"""  # noqa: E501
_NEWS = """
    select e.run, e.line from podium_event as e
    join unnest(%(names)s::text[], %(ats)s::integer[]) as w (run, at) on e.run = w.run and e.seq > w.at order by e.run, e.seq
"""  # noqa: E501


@dataclass
class Seen:
    """What is known about a root run besides its journal."""

    status: str = ""
    parcel: str = ""
    holder: dict[str, Any] | None = None
    messages: int = 0
    changes: int = 0
    """How often a look found a different status or number of messages."""
    inbox: tuple[int, dict[str, dict[str, Any]]] = (-1, {})
    """The messages, and the value of `changes` when they were fetched."""

    @property
    def busy(self) -> bool:
        """Whether more may come: an owner sends its last parcel and leaves only after the run's
        last event.
        """
        return self.status not in {"complete", "cancelled"} or self.holder is not None


class Mirror:
    """`folder` is laid out like a project: its `.podium/runs` holds the journals and requests of
    the fleet's runs.
    """

    def __init__(self, folder: Path, truth: PostgresJournal) -> None:
        self.folder, self.truth = folder, truth
        self.runs: dict[str, Seen] = {}
        """Root runs in the database, as of the last look at all of them."""
        self._places: dict[str, tuple[tuple[int, int], int]] = {}
        """For each journal: size and time of its file, and the number of its last event."""
        self._last: float | None = None
        self._one_by_one = threading.Lock()

    def bring(self, root: str) -> None:
        """Fetch the journals of one run and its child runs."""
        if not self._take(_THESE, {"known": [root]}):
            raise UsageError(f"there is no run {root!r} on the fleet; `podium list` names them all")

    def bring_all(self) -> None:
        """Fetch whatever changed since the last look."""
        known = [run for run, each in self.runs.items() if each.busy]
        # An owner may have opened a run without having committed yet, so the last minute is looked
        # at twice.
        since = (self._last or 0.0) - 60.0
        rows = self._take(
            "true" if self._last is None else _RESTLESS, {"known": known, "last": since}
        )
        self._last = float(rows[0][12]) if rows else self._last

    def inbox(self, run: str) -> dict[str, dict[str, Any]]:
        """Messages of a root run, as of the last look."""
        known = self.runs.get(run)
        # Read it before asking: a look in another thread may find more while the answer is on its
        # way.
        at = known.changes if known is not None else 0
        kept = known.inbox if known is not None else (-1, {})
        if kept[0] == at:
            return kept[1]
        found = self.truth.link.do(lambda connection: messages.all_of(connection, run))
        if known is not None:
            known.inbox = at, found
        return found

    def _take(self, which: str, told: dict[str, Any]) -> list[Any]:
        with self._one_by_one:
            return self._taken(which, told)

    def _taken(self, which: str, told: dict[str, Any]) -> list[Any]:
        query = f"{_LOOK} {which} order by r.id"
        asked = {**told, "lease": self.truth.lease_s}
        rows: list[Any] = self.truth.link.do(
            lambda connection: connection.execute(query, asked).fetchall()
        )
        os.makedirs(self.folder, exist_ok=True)
        for some in _batches(rows):
            self._keep_up(some)
        return rows

    def _keep_up(self, rows: list[Any]) -> None:
        with one_by_one(str(self.folder)):
            at = self._standing([row[0] for row in rows])
            behind = {
                row[0]: at[row[0]] if at[row[0]] < row[11] else 0
                for row in rows
                if row[11] is not None and at[row[0]] != row[11]
            }
            if behind:
                self._fetch(sorted(behind), behind)
        for row in rows:
            if row[0] == row[1]:
                self._note(row)

    def _note(self, row: Any) -> None:
        run, _, status, lives, epoch, pid, host, owner, opened, parcel, number, *_ = row
        holder = (
            {
                "epoch": epoch,
                "pid": pid,
                "host": host,
                "owner": owner,
                "since": stamp(opened),
                "alive": True,
            }
            if lives
            else None
        )
        known = self.runs.setdefault(run, Seen())
        before = (known.status, known.holder, known.messages)
        known.status, known.parcel, known.holder, known.messages = status, parcel, holder, number
        known.changes += (before[0], before[2]) != (status, number)
        if before != (status, holder, number):
            # Whoever lists runs uses the folder's time to tell whether anything about them has
            # changed.
            inbox = RunFolder(self.folder, run).inbox
            os.makedirs(inbox, exist_ok=True)
            os.utime(inbox)

    def _fetch(self, names: list[str], behind: dict[str, int]) -> None:
        roots = sorted({name.partition("/")[0] for name in names})
        told = {"names": names, "ats": [behind[name] for name in names]}

        def look(connection: Any) -> tuple[list[Any], list[Any]]:
            asked = connection.execute(
                "select id, request from podium_run where id = any (%s)", (roots,)
            ).fetchall()
            return connection.execute(_NEWS, told).fetchall(), asked

        rows, asked = self.truth.link.do(look)
        for run, request in asked:
            self._request(run, request)
        lines: dict[str, list[str]] = {}
        for run, line in rows:
            lines.setdefault(run, []).append(line)
        for run, found in lines.items():
            self._write(run, behind[run], found)

    def _request(self, run: str, request: str) -> None:
        file = RunFolder(self.folder, run).request
        data = (request or json.dumps({})).encode()
        os.makedirs(file.parent, exist_ok=True)
        if not file.is_file() or file.read_bytes() != data:
            _replace(file, data)

    def _write(self, run: str, at: int, lines: list[str]) -> None:
        file = RunFolder(self.folder, run).journal
        data = "".join(f"{line}\n" for line in lines).encode()
        os.makedirs(file.parent, exist_ok=True)
        if at == 0:
            _replace(file, data)
        else:
            with open(file, "ab") as opened:
                opened.write(data)
        self._places[run] = (_mark(file), at + len(lines))

    def _standing(self, names: list[str]) -> dict[str, int]:
        """The number of the last event in each file; 0 if the file is not a beginning of the
        run's journal.
        """
        found = dict.fromkeys(names, 0)
        doubtful: dict[str, tuple[tuple[int, int], int, str]] = {}
        for run in names:
            file = RunFolder(self.folder, run).journal
            mark = _mark(file)
            known = self._places.get(run)
            if known is not None and known[0] == mark:
                found[run] = known[1]
            elif mark[0]:
                doubtful[run] = (mark, *_last(file, mark[0]))
        marks = (
            self._marks({"names": list(doubtful), "ats": [each[1] for each in doubtful.values()]})
            if doubtful
            else {}
        )
        for run, (mark, seq, last) in doubtful.items():
            # Another database has a run of the same name, or a write was cut off: the whole file is
            # written again.
            if marks.get(run) == last:
                found[run] = seq
                self._places[run] = (mark, seq)
        return found

    def _marks(self, told: dict[str, Any]) -> dict[str, str]:
        return dict(
            self.truth.link.do(lambda connection: connection.execute(_MARKS, told).fetchall())
        )


def _mark(file: Path) -> tuple[int, int]:
    """Changes when somebody writes; (0, 0) if there is no file."""
    try:
        facts = os.stat(file)
    except FileNotFoundError:
        return 0, 0
    return facts.st_size, facts.st_mtime_ns


def _last(file: Path, size: int) -> tuple[int, str]:
    """Number and hash of the last line, if it is complete."""
    with open(file, "rb") as opened:
        for most in (min(size, TAIL), size):
            opened.seek(size - most)
            data = opened.read(most)
            if data.endswith(b"\n") and (b"\n" in data[:-1] or most == size):
                try:
                    event = json.loads(data[:-1].rpartition(b"\n")[2])
                    return int(event["seq"]), str(event["hash"])
                except (ValueError, KeyError, TypeError):
                    return 0, ""
    return 0, ""


def _replace(file: Path, data: bytes) -> None:
    """Replace the file in one piece: somebody may be reading it."""
    spare = file.with_name(f".{file.name}.{os.getpid()}")
    spare.write_bytes(data)
    os.replace(spare, file)


def _batches(rows: list[Any]) -> Iterable[list[Any]]:
    return (rows[at : at + BATCH] for at in range(0, len(rows), BATCH))


def cached(project: Path) -> Path:
    """Where the fleet's runs are mirrored for a project."""
    return project / ".podium" / "cache" / "fleet"
