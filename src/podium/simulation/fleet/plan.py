"""The parameters of a simulated fleet: its size, its day, its limits, and what its parts cost.
Values only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

DAY_S = 86_400.0
OFFICE = (1, 1, 1, 1, 1, 1, 2, 4, 8, 10, 10, 9, 8, 9, 10, 10, 9, 7, 5, 4, 3, 2, 2, 1)
"""Weights for the runs that begin in each hour: people submit work by day, schedules by night."""
FLAT = (1,) * 24


@dataclass(frozen=True)
class Costs:
    """What the parts take and can handle.

    The counts per step, and what the database and the remote can handle, were measured with `python
    -m bench.fleet_parts`, which reports the latter per second of a processor; here each has two
    processors. `turn_s`,
    `write_s`, `push_s` and `restart_s` are estimates.
    """

    turn_s: float = 1.0
    """A worker takes a run: driver start, fetch, checkout."""
    writes_per_step: float = 2.3
    """Groups of events that a step appends to the journal."""
    pushes_per_step: float = 3.3
    """Parcels and moves of the run's branch; an append without changed files pushes nothing."""
    write_s: float = 0.005
    """How long the run itself waits for one append, on an idle database."""
    push_s: float = 0.15
    """How long it waits for one push to an idle remote, including packing."""
    writes_per_s: float = 3000.0
    """Appends and heartbeats that the database can handle, from all owners together."""
    pushes_per_s: float = 100.0
    """Pushes that the remote can handle, from all workers together."""
    sweep_ms: float = 0.7
    """Database time of one sweep, for each thousand runs that have not ended."""
    beat_s: float = 30.0
    """`[fleet] beat_s`: in this time an owner writes twice and a worker sweeps twice."""
    restart_s: float = 60.0
    """How long the place of a dead worker is gone."""


@dataclass(frozen=True)
class Plan:
    """One fleet and one day of it."""

    workers: int = 1000
    concurrency: int = 8
    """Runs at once on one worker; agents mostly wait for their models."""
    runs: int = 100_000
    """Runs that begin in a day."""
    days: int = 2
    """The last day is reported; the first fills the fleet with runs that wait for people."""
    users: int = 500
    mix: Mapping[str, float] = field(default_factory=lambda: {"claude": 1.0})
    """Agents that runs use, with weights; a run uses one."""
    limits: Mapping[str, int] = field(default_factory=dict)
    """As in `[fleet.limits]`: `agents.NAME`, `agents.default`, `users.default`: runs under way
    at once.
    """
    lives_h: float = 720.0
    """Mean life of a worker in hours; 0 means forever."""
    hours: Sequence[float] = OFFICE
    costs: Costs = Costs()

    @property
    def places(self) -> int:
        return self.workers * self.concurrency

    @property
    def peak(self) -> float:
        """How many times the average rate begins in the busiest hour."""
        return max(self.hours) * len(self.hours) / sum(self.hours)

    def limit_of(self, agent: str) -> int | None:
        return self.limits.get(f"agents.{agent}", self.limits.get("agents.default"))

    @property
    def limit_of_users(self) -> int | None:
        return self.limits.get("users.default")


@dataclass(frozen=True)
class Turn:
    """What a worker does with a run without a break, and how long the run rests afterwards."""

    seconds: float
    steps: int
    rest_s: float = 0.0


Shape = tuple[Turn, ...]
"""One run as a fleet sees it."""


def shape(rests: Sequence[tuple[float, int, float]]) -> Shape:
    """From the waits that a simulated run recorded (`Tally.rests`)."""
    found: list[Turn] = []
    seconds, steps = 0.0, 0
    for driven, counted, waited in rests:
        found.append(Turn(max(0.0, driven - seconds), counted - steps, waited))
        seconds, steps = driven, counted
    return tuple(found)
