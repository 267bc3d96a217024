"""How much is left, where that can be said honestly."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from statistics import median

from podium.core.effects import Cluster, FanOut, Stage
from podium.core.run import DONE
from podium.core.workflow import Step

ENOUGH = 2
"""Finished dispatches before a median says anything."""


def stages_left(steps: Mapping[str, Step], at: str) -> int | None:
    """Agent stages on the shortest way from `at` to the end, that step included.

    None where the workflow has child runs: their number is not known before.
    """
    if any(isinstance(step.effect, FanOut) for step in steps.values()):
        return None
    queue, seen = [(0, at)], set[str]()
    while queue:
        cost, name = heapq.heappop(queue)
        if name == DONE:
            return cost
        step = steps.get(name)
        if name in seen or step is None:
            continue
        seen.add(name)
        work = 1 if isinstance(step.effect, Stage | Cluster) else 0
        for target in step.exits:
            heapq.heappush(queue, (cost + work, target))
    return None


def seconds_left(took: Sequence[float], left: int | None, running: float | None) -> float | None:
    """Seconds of agents' work still to come, from the median of the dispatches so far."""
    if left is None or len(took) < ENOUGH:
        return None
    typical = median(took)
    if running is None or left == 0:
        return typical * left
    return typical * (left - 1) + max(0.0, typical - running)
