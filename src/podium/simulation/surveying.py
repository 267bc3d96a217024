"""The onlooker's rules asked of every explored state: not what some runs did, but what any run
can do.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from podium.core.proofs import Exploration, Path, Violation, moves
from podium.simulation.watching import Rule

NAMES = {"stage": "skipped stage", "gate": "bypassed gate"}

Place = tuple[int, bool]
"""A state, and whether what the rule needs has happened on the path to it."""
Leaving = list[list[tuple[tuple[str, str], int, str]]]
"""For each state the ways on: the step with its outcome, the state it leads to, and that state's
step.
"""


def survey(found: Exploration, rules: Sequence[Rule]) -> list[Violation]:
    """Each broken rule once, with the shortest story that breaks it."""
    leaving: Leaving = [[] for _ in found.states]
    for each in found.transitions:
        if moves(entered := found.states[each.target]):
            leaving[each.source].append(
                ((found.states[each.source].step, each.outcome), each.target, entered.step)
            )
    broken = []
    for rule in rules:
        way = _around(found, rule, leaving)
        if way is not None:
            broken.append(Violation(NAMES[rule.kind], rule.said, way, rule.target))
    return broken


def _around(found: Exploration, rule: Rule, leaving: Leaving) -> Path | None:
    """The shortest path into the rule's target without what it needs."""
    origins: dict[Place, tuple[Place, str] | None] = {}
    goal, needs, since = rule.target, rule.needs, rule.since
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
        for end, target, entered in leaving[number]:
            now = end in needs or (met and end not in since)
            if entered == goal and not now:
                return (*_told(found, place, origins), end)
            # Whatever can be reached with the need met can be reached without it, and that was
            # visited no later.
            if (target, False) in origins:
                continue
            following = target, now and entered not in since
            if following not in origins:
                origins[following] = place, end[1]
                queue.append(following)
    return None


def _told(found: Exploration, place: Place, origins: dict[Place, tuple[Place, str] | None]) -> Path:
    told: list[tuple[str, str]] = []
    while (origin := origins[place]) is not None:
        place, outcome = origin
        told.append((found.states[place[0]].step, outcome))
    return tuple(reversed(told))
