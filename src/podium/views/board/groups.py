"""Groups of tasks, iteration by iteration, folded from what the run's own state says about them.

`order`: groups in the order they run, each with `group`, `strategy` and `tasks`. `tasks`: id to
status and attempt.
`tries`: id to how often it was started, which numbers its keys. `group`: the current one.
`results`: id to the result of its last step. `metrics`: the numbers of progress.yaml. `iteration`,
`max_iterations`, `max_attempts`: counters. Any of it may be missing or, in a journal of another
version, mean something else; then less is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from podium.views.board import counters
from podium.views.proving import proof_sentence, proof_state

State = Mapping[str, Any]

ACCEPTED = "ACCEPTED"
FAILED = frozenset({"REJECTED", "ERROR", "SYNTAX_ERROR"})
"""Statuses of work that must be done again."""


@dataclass(frozen=True)
class Rejection:
    """One attempt at a task that was not accepted."""

    number: int
    """Which attempt it was."""
    status: str
    by: str
    """The step that rejected it."""
    evidence: tuple[str, ...] = ()


@dataclass
class Task:
    id: str
    status: str = "PENDING"
    attempt: int = 0
    """Attempts so far, as counted in tasks.yaml."""
    number: int = 0
    """The last part of its current key: how often it was started in this iteration."""
    rejections: list[Rejection] = field(default_factory=list)

    @property
    def accepted(self) -> bool:
        return self.status == ACCEPTED


@dataclass
class Group:
    name: str
    strategy: str = ""
    tasks: list[Task] = field(default_factory=list)
    began: str = ""
    ended: str = ""
    failure: str = ""
    """What its last build and test reported, if they failed."""

    @property
    def accepted(self) -> int:
        return sum(each.accepted for each in self.tasks)

    @property
    def done(self) -> bool:
        return bool(self.tasks) and self.accepted == len(self.tasks)


@dataclass
class Iteration:
    number: int
    """Counted from 0, as on disk."""
    groups: list[Group] = field(default_factory=list)
    began: str = ""
    ended: str = ""
    status: str = ""
    reason: str = ""
    """What its review said."""

    @property
    def tasks(self) -> list[Task]:
        return [task for group in self.groups for task in group.tasks]

    def group(self, name: str) -> Group | None:
        return next((each for each in self.groups if each.name == name), None)


class Work:
    """All iterations of a run so far; empty if a run has no groups."""

    def __init__(self) -> None:
        self.iterations: dict[int, Iteration] = {}
        self.group = ""
        """The current group."""
        self.batch: list[str] = []
        """Tasks that are running, or being built and tested or reviewed."""
        self.max_attempts = self.max_iterations = 0
        self.metrics: State = {}

    @property
    def now(self) -> Iteration | None:
        return self.iterations[max(self.iterations)] if self.iterations else None

    @property
    def planned(self) -> bool:
        """Whether the current iteration has its groups."""
        return self.now is not None and bool(self.now.groups)

    def follow(self, state: State, ts: str, by: str = "") -> None:
        """Follow the state after an event; `by` is the step that the run left."""
        number, tasks = counters.number(state, "iteration"), state.get("tasks")
        if (
            number is None
            or not isinstance(state.get("order"), list)
            or not isinstance(tasks, Mapping)
        ):
            return
        # After a rewind, what the run did later no longer counts.
        self.iterations = {each: known for each, known in self.iterations.items() if each <= number}
        now = self.iterations.setdefault(number, Iteration(number, began=ts))
        self.group, self.batch = str(state.get("group") or ""), counters.texts(state, "batch")
        self.max_attempts = counters.number(state, "max_attempts") or 0
        self.max_iterations = counters.number(state, "max_iterations") or 0
        metrics = state.get("metrics")
        self.metrics = metrics if isinstance(metrics, Mapping) else {}
        known = {each.id: each for each in now.tasks}
        now.groups = list(_groups(now, order_of(state), tasks, known))
        for task in now.tasks:
            task.number = counters.number(mapping(state, "tries"), task.id) or task.attempt
            _judged(task, mapping(state, "results").get(task.id), by)
        for group in now.groups:
            group.began = group.began or (ts if group.name == self.group else "")
            group.ended = (group.ended or ts) if group.done and group.began else ""

    def checked(self, event: Mapping[str, Any]) -> None:
        """A check has ended: a group's build and test, or the review of an iteration."""
        sets = mapping(event, "sets")
        if self.now is None:
            return
        if isinstance(sets.get("iterations"), list):
            said = [
                each
                for each in sets["iterations"]
                if isinstance(each, Mapping) and each.get("number") == self.now.number
            ]
            self.now.status, self.now.ended = (
                str(said[-1].get("status", "")) if said else "",
                str(event.get("ts", "")),
            )
            self.now.reason = str(event.get("reason") or "")
        elif mapping(sets, "results") and (group := self.now.group(self.group)) is not None:
            group.failure = broken(event)


def _groups(
    now: Iteration, order: list[State], tasks: State, known: Mapping[str, Task]
) -> Iterator[Group]:
    seen: set[str] = set()
    for each in order:
        name = str(each.get("group", ""))
        group = (None if name in seen else now.group(name)) or Group(name)
        seen.add(name)
        group.strategy = str(each.get("strategy", ""))
        group.tasks = [known.get(ident) or Task(ident) for ident in counters.texts(each, "tasks")]
        for task in group.tasks:
            said = tasks.get(task.id)
            status, attempt = (
                said if isinstance(said, list | tuple) and len(said) == 2 else ("PENDING", 0)
            )
            task.status, task.attempt = str(status), attempt if isinstance(attempt, int) else 0
        yield group


def _judged(task: Task, result: object, by: str) -> None:
    """What the last step made of a task, before the file says so."""
    if not isinstance(result, Mapping):
        return
    status = str(result.get("status") or "")
    # An accepted task counts only when the file says so, as in progress.yaml.
    task.status = status if status and status != ACCEPTED else task.status
    if status in FAILED and by:
        said = Rejection(task.number, status, by, tuple(counters.texts(result, "evidence")))
        task.rejections = [*(each for each in task.rejections if each.number != task.number), said]


def mapping(state: State, name: str) -> State:
    value = state.get(name)
    return value if isinstance(value, Mapping) else {}


def broken(event: Mapping[str, Any]) -> str:
    """What a check's commands say against the work; "" if nothing."""
    records = [record for record in event.get("evidence") or () if isinstance(record, Mapping)]
    return "; ".join(
        proof_sentence(record)
        for record in records
        if proof_state(record) in {"failed", "not_run"} and not record.get("waived")
    )


def order_of(state: State) -> list[State]:
    value = state.get("order")
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []
