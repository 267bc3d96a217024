"""Questions about a finite graph of numbered places: what is reachable, and how long a path can get.

Nothing here knows runs or workflows; `explore` asks with numbers and gives the answers names.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple


class Arc(NamedTuple):
    """One way out of a place; the weight is what taking it adds to a path."""

    target: int
    weight: float


def shortest(starts: Iterable[int], forward: Sequence[Sequence[tuple[int, int]]]) -> dict[int, int | None]:
    """Every reachable place with the label of the arc that first led there, None for a start.

    `forward` holds (label, target) pairs. Breadth first, so following the labels back is a shortest way.
    """
    found: dict[int, int | None] = dict.fromkeys(starts)
    queue = deque(found)
    while queue:
        for label, target in forward[queue.popleft()]:
            if target not in found:
                found[target] = label
                queue.append(target)
    return found


def able_to_reach(goals: Iterable[int], arcs: Iterable[tuple[int, int]]) -> set[int]:
    """Every place from which some goal can be reached, the goals included."""
    backward: dict[int, list[int]] = {}
    for source, target in arcs:
        backward.setdefault(target, []).append(source)
    found = set(goals)
    queue = list(found)
    while queue:
        for source in backward.get(queue.pop(), ()):
            if source not in found:
                found.add(source)
                queue.append(source)
    return found


def heaviest(starts: Mapping[int, float], forward: Sequence[Sequence[Arc]]) -> float:
    """The largest sum of weights on any path from a start; infinite where a cycle adds to it.

    A cycle of weightless arcs adds nothing, so it is folded into one place and does no harm.
    """
    component: dict[int, int] = {}
    best: list[float] = []
    for places in _components(starts, forward):
        number = len(best)
        component.update(dict.fromkeys(places, number))
        top: float = 0
        for arc in (arc for place in places for arc in forward[place]):
            if component[arc.target] != number:
                top = max(top, arc.weight + best[component[arc.target]])
            elif arc.weight > 0:
                return math.inf
        best.append(top)
    return max((weight + best[component[start]] for start, weight in starts.items()), default=0)


def loops(starts: Iterable[int], forward: Sequence[Sequence[Arc]]) -> Iterator[list[int]]:
    """Sets of places that lead to each other, or one that leads to itself: wherever a walk can go round."""
    for places in _components(starts, forward):
        if len(places) > 1 or any(arc.target == places[0] for arc in forward[places[0]]):
            yield places


def _components(starts: Iterable[int], forward: Sequence[Sequence[Arc]]) -> Iterator[list[int]]:
    """Strongly connected components (Tarjan), each after everything it leads to.

    Written without recursion: a path through a workflow may be longer than Python's stack.
    """
    entered: dict[int, int] = {}
    low: dict[int, int] = {}
    pending: list[int] = []  # entered, its component not closed yet
    closed: set[int] = set()
    work: list[tuple[int, Iterator[Arc]]] = []

    def enter(place: int) -> None:
        entered[place] = low[place] = len(entered)
        pending.append(place)
        work.append((place, iter(forward[place])))

    for start in starts:
        if start not in entered:
            enter(start)
        while work:
            place, arcs = work[-1]
            for arc in arcs:
                if arc.target not in entered:
                    enter(arc.target)
                    break
                if arc.target not in closed:
                    low[place] = min(low[place], entered[arc.target])
            else:
                work.pop()
                if work:
                    above = work[-1][0]
                    low[above] = min(low[above], low[place])
                if low[place] == entered[place]:
                    members = _popped(pending, place)
                    closed.update(members)
                    yield members


def _popped(pending: list[int], last: int) -> list[int]:
    members = [pending.pop()]
    while members[-1] != last:
        members.append(pending.pop())
    return members
