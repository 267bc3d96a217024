"""Who is next: turns that wait for a place, oldest first, as far as the limits allow."""

from __future__ import annotations

import heapq
from collections import deque
from dataclasses import dataclass, field

Waiting = tuple[float, int]
"""(since when, run)."""


@dataclass
class Line:
    """`limits`: for each agent how many runs may be under way, or None; `each`: the same for
    every person.
    """

    limits: list[int | None]
    each: int | None
    agents: list[int]
    """By the run's number."""
    users: list[int]
    waiting: list[list[Waiting]] = field(default_factory=list)
    held: dict[int, deque[Waiting]] = field(default_factory=dict)
    """Turns of people who have as many under way as they may."""
    under_way: list[int] = field(default_factory=list)
    of_user: dict[int, int] = field(default_factory=dict)
    length: int = 0

    def __post_init__(self) -> None:
        self.waiting = [[] for _ in self.limits]
        self.under_way = [0] * len(self.limits)

    def join(self, since: float, run: int) -> None:
        self.length += 1
        heapq.heappush(self.waiting[self.agents[run]], (since, run))

    def take(self) -> Waiting | None:
        """The turn that has waited longest and may begin; None if none may."""
        best = -1
        for agent, queue in enumerate(self.waiting):
            limit = self.limits[agent]
            if limit is not None and self.under_way[agent] >= limit:
                continue
            self._hold_back(queue)
            if queue and (best < 0 or queue[0] < self.waiting[best][0]):
                best = agent
        if best < 0:
            return None
        found = heapq.heappop(self.waiting[best])
        self.length -= 1
        self.under_way[best] += 1
        user = self.users[found[1]]
        self.of_user[user] = self.of_user.get(user, 0) + 1
        return found

    def _hold_back(self, queue: list[Waiting]) -> None:
        while (
            self.each is not None
            and queue
            and self.of_user.get(self.users[queue[0][1]], 0) >= self.each
        ):
            first = heapq.heappop(queue)
            self.held.setdefault(self.users[first[1]], deque()).append(first)

    def leave(self, run: int) -> None:
        """A turn is over: its places are free."""
        self.under_way[self.agents[run]] -= 1
        user = self.users[run]
        self.of_user[user] -= 1
        if self.held and self.held.get(user):
            first = self.held[user].popleft()
            heapq.heappush(self.waiting[self.agents[first[1]]], first)
