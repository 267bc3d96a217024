"""The onlooker's rules asked of every explored state: not what some runs did, but what any run can do."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from podium.core.proofs import Exploration, Path, Violation, moves
from podium.simulation.watching import Rule

NAMES = {"stage": "skipped stage", "gate": "bypassed gate"}

Place = tuple[int, bool]
"""A state, and whether what the rule needs has happened on the way there."""


def survey(found: Exploration, rules: Sequence[Rule]) -> list[Violation]:
    """Each broken rule once, with the shortest story that breaks it."""
    leaving: list[list[tuple[str, int]]] = [[] for _ in found.states]
    for each in found.transitions:
        if moves(found.states[each.target]):
            leaving[each.source].append((each.outcome, each.target))
    broken = []
    for rule in rules:
        way = _around(found, rule, leaving)
        if way is not None:
            broken.append(Violation(NAMES[rule.kind], rule.said, way, rule.target))
    return broken


def _around(found: Exploration, rule: Rule, leaving: Sequence[Sequence[tuple[str, int]]]) -> Path | None:
    """The shortest way into the rule's target without what it needs."""
    origins: dict[Place, tuple[Place, str] | None] = {}
    queue: deque[Place] = deque()
    for start in found.starts:
        run = found.states[start]
        if not rule.when(run):
            continue
        if run.step == rule.target and rule.at_once:
            return ()
        place = start, not rule.at_once and run.step not in rule.since
        origins.setdefault(place, None)
        queue.append(place)
    while queue:
        place = queue.popleft()
        number, met = place
        step = found.states[number].step
        for outcome, target in leaving[number]:
            end, entered = (step, outcome), found.states[target].step
            now = end in rule.needs or (met and end not in rule.since)
            if entered == rule.target and not now:
                return (*_told(found, place, origins), end)
            following = target, now and entered not in rule.since
            if following not in origins:
                origins[following] = place, outcome
                queue.append(following)
    return None


def _told(found: Exploration, place: Place, origins: dict[Place, tuple[Place, str] | None]) -> Path:
    told: list[tuple[str, str]] = []
    while (origin := origins[place]) is not None:
        place, outcome = origin
        told.append((found.states[place[0]].step, outcome))
    return tuple(reversed(told))
