"""What is asked of a simulated fleet: its size, its day, its limits, and what its parts cost. Values only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from podium.core.dataclass import dataclass

DAY_S = 86_400.0
OFFICE = (1, 1, 1, 1, 1, 1, 2, 4, 8, 10, 10, 9, 8, 9, 10, 10, 9, 7, 5, 4, 3, 2, 2, 1)
"""How many runs begin in each hour of the day, as weights: people who submit work by day, and schedules by night."""
FLAT = (1,) * 24


@dataclass(frozen=True)
class Costs:
    """What the parts take and stand.

    Counts for a step and what the database and the remote stand were measured by `python -m bench.fleet_parts`, which
    tells the latter for each second of a processor; here they have two processors each. `turn_s`, `write_s`, `push_s` and
    `restart_s` are estimates.
    """

    turn_s: float = 1.0
    """A worker takes a run: start of the driver, fetch, checkout."""
    writes_per_step: float = 2.3
    """Groups of events that a step appends to the journal."""
    pushes_per_step: float = 3.3
    """Parcels and moves of the run's branch; an append whose files did not change pushes nothing."""
    write_s: float = 0.005
    """What the run itself waits for one append, on an idle database."""
    push_s: float = 0.15
    """What it waits for one push, packing included, to an idle remote."""
    writes_per_s: float = 3000.0
    """Appends and heartbeats that the database stands, from all owners together."""
    pushes_per_s: float = 100.0
    """Pushes that the remote stands, from all workers together."""
    sweep_ms: float = 0.7
    """What one sweep takes the database for each thousand runs that have not ended."""
    beat_s: float = 30.0
    """`[fleet] beat_s`: an owner writes twice in it, and a worker sweeps twice."""
    restart_s: float = 60.0
    """How long a place is gone whose worker died."""


@dataclass(frozen=True)
class Plan:
    """One fleet and one day of it."""

    workers: int = 1000
    concurrency: int = 8
    """Runs at once on one worker: agents mostly wait for their models."""
    runs: int = 100_000
    """Runs that begin in a day."""
    days: int = 2
    """Of which the last is told: the first fills the fleet with runs that wait for people."""
    users: int = 500
    mix: Mapping[str, float] = field(default_factory=lambda: {"claude": 1.0})
    """Agents that runs use, with their weights; a run uses one."""
    limits: Mapping[str, int] = field(default_factory=dict)
    """As in `[fleet.limits]`: `agents.NAME`, `agents.default`, `users.default`: runs under way at once."""
    lives_h: float = 720.0
    """Hours after which a worker dies, in the mean; 0 = never."""
    hours: Sequence[float] = OFFICE
    costs: Costs = Costs()

    @property
    def places(self) -> int:
        return self.workers * self.concurrency

    @property
    def peak(self) -> float:
        """How much more than in the mean begins in the busiest hour."""
        return max(self.hours) * len(self.hours) / sum(self.hours)

    def limit_of(self, agent: str) -> int | None:
        return self.limits.get(f"agents.{agent}", self.limits.get("agents.default"))

    @property
    def limit_of_users(self) -> int | None:
        return self.limits.get("users.default")


@dataclass(frozen=True)
class Turn:
    """What a worker does with a run without a break, and how long the run rests after it."""

    seconds: float
    steps: int
    rest_s: float = 0.0


Shape = tuple[Turn, ...]
"""One run as a fleet sees it."""


def shape(rests: Sequence[tuple[float, int, float]]) -> Shape:
    """From what a simulated run remembers of its waits (`Tally.rests`)."""
    found: list[Turn] = []
    seconds, steps = 0.0, 0
    for driven, counted, waited in rests:
        found.append(Turn(max(0.0, driven - seconds), counted - steps, waited))
        seconds, steps = driven, counted
    return tuple(found)
