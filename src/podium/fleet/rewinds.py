"""Rewinding a run of the fleet: a person asks while nobody drives it, and its next owner does it
first.

The request contains the number of events that the person saw. If the run has continued since, it is
not what they looked at, and is left as it is.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from podium.core import keys
from podium.core.errors import Busy, UsageError
from podium.core.history import History
from podium.fleet.journal import messages
from podium.fleet.journal.postgres_journal import PostgresJournal
from podium.state.port import Opened
from podium.state.state_file import last_state

KEY = "rewind@"
"""Prefix of the inbox key of such a request; the number of events at that time follows."""


def ask(journal: PostgresJournal, run: str, seen: int, wish: Mapping[str, Any]) -> None:
    """Leave the request for the next owner; refused if somebody drives the run or it has
    continued meanwhile.
    """
    body, token = messages.written(f"{KEY}{seen}", wish), secrets.token_hex(8)

    def work(connection: Any) -> None:
        # Under the lock of the run's row: whoever opens it afterwards finds the request.
        status, owner, lives = connection.execute(
            (
                "select status, owner, seen > clock_timestamp() - make_interval(secs => %s) from "
                "podium_run where id = %s for update"
            ),
            (journal.lease_s, run),
        ).fetchone()
        if lives:
            raise Busy(
                f"{owner} drives run {run}; rewind it when it rests, or `podium cancel {run}`"
            )
        if status == "cancelled":
            raise UsageError(f"run {run} is cancelled, which is final on the fleet; submit another")
        (now,) = connection.execute(
            "select max(seq) from podium_event where run = %s", (run,)
        ).fetchone()
        if now != seen:
            raise UsageError(
                f"run {run} has continued in the meantime; look at it again (`podium status {run}`)"
            )
        if not messages.post(connection, run, f"{KEY}{seen}", body, token):
            raise UsageError(
                f"somebody has already asked to rewind run {run}; the next worker does it"
            )
        if status == "complete":
            connection.execute(
                "update podium_run set status = 'active' where id = %s", (run,)
            )  # it has work again

    journal.link.do(work)


def due(
    events: Sequence[Mapping[str, Any]], inbox: Mapping[str, Mapping[str, Any]]
) -> Mapping[str, Any] | None:
    """The request that applies to the run as it stands."""
    return inbox.get(f"{KEY}{len(events)}")


def refuse(journal: PostgresJournal, opened: Opened) -> None:
    """It cannot be done: forget the request, and restore the status that the journal gives."""
    status = str(last_state(opened.events).get("status", "active"))

    def work(connection: Any) -> None:
        messages.withdraw(connection, opened.run, f"{KEY}{len(opened.events)}")
        connection.execute(
            "update podium_run set status = %s where id = %s and epoch = %s",
            (status, opened.run, opened.epoch),
        )

    journal.link.do(work)


def check(events: Sequence[Mapping[str, Any]], to: str) -> None:
    """Raises UsageError if no step of the run or its child runs has this name."""
    by_run: dict[str, list[Mapping[str, Any]]] = {}
    for each in events:
        by_run.setdefault(str(each["run"]), []).append(each)
    known = [
        key
        for own in by_run.values()
        for history in [History(own)]
        for key in (*history.steps, *history.gates)
    ]
    # The name may also mean a whole round or cluster that a key belongs to.
    if not any(keys.names(to, key) or keys.names(to, key.rpartition("/")[0]) for key in known):
        raise UsageError(
            f"{to!r} is not a step that this run has taken; it took: "
            f"{', '.join(dict.fromkeys(known)) or 'none yet'}"
        )
