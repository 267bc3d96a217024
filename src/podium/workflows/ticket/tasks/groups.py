"""Which tasks run next and which side by side, decided only from what `tasks.yaml` says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from podium.core.natural import natural
from podium.core.waves import batches, conflicts
from podium.workflows.ticket.progress.metrics import GroupWork
from podium.workflows.ticket.tasks.task import FAILED, WORKED, Entry, Task, Tasks

MAX_ATTEMPTS = 5


@dataclass(frozen=True)
class Schedule:
    """How some tasks of one group run: batches in order, each batch side by side."""

    group: str
    strategy: str
    batches: tuple[tuple[str, ...], ...]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class RunTasks:
    """These tasks run and no others: rejected ones, and those that never ran."""

    ids: tuple[str, ...]


@dataclass(frozen=True)
class Validate:
    """A parallel group is completely written: one build and one test for these tasks."""

    ids: tuple[str, ...]


@dataclass(frozen=True)
class Review:
    """Tasks of a sequential group that are done and wait for the Reviewer, one by one."""

    ids: tuple[str, ...]


@dataclass(frozen=True)
class Exhausted:
    """Tasks that failed their last attempt: the run pauses."""

    ids: tuple[str, ...]
    limit: int

    @property
    def message(self) -> str:
        return f"{', '.join(self.ids)} failed {self.limit} attempts"


@dataclass(frozen=True)
class GroupDone:
    """Every task of the group is accepted."""


GroupMove = RunTasks | Validate | Review | Exhausted | GroupDone


def next_entry(graph: Tasks) -> Entry | None:
    """The first group that is not fully accepted; None if all are."""
    return next(
        (each for each in graph.order if any(task.status != "ACCEPTED" for task in graph.of(each))),
        None,
    )


def failed(task: Task, entry: Entry) -> bool:
    """Whether the task runs again. In a sequential group, SYNTAX_VALID is not enough: the
    Reviewer needs work that is DONE.
    """
    return task.status in FAILED or (
        entry.strategy == "sequential" and task.status == "SYNTAX_VALID"
    )


def decide(graph: Tasks, entry: Entry, max_attempts: int = MAX_ATTEMPTS) -> GroupMove:
    """What the statuses of a group call for. Accepted tasks never run again, whoever accepted
    them.
    """
    tasks = graph.of(entry)
    again = [each for each in tasks if failed(each, entry)]
    if used := tuple(each.id for each in again if each.attempt >= max_attempts):
        return Exhausted(used, max_attempts)
    written = tuple(each.id for each in tasks if each.status in WORKED and each not in again)
    if written and entry.strategy == "sequential":
        return Review(written)
    waiting = tuple(each.id for each in tasks if each in again or each.status == "PENDING")
    if waiting:
        # One after the other: a task of a sequential group may build on the one before, so that is
        # accepted first.
        return RunTasks(waiting[:1] if entry.strategy == "sequential" else waiting)
    return Validate(written) if written else GroupDone()


def schedule(graph: Tasks, entry: Entry, ids: Sequence[str], parallel: int) -> Schedule:
    """Batches of at most `parallel`; tasks that can touch the same file are never in one batch,
    whatever the plan says.

    Parallel work is merged in the order of its batch, which is the order of the ids.
    """
    chosen = [each for each in entry.tasks if each in set(ids)]
    if entry.strategy == "sequential":
        return Schedule(entry.group, entry.strategy, tuple((each,) for each in chosen))
    chosen.sort(key=natural)
    files = {ident: files_of(graph.task(ident)) for ident in chosen}
    found = batches(chosen, files, max(parallel, 1))
    warnings = tuple(
        (
            f"group {entry.group}: {one} and {other} can both touch "
            f"{_shared(files[one], files[other])}; they run one after the other"
        )
        for one, other in conflicts(files)
    )
    return Schedule(entry.group, entry.strategy, tuple(map(tuple, found)), warnings)


def files_of(task: Task) -> tuple[str, ...]:
    """What the task may touch; one that names nothing may touch anything."""
    return task.paths or ("**",)


def _shared(one: Sequence[str], other: Sequence[str]) -> str:
    """The first pair of patterns that can mean the same file."""
    for mine in one:
        for theirs in other:
            if conflicts({"one": (mine,), "other": (theirs,)}):
                return mine if mine == theirs else f"{mine} ({theirs})"
    return "the same file"


def started(task: Task, at: str) -> dict[str, Any]:
    """Members of a task that a new attempt changes."""
    return {"attempt": task.attempt + 1, "started_at": at}


def worked(status: str, changed: bool, at: str, task: Task) -> dict[str, Any]:
    """Members of a task after its dispatch; the time of its first code change is recorded once."""
    first = {"first_code_change_at": at} if changed and not task.first_code_change_at else {}
    return {"status": status, **first}


def work_of(graph: Tasks, parallel: int, minutes: Mapping[str, float]) -> tuple[GroupWork, ...]:
    """The groups as the metrics need them; `minutes` has those of finished groups by letter."""
    found = []
    for entry in graph.order:
        tasks = graph.of(entry)
        accepted = sum(each.status == "ACCEPTED" for each in tasks)
        rounds = len(schedule(graph, entry, entry.tasks, parallel).batches)
        done = accepted == len(tasks)
        found.append(
            GroupWork(len(tasks), rounds, accepted, minutes.get(entry.group, 0.0) if done else None)
        )
    return tuple(found)
