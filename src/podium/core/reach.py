"""Questions about a finite graph of numbered places: what is reachable, and how long a path can
get.

Nothing here knows about runs or workflows; `explore` asks with numbers and translates the answers.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence


def shortest(
    starts: Iterable[int], forward: Sequence[Sequence[tuple[int, int]]]
) -> dict[int, int | None]:
    """Every reachable place with the label of the arc that first led there; None for a start.

    `forward` holds (label, target) pairs. The search is breadth first, so following the labels back
    is a shortest way.
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


Forward = Sequence[Sequence[int]]
"""For each place, the places it leads to."""


class Ways:
    """The ways through a graph, prepared once, so that the heaviest can be asked for under many
    weightings.
    """

    def __init__(self, starts: Iterable[int], forward: Forward) -> None:
        self._forward = forward
        self._components = list(components(starts, forward))
        self._number = {
            place: number for number, places in enumerate(self._components) for place in places
        }

    def heaviest(self, starts: Mapping[int, float], weight: Callable[[int, int], float]) -> float:
        """The largest sum of weights on any way from one of the starts; infinite if a cycle adds
        weight.

        `starts`: each with its own weight. A cycle of weightless arcs adds nothing; it is treated
        as one place.
        """
        best: list[float] = []
        number = self._number
        for here, places in enumerate(self._components):
            top: float = 0
            for place in places:
                for target in self._forward[place]:
                    added, there = weight(place, target), number[target]
                    if there != here:
                        top = max(top, added + best[there])
                    elif added > 0:
                        return math.inf
            best.append(top)
        return max((own + best[number[start]] for start, own in starts.items()), default=0)


def loops(starts: Iterable[int], forward: Forward) -> Iterator[list[int]]:
    """Sets of places that lead to each other, or one that leads to itself: wherever a walk can
    go round.
    """
    for places in components(starts, forward):
        if len(places) > 1 or places[0] in forward[places[0]]:
            yield places


def components(starts: Iterable[int], forward: Forward) -> Iterator[list[int]]:
    """Strongly connected components (Tarjan), each after everything it leads to.

    Not recursive, because a path through a workflow may be longer than Python's stack.
    """
    entered: dict[int, int] = {}
    low: dict[int, int] = {}
    pending: list[int] = []  # entered, its component not closed yet
    closed: set[int] = set()
    work: list[tuple[int, Iterator[int]]] = []

    def enter(place: int) -> None:
        entered[place] = low[place] = len(entered)
        pending.append(place)
        work.append((place, iter(forward[place])))

    for start in starts:
        if start not in entered:
            enter(start)
        while work:
            place, targets = work[-1]
            for target in targets:
                if target not in entered:
                    enter(target)
                    break
                if target not in closed:
                    low[place] = min(low[place], entered[target])
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
