"""Whether every loop ends: each uses up a bounded counter, or passes a person.

Counters are part of a state, so a loop that uses one up never returns to the same state. A loop
that does return to it, without a person in between, can go on for ever.
"""

from __future__ import annotations

from collections.abc import Iterator

from podium.core.effects import Check, Gate
from podium.core.proofs import Exploration, Transition, Violation
from podium.core.reach import loops, shortest
from podium.core.run import Status


def endless(found: Exploration) -> Iterator[Violation]:
    """Loops without a counter and without a person, each reported once."""
    alone: list[list[tuple[int, int]]] = [[] for _ in found.states]
    for number, each in enumerate(found.transitions):
        if found.states[each.target].status is Status.ACTIVE and not by_person(found, each):
            alone[each.source].append((number, each.target))
    arcs = [[target for _, target in ways] for ways in alone]
    told: set[frozenset[str]] = set()
    for places in sorted(loops(range(len(arcs)), arcs), key=min):
        steps = frozenset(found.states[n].step for n in places)
        if steps in told:
            continue
        told.add(steps)
        first = min(places)
        round_trip = _round(found, first, alone)
        names = " to ".join(dict.fromkeys(step for step, _ in round_trip))
        text = f"{names} can go round for ever: no counter ends it and no person is asked"
        yield Violation(
            "endless loop", text, (*found.path(first), *round_trip), found.states[first].step
        )


def by_person(found: Exploration, each: Transition) -> bool:
    """Whether a person causes this transition: at a gate, or by an edit."""
    effect = found.workflow.steps[found.states[each.source].step].effect
    return isinstance(effect, Gate) or (isinstance(effect, Check) and each.outcome in effect.edited)


def _round(
    found: Exploration, start: int, alone: list[list[tuple[int, int]]]
) -> tuple[tuple[str, str], ...]:
    """The shortest path from a state back to itself."""
    origins = shortest([target for _, target in alone[start]], alone)
    entering = {target: number for number, target in reversed(alone[start])}
    told: list[tuple[str, str]] = []
    at = start
    while True:
        number = origins[at]
        last = entering[at] if number is None else number
        each = found.transitions[last]
        told.append((found.states[each.source].step, each.outcome))
        if number is None:
            return tuple(reversed(told))
        at = each.source
