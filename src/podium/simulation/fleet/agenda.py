"""What is still to happen, ordered by time, and by creation where times are equal.

Kept by the minute: one heap of everything would be as large as the fleet, and every access slower.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator

MINUTE_S = 60.0

Event = tuple[float, int, int, int]
"""(when, number, what, run)."""


class Agenda:
    """`end`: events after it are forgotten."""

    def __init__(self, end: float) -> None:
        self._end = end
        self._number = 0
        self._minute = -1
        self._soon: list[Event] = []
        """A heap of what is left of this minute."""
        self._later: dict[int, list[Event]] = {}

    def put(self, when: float, what: int, run: int) -> None:
        if when > self._end:
            return
        self._number += 1
        minute = int(when / MINUTE_S)
        if minute > self._minute:
            self._later.setdefault(minute, []).append((when, self._number, what, run))
        else:
            heapq.heappush(self._soon, (when, self._number, what, run))

    def __iter__(self) -> Iterator[tuple[float, int, int]]:
        """(when, what, run) of everything that happens, including what is added meanwhile."""
        for minute in range(int(self._end / MINUTE_S) + 1):
            soon = self._later.pop(minute, [])
            heapq.heapify(soon)
            self._minute, self._soon = minute, soon
            while soon:
                when, _, what, run = heapq.heappop(soon)
                yield when, what, run
