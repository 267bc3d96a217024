"""Every state a workflow can reach, found by trying every outcome of every step.

A run is data and `advance` is pure, so runs with equal members are one state, and a workflow's
state space is small. The walk covers routing, not agents: an agent stands for every outcome that
its step declares and one that it does not. A blocked run rests; the walk does not send it on, since
a person could do that for ever.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cache
from operator import attrgetter
from typing import Any

from podium.core.advance import UndeclaredExit, advance
from podium.core.effects import Check, Cluster, Gate, Stage
from podium.core.errors import MISTAKES
from podium.core.proofs import (
    Exploration,
    Path,
    Transition,
    Violation,
    measures,
    member_names,
    spans,
    story,
)
from podium.core.reach import able_to_reach
from podium.core.run import Run, Status
from podium.core.workflow import Step, Workflow

__all__ = [
    "UNDECLARED",
    "Exploration",
    "Path",
    "Transition",
    "Violation",
    "explore",
    "outcomes_of",
    "story",
]

UNDECLARED = "fail"
"""Stands for every outcome that a step does not declare; one is enough, since each of them
blocks.
"""

HELD = "held"
"""The same for a step that declares even failure: something kept it from doing its work."""


def outcomes_of(step: Step) -> tuple[str, ...]:
    """Everything worth trying at a step, each once: a gate's choices, the declared outcomes, an
    undeclared one.
    """
    offered = step.effect.choices if isinstance(step.effect, Gate) else ()
    unplanned = UNDECLARED if UNDECLARED not in step.outcomes else HELD
    surprise = (unplanned,) if isinstance(step.effect, Stage | Cluster | Check) else ()
    return tuple(dict.fromkeys((*offered, *step.outcomes, *surprise)))


def explore(
    workflow: Workflow, variants: Sequence[Run] | None = None, limit: int = 200_000
) -> Exploration:
    """Walk everything, then report what is stuck, unused or unbounded, and which invariants do
    not hold.
    """
    walk = _Walk(workflow, limit)
    walk.start(workflow.variants() if variants is None else variants)
    found = Exploration(
        workflow, tuple(walk.states), walk.starts, tuple(walk.transitions), walk.complete
    )
    faults = list(_faults(found, walk))
    if not found.complete:
        # Whatever was not walked cannot be called stuck or unused.
        return replace(found, violations=(_unbounded(found, limit), *faults))
    known = (*faults, *_stuck(found), *_unused_edges(found))
    broken = [
        fault if isinstance(fault, Violation) else Violation(claim.name, fault)
        for claim in workflow.invariants
        for fault in claim.broken(found)
    ]
    return replace(found, violations=(*known, *broken))


@dataclass
class _Walk:
    """The walk in progress; `Exploration` is its result."""

    workflow: Workflow
    limit: int
    states: list[Run] = field(default_factory=list)
    transitions: list[Transition] = field(default_factory=list)
    starts: tuple[int, ...] = ()
    complete: bool = True
    faults: dict[tuple[str, str, str], int] = field(default_factory=dict)
    """(name, step, text) of each fault, with the first state that shows it."""
    outcomes: dict[tuple[str, str, str], str] = field(default_factory=dict)
    """The outcome that led to each fault."""
    answered: set[tuple[str, str]] = field(default_factory=set)
    """(step, outcome) pairs whose route accepted the outcome at least once."""
    _numbers: dict[Any, int] = field(default_factory=dict)

    def start(self, variants: Sequence[Run]) -> None:
        self.starts = tuple(dict.fromkeys(self._number(run) for run in variants))
        tried = {name: outcomes_of(each) for name, each in self.workflow.steps.items()}
        # The list grows during the loop: breadth first, each state once.
        for at, run in enumerate(self.states):
            if len(self.states) > self.limit:
                self.complete = False
                return
            if run.status is not Status.ACTIVE:
                continue
            if run.step not in tried:
                self._fault("unknown step", at, "", f"{run.step!r} is not a step of this workflow")
            for outcome in tried.get(run.step, ()):
                for sets in self.workflow.imagined(run, outcome):
                    self._try(at, run, outcome, sets)

    def _try(self, at: int, run: Run, outcome: str, sets: Mapping[str, Any]) -> None:
        try:
            after = advance(self.workflow, run, outcome, sets)
        except UndeclaredExit as fault:
            self._fault("undeclared exit", at, outcome, str(fault))
        except AssertionError as fault:
            self._fault("refused outcome", at, outcome, f"{run.step} refuses {outcome}: {fault}")
            return
        except MISTAKES as fault:
            text = f"{run.step} given {outcome} raises {type(fault).__name__}: {fault}"
            self._fault("broken route", at, outcome, text)
        else:
            self.transitions.append(Transition(at, outcome, self._number(after)))
        self.answered.add((run.step, outcome))

    def _fault(self, name: str, at: int, outcome: str, text: str) -> None:
        where = name, self.states[at].step, text
        self.faults.setdefault(where, at)
        self.outcomes.setdefault(where, outcome)

    def _number(self, run: Run) -> int:
        number = self._numbers.setdefault(key(run), len(self.states))
        if number == len(self.states):
            self.states.append(run)
        return number


def key(run: Run) -> tuple[Any, ...]:
    """What identifies a state: every compared member except the text of the reason."""
    # a class can be hashed, if its objects cannot
    values = _members(type(run))(run)  # type: ignore[arg-type]
    return tuple([value if type(value) in _SCALARS else _frozen(value) for value in values])


@cache
def _members(kind: type[Run]) -> attrgetter[tuple[Any, ...]]:
    return attrgetter(*member_names(kind))  # type: ignore[arg-type]  # the same


_SCALARS = frozenset({str, int, float, bool, type(None), Status})


def _frozen(value: Any) -> Any:
    """A hashable equivalent. The commonest types are tested first, since a walk freezes millions
    of values.
    """
    if type(value) in _SCALARS:
        return value
    if isinstance(value, (list, tuple)):
        return tuple([_frozen(each) for each in value])
    if isinstance(value, Mapping):
        return frozenset([(name, _frozen(each)) for name, each in value.items()])
    if isinstance(value, (set, frozenset)):
        return frozenset(_frozen(each) for each in value)
    if is_dataclass(value):
        return (
            type(value),
            *(_frozen(getattr(value, each.name)) for each in fields(value) if each.compare),
        )
    return value


def _faults(found: Exploration, walk: _Walk) -> Iterator[Violation]:
    """What went wrong at single steps. An outcome that its route always refuses is declared in
    vain.
    """
    for where, at in walk.faults.items():
        name, step, text = where
        outcome = walk.outcomes[where]
        if name == "refused outcome":
            name = "broken route" if (step, outcome) in walk.answered else "unused outcome"
        yield Violation(name, text, (*found.path(at), *([(step, outcome)] if outcome else [])))


def _stuck(found: Exploration) -> Iterator[Violation]:
    """States from which no declared outcome leads to rest, one per step.

    Undeclared outcomes do not count: they always block, so every endless loop would seem to end.
    """
    steps = found.workflow.steps
    resting = [n for n, run in enumerate(found.states) if run.status is not Status.ACTIVE]
    planned = (
        (each.source, each.target)
        for each in found.transitions
        if each.outcome in steps[found.states[each.source].step].outcomes
    )
    ends = able_to_reach(resting, planned)
    told: set[str] = set()
    for number, run in enumerate(found.states):
        if number not in ends and run.step not in told:
            told.add(run.step)
            yield Violation("stuck state", f"{run.step} can never come to rest", found.path(number))


def _unused_edges(found: Exploration) -> Iterator[Violation]:
    entered = {run.step for run in found.states}
    for name, each in found.workflow.steps.items():
        for target in each.exits:
            if (name, target) not in found.edges:
                why = "no outcome leads there" if name in entered else f"{name} is never entered"
                yield Violation("unused edge", f"{name} -> {target}: {why}")


def _unbounded(found: Exploration, limit: int) -> Violation:
    """Name the member that keeps growing: a bounded one is as large in the first half of the
    walk as in all of it.
    """
    early, whole = (
        spans(found.states[: limit // 2], lengths=True),
        spans(found.states, lengths=True),
    )
    growth = {}
    for name, (low, high) in whole.items():
        least, most = early.get(name, (low, low))
        growth[name] = high - most + least - low
    name = max(growth, key=lambda each: (growth[each], each), default="")
    if not growth.get(name):
        return Violation("unbounded", f"more than {limit} states; no single member keeps growing")
    low, high = whole[name]
    text = f"more than {limit} states: {name} keeps growing (seen from {low} to {high})"
    return Violation("unbounded", text, found.path(_third_turn(found, name)))


def _third_turn(found: Exploration, name: str) -> int:
    """The first state that shows the loop clearly; the path to the largest value would be as
    long as the walk.
    """
    active = ((n, run) for n, run in enumerate(found.states) if run.status is Status.ACTIVE)
    values = ((n, dict(measures(run, lengths=True)).get(name)) for n, run in active)
    known = [(n, value) for n, value in values if value is not None]
    return next((n for n, value in known if abs(value - known[0][1]) >= 3), known[-1][0])
