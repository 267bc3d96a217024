"""Turns: one owner's time with a run, by the database's clock. Written inside the journal's
transactions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

LOST = "lost"
"""The result of a turn whose owner fell silent; another one took the run over, or will."""

READY = """
    case when r.seen is not null then greatest(r.seen + make_interval(secs => %(lease)s), t.closed, r.opened)
         when r.status = 'active' then coalesce(greatest(r.made, t.closed), r.opened, clock_timestamp())
         when r.status = 'sleeping' and r.until <= clock_timestamp() then greatest(r.until, t.closed)
         else (select greatest(min(m.posted), t.closed) from podium_message as m
               where m.run = r.id and (r.opened is null or m.posted >= r.opened) having count(*) > 0) end
"""  # noqa: E501
"""Since when a run `r`, whose last turn is `t`, has had work that nobody does.

Its lease expired, it was created or returned to the line, its timer ran out, or somebody sent it a
message.
"""

_BEGIN = f"""
    insert into podium_turn (run, epoch, worker, host, workflow, ready, opened)
    select r.id, r.epoch + 1, %(worker)s, %(host)s, r.workflow,
           least(coalesce({READY}, clock_timestamp()), clock_timestamp()), clock_timestamp()
    from podium_run as r left join podium_turn as t on t.run = r.id and t.epoch = r.epoch
    where r.id = %(run)s
"""  # noqa: S608  # constants of this module
_LOSE = f"""
    update podium_turn as t set result = '{LOST}', closed = greatest(r.seen, t.opened), status = r.status
    from podium_run as r
    where r.id = %(run)s and t.run = r.id and t.epoch = r.epoch and t.closed is null
"""  # noqa: E501, S608


def begin(connection: Any, run: str, worker: str, host: str, lease_s: float) -> None:
    """Called before the run's epoch is raised: record the new turn, and end one whose owner
    never did.
    """
    told = {"run": run, "worker": worker, "host": host, "lease": lease_s}
    connection.execute(_BEGIN, told)
    connection.execute(_LOSE, told)


def end(connection: Any, run: str, epoch: int, result: str) -> None:
    """The owner leaves. A turn that somebody else ended is not changed."""
    connection.execute(
        "update podium_turn set closed = clock_timestamp(), result = %s,"
        " status = (select status from podium_run where id = %s)"
        " where run = %s and epoch = %s and closed is null",
        (result, run, run, epoch),
    )


def count(connection: Any, run: str, epoch: int, events: Sequence[Mapping[str, Any]]) -> None:
    """Count the steps that the run and its child runs finished in this turn."""
    if steps := sum(each["type"] == "step.finished" for each in events):
        connection.execute(
            "update podium_turn set steps = steps + %s where run = %s and epoch = %s",
            (steps, run, epoch),
        )
