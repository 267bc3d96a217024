"""Questions to an exploration: ways around a gate, how often, how much, how far a counter goes.

Invariants of workflows, `podium check` and the diagrams all ask here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache, cached_property
from typing import Any, NamedTuple

from podium.core.effects import Check, Gate
from podium.core.reach import Ways, shortest
from podium.core.run import DONE, Run, Status
from podium.core.workflow import Step, Workflow

Path = tuple[tuple[str, str], ...]
"""A story: (step, outcome) pairs from the start on."""


@dataclass(frozen=True)
class Violation:
    """One claim that does not hold, with the shortest story that shows it."""

    name: str
    detail: str
    path: Path = ()
    at: str = ""
    """The step at which the story ends, if there is one."""

    def __str__(self) -> str:
        return f"{self.name}: {self.detail}" + (f" [{story(self.path)}]" if self.path else "")


class Transition(NamedTuple):
    source: int
    outcome: str
    target: int


@dataclass(frozen=True)
class Exploration:
    """All reachable runs of one workflow, and what can be asked about them."""

    workflow: Workflow
    states: tuple[Run, ...]
    """In the order found: breadth first from all variants."""
    starts: tuple[int, ...]
    transitions: tuple[Transition, ...]
    complete: bool = True
    """False if the limit ended the walk."""
    violations: tuple[Violation, ...] = ()

    @cached_property
    def edges(self) -> Mapping[tuple[str, str], tuple[str, ...]]:
        """(step, step) pairs that were walked, with the outcomes that lead that way."""
        found: dict[tuple[str, str], dict[str, None]] = {}
        for each in self.transitions:
            if moves(self.states[each.target]):
                pair = self.states[each.source].step, self.states[each.target].step
                found.setdefault(pair, {})[each.outcome] = None
        return {pair: tuple(found[pair]) for pair in sorted(found)}

    @cached_property
    def _leaving(self) -> Sequence[Sequence[tuple[int, int]]]:
        """For each state its (transition, target) pairs."""
        leaving: list[list[tuple[int, int]]] = [[] for _ in self.states]
        for number, each in enumerate(self.transitions):
            leaving[each.source].append((number, each.target))
        return leaving

    @cached_property
    def _origins(self) -> Mapping[int, int | None]:
        return shortest(self.starts, self._leaving)

    def path(self, state: int) -> Path:
        """The shortest story from a start to the state."""
        return self._told(state, self._origins)

    def _told(self, state: int, origins: Mapping[int, int | None]) -> Path:
        told: list[tuple[str, str]] = []
        while (number := origins[state]) is not None:
            each = self.transitions[number]
            told.append((self.states[each.source].step, each.outcome))
            state = each.source
        return tuple(reversed(told))

    def at(self, step: str) -> list[int]:
        """The states in which a run has entered `step` and not stopped there."""
        return [n for n, run in enumerate(self.states) if run.step == step and moves(run)]

    def dominated(
        self, target: str, gate: str, outcome: str, starts: Callable[[Run], bool] | None = None
    ) -> Path | None:
        """None if every way to `target` passes `gate` with `outcome`; otherwise a story that goes
        around it.

        Ways begin at every state for which `starts` holds, so that an approval must be given again
        after any of them; without `starts` they begin where the walk began. Compare with None: if
        the target is itself a start, the story is empty.
        """
        around = [
            [
                (n, to)
                for n, to in arcs
                if not (state.step == gate and self.transitions[n].outcome == outcome)
            ]
            for state, arcs in zip(self.states, self._leaving, strict=True)
        ]
        begin = (
            self.starts
            if starts is None
            else [n for n, run in enumerate(self.states) if starts(run)]
        )
        origins = shortest(begin, around)
        goals = set(self.at(target))
        # `origins` is in the order found, so its first goal is one of the nearest.
        found = next((n for n in origins if n in goals), None)
        if found is None:
            return None
        return self.path(self._root(found, origins)) + self._told(found, origins)

    def _root(self, state: int, origins: Mapping[int, int | None]) -> int:
        while (number := origins[state]) is not None:
            state = self.transitions[number].source
        return state

    def most_visits(self, step: str) -> float:
        """How often one run can enter `step` while people always take a gate's first choice.

        People may send a run back as often as they like, so their other choices are left out.
        Infinite if the step can be entered without end even so.
        """
        return (
            self._heaviest(lambda at: int(at.name == step))
            if step != DONE
            else float(bool(self.at(DONE)))
        )

    def worst_case(self, cost: Callable[[Step], float]) -> float:
        """The most that one run can cost if each visit of a step has this price, under the same
        assumption.
        """
        return self._heaviest(cost)

    def most_uses(self, source: str, target: str) -> float:
        """How often one run can go from `source` to `target`, under the same assumption."""
        return self._heaviest(lambda _: 0, (source, target))

    def _heaviest(
        self, cost: Callable[[Step], float], edge: tuple[str, str] | None = None
    ) -> float:
        prices = {name: cost(each) for name, each in self.workflow.steps.items()}
        entered, ways = self._unattended_ways
        price = [prices.get(name, 0) for name in entered]
        begin = {n: price[n] for n in self.starts}
        if edge is None:
            return ways.heaviest(begin, lambda _, target: price[target])
        source, target = edge
        leaving = [run.step == source for run in self.states]
        return ways.heaviest(
            begin, lambda one, other: int(entered[other] == target and leaving[one])
        )

    @cached_property
    def _unattended_ways(self) -> tuple[Sequence[str], Ways]:
        """The step that each state has entered ("" if it stopped there), and the ways that need
        no person's opinion.
        """
        alone = {
            (name, outcome): self._unattended(name, outcome)
            for name, outcome in {
                (self.states[each.source].step, each.outcome) for each in self.transitions
            }
        }
        forward: list[list[int]] = [[] for _ in self.states]
        for each in self.transitions:
            if alone[self.states[each.source].step, each.outcome]:
                forward[each.source].append(each.target)
        return [run.step if moves(run) else "" for run in self.states], Ways(self.starts, forward)

    def _unattended(self, step: str, outcome: str) -> bool:
        effect = self.workflow.steps[step].effect
        if not isinstance(effect, Gate):
            return not (isinstance(effect, Check) and outcome in effect.edited)
        # A question is not on such a way: the person who answers it has looked, so a new count
        # begins.
        return effect.kind in {"approval", "high_risk"} and outcome == first_choice(
            self.workflow.steps[step]
        )

    def bounds(self) -> dict[str, tuple[int, int]]:
        """The least and the largest value of every whole number in a run; `member[key]` for
        those in a mapping.
        """
        return spans(self.states, lengths=False)


def story(path: Path) -> str:
    return ", ".join(f"{step} {outcome}" for step, outcome in path) or "at the start"


def moves(run: Run) -> bool:
    """Whether the run arrived at its step, rather than stopped in it."""
    return run.status in {Status.ACTIVE, Status.COMPLETE}


def first_choice(step: Step) -> str:
    """What a person says at this gate to let the run go on."""
    offered = step.effect.choices if isinstance(step.effect, Gate) else ()
    return next(iter((*offered, *step.outcomes)), "")


def spans(states: Iterable[Run], *, lengths: bool) -> dict[str, tuple[int, int]]:
    """The least and the largest value of every measure over the states, by name."""
    found: dict[str, tuple[int, int]] = {}
    for run in states:
        for name, value in measures(run, lengths=lengths):
            low, high = found.get(name, (value, value))
            found[name] = min(low, value), max(high, value)
    return dict(sorted(found.items()))


_POINTER = frozenset({"step", "status", "stop"})
"""Members whose values come from a closed list, so that their length means nothing."""


def measures(run: Run, *, lengths: bool) -> Iterator[tuple[str, int]]:
    """Every whole number in the run's explored members; with `lengths` also the lengths of its
    collections.
    """
    # the class is hashable, its objects are not
    for name in _measurable(type(run), lengths):  # type: ignore[arg-type]
        yield from _measured(name, getattr(run, name), lengths)


@cache
def _measurable(kind: type[Run], lengths: bool) -> tuple[str, ...]:
    """Texts have a length but no number: skipping them saves time, since most members are texts
    and every state is measured.
    """
    texts = (
        {each.name for each in fields(kind) if each.type in {"str", "bool", str, bool}}
        if not lengths
        else frozenset()
    )
    # the same
    return tuple(name for name in member_names(kind) if name not in _POINTER and name not in texts)  # type: ignore[arg-type]


def _measured(name: str, value: Any, lengths: bool) -> Iterator[tuple[str, int]]:
    if isinstance(value, int) and not isinstance(value, bool):
        yield name, value
        return
    if isinstance(value, Mapping):
        for inner in sorted(value, key=str):
            yield from _measured(f"{name}[{inner}]", value[inner], lengths)
    if lengths and isinstance(value, Mapping | Sequence | set | frozenset):
        yield f"{name} (its length)", len(value)


@cache
def member_names(kind: type[Run]) -> tuple[str, ...]:
    """The members that tell states apart; the text of a reason and visit numbers do not."""
    return tuple(each.name for each in fields(kind) if each.compare and each.name != "reason")
