"""What is still to happen, in the order of its time, and of its making where the time is the same.

Kept by the minute: one heap of all that is to come would be as large as the fleet, and every look into it as slow.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator

MINUTE_S = 60.0

Event = tuple[float, int, int, int]
"""(when, number, what, run)."""


class Agenda:
    """`end`: what would happen after it is forgotten."""

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
        """(when, what, run) of all that happens, also of what is put there meanwhile."""
        for minute in range(int(self._end / MINUTE_S) + 1):
            soon = self._later.pop(minute, [])
            heapq.heapify(soon)
            self._minute, self._soon = minute, soon
            while soon:
                when, _, what, run = heapq.heappop(soon)
                yield when, what, run
