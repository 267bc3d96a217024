"""Whether every path to work that needs approval passes that approval.

A step that needs one says so: `approved_by` of its effect names the gate for a run, or none. If the
files that the gate approves are written again, the approval must be given again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from podium.checking.asking import Dealings
from podium.core.effects import Cluster, Gate, Stage
from podium.core.proofs import Exploration, Path, Transition, Violation, first_choice
from podium.core.reach import shortest
from podium.core.run import Run


@dataclass(frozen=True)
class Approval:
    """What is known about one step that needs an approval or writes code."""

    step: str
    code: bool
    gates: tuple[str, ...]
    """The gates it declares, for some runs or for all."""
    person: bool
    """Whether every path to it passes an approval by a person, declared for it or not."""
    bypassed: tuple[str, ...] = ()
    """Those of its gates that some path avoids."""


def approvals(
    found: Exploration, dealt: Sequence[Dealings]
) -> tuple[list[Approval], list[Violation]]:
    told: list[Approval] = []
    broken: list[Violation] = []
    for name, each in found.workflow.steps.items():
        wanted = each.effect.approved_by if isinstance(each.effect, Stage | Cluster) else None
        here = found.at(name)
        code = any(dealt[n].code for n in here)
        asked = {n: wanted(found.states[n]) for n in here} if wanted is not None else {}
        gates = tuple(sorted({gate for gate in asked.values() if gate}))
        around = []
        for gate in gates:
            goals = {n for n, wants in asked.items() if wants == gate}
            ways = list(_around(found, dealt, name, gate, goals))
            around += [gate] if ways else []
            broken += ways
        if code or gates:
            person = _way(found, found.starts, set(here), _approves(found)) is None
            told.append(Approval(name, code, gates, person, tuple(around)))
    return told, broken


def _approves(found: Exploration) -> Callable[[Transition], bool]:
    steps = found.workflow.steps
    first = {
        name: first_choice(each)
        for name, each in steps.items()
        if isinstance(each.effect, Gate) and each.effect.kind in {"approval", "high_risk"}
    }
    return lambda each: first.get(found.states[each.source].step) == each.outcome


def _around(
    found: Exploration, dealt: Sequence[Dealings], step: str, gate: str, goals: set[int]
) -> Iterator[Violation]:
    at = found.workflow.steps.get(gate)
    if at is None or not isinstance(at.effect, Gate):
        yield Violation(
            "missing gate",
            f"{step} must be approved by {gate!r}, which is not a gate of this workflow",
        )
        return
    yes = first_choice(at)

    def crosses(each: Transition) -> bool:
        return found.states[each.source].step == gate and each.outcome == yes

    way = _way(found, found.starts, goals, crosses)
    if way is not None:
        yield Violation("approval bypassed", f"{step} can begin without {gate} {yes}", way, step)
        return
    subject = at.effect.subject
    again = [
        n for n, each in enumerate(dealt) if each.writes and _renews(each, subject, found.states[n])
    ]
    way = _way(found, again, goals, crosses)
    if way is not None:
        text = f"{step} can begin on files that were written again after {gate} {yes}"
        yield Violation("approval bypassed", text, way, step)


def _renews(dealt: Dealings, subject: Callable[[Run], Sequence[str]], run: Run) -> bool:
    return not {each.path for each in dealt.writes}.isdisjoint(subject(run))


def _way(
    found: Exploration, starts: Sequence[int], goals: set[int], closed: Callable[[Transition], bool]
) -> Path | None:
    """The shortest path from a start to a goal without a closed transition; None if there is
    none.
    """
    open_ways: list[list[tuple[int, int]]] = [[] for _ in found.states]
    for number, each in enumerate(found.transitions):
        if not closed(each):
            open_ways[each.source].append((number, each.target))
    origins = shortest(starts, open_ways)
    goal = next(
        (n for n in origins if n in goals and (origins[n] is not None or n in found.starts)), None
    )
    if goal is None:
        return None
    told: list[tuple[str, str]] = []
    while (arc := origins[goal]) is not None:
        each = found.transitions[arc]
        told.append((found.states[each.source].step, each.outcome))
        goal = each.source
    return (*found.path(goal), *reversed(told))
