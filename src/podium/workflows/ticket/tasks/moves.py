"""The next move of an iteration's groups, decided only from what its tasks say."""

from __future__ import annotations

from dataclasses import dataclass

from podium.workflows.ticket.tasks import groups
from podium.workflows.ticket.tasks.groups import Exhausted, GroupDone, Review, RunTasks, Validate
from podium.workflows.ticket.tasks.task import Entry, Tasks


@dataclass(frozen=True)
class Move:
    outcome: str
    """`develop`, `validate`, `review_task`, `exhausted`, `finished` or `trivial`."""
    ids: tuple[str, ...] = ()
    entry: Entry | None = None
    message: str = ""
    warnings: tuple[str, ...] = ()


def next_move(graph: Tasks, *, trivial: bool, green: bool, limit: int) -> Move:
    """`trivial`: the graph needs no Reviewer; `green`: the program saw its build and test pass."""
    entry = groups.next_entry(graph)
    if entry is None:
        # If a person accepts by hand what was never built and tested, the Reviewer looks at it.
        return Move("trivial" if trivial and green else "finished")
    match groups.decide(graph, entry, limit):
        case Exhausted(ids) as used:
            return Move("exhausted", ids, entry, used.message)
        case RunTasks(ids):
            # All tasks that share no file form one batch; the engine limits how many run at once.
            planned = groups.schedule(graph, entry, ids, len(ids))
            return Move("develop", planned.batches[0], entry, warnings=planned.warnings)
        case Validate(ids):
            return Move("validate", ids, entry)
        case Review(ids):
            return Move("validate", ids, entry) if trivial else Move("review_task", ids[:1], entry)
        case GroupDone():
            raise AssertionError("a group that is done is not next")
