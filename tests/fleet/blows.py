"""What chaos does to a fleet, drawn from a seed before anything starts: the same seed is the
same list. Pure.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

WORKERS = ("w1", "w2", "w3")
BEAT_S = 2.0
KINDS = {
    "kill": ("worker", 3),
    "kill driver": ("worker", 3),
    "hang": ("worker", 3),
    "sleep": ("worker", 2),
    "drain": ("worker", 1),
    "crash": ("database", 2),
    "stop": ("database", 2),
    "kill remote": ("remote", 2),
    "stop remote": ("remote", 2),
    "kill engine": ("engine", 2),
    "stop engine": ("engine", 1),
    "forget": ("engine", 2),
}
"""What each is done to, and how often in comparison."""
_LONGEST = {"hang": 3.5, "sleep": 3.5, "crash": 2.5, "stop": 2.5}
"""Beats. Some are longer than a lease, some shorter."""


@dataclass(frozen=True)
class Blow:
    at_s: float
    kind: str
    whom: str
    for_s: float

    def __str__(self) -> str:
        return f"{self.at_s:.1f} s: {self.kind} {self.whom} for {self.for_s:.1f} s"


def drawn(seed: int, count: int, engine: str, within_s: float) -> list[Blow]:
    """Blows in order of time; whoever is down already is not struck again."""
    chance = random.Random(f"{seed} {engine}")
    kinds = [
        kind for kind, (target, _) in KINDS.items() if target != "engine" or _has(engine, kind)
    ]
    weights = [KINDS[kind][1] for kind in kinds]
    down: dict[str, float] = {}
    found: list[Blow] = []
    for at_s in sorted(chance.uniform(1.0, within_s) for _ in range(count)):
        (kind,) = chance.choices(kinds, weights)
        target = KINDS[kind][0]
        whom = chance.choice(WORKERS) if target == "worker" else target
        for_s = chance.uniform(0.1, _LONGEST.get(kind, 2.0) * BEAT_S)
        if down.get(whom, 0.0) < at_s:
            found.append(Blow(at_s, kind, whom, for_s))
            down[whom] = at_s + for_s + 0.5
    return found


def _has(engine: str, kind: str) -> bool:
    """Only Temporal is a server of its own; procrastinate's is the database, and can only
    forget.
    """
    return engine == "temporal" or (engine == "procrastinate" and kind == "forget")
