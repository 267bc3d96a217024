"""Which part of a fleet becomes too small first, and what to change: from arithmetic and from
the simulation.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from podium.simulation.fleet.day import Told
from podium.simulation.fleet.plan import DAY_S, Plan, Shape

GOOD = 0.8
"""How much of a part may be in use in the busiest hour; above that, waits grow faster than the
load.
"""


@dataclass(frozen=True)
class Judged:
    """One part of the fleet."""

    part: str
    capacity: float
    unit: str
    offered: float
    """What the busiest hour asks of it, in its unit; by arithmetic, regardless of what else
    delays runs.
    """
    used: float
    """The share of it that was in use in the busiest half hour of the simulated day."""
    change: str

    @property
    def load(self) -> float:
        """The offered share; above 1 it cannot keep up."""
        return self.offered / self.capacity if self.capacity else math.inf


@dataclass(frozen=True)
class Means:
    """The average run, from its shapes and the costs."""

    turns: float
    steps: float
    place_s: float
    """How long it holds a place."""
    rest_s: float
    writes: float
    beats: float
    pushes: float


def means(plan: Plan, shapes: Sequence[Shape]) -> Means:
    costs, count = plan.costs, len(shapes)
    turns = sum(map(len, shapes)) / count
    steps = sum(turn.steps for each in shapes for turn in each) / count
    working = sum(turn.seconds for each in shapes for turn in each) / count
    rest = sum(turn.rest_s for each in shapes for turn in each) / count
    writes, pushes = steps * costs.writes_per_step, steps * costs.pushes_per_step
    place = turns * costs.turn_s + working + writes * costs.write_s + pushes * costs.push_s
    return Means(turns, steps, place, rest, writes, place * 2 / costs.beat_s, pushes)


def judged(plan: Plan, shapes: Sequence[Shape], told: Told) -> list[Judged]:
    """Every part, the fullest first."""
    one, rate = means(plan, shapes), plan.runs / DAY_S * plan.peak
    found = [
        _workers(plan, one, rate, told),
        _database(plan, one, rate, told),
        _remote(plan, one, rate, told),
        *_limits(plan, one, rate, told),
    ]
    return sorted(found, key=lambda each: (-each.load, each.part))


def bottleneck(parts: Sequence[Judged]) -> Judged | None:
    """The fullest part, if it is too full."""
    return parts[0] if parts[0].load > GOOD else None


def _most(values: Sequence[float]) -> float:
    return max(values, default=0.0)


def _workers(plan: Plan, one: Means, rate: float, told: Told) -> Judged:
    offered = rate * one.place_s
    needed = math.ceil(offered / GOOD)
    change = (
        f"{needed:,} places instead of {plan.places:,}: "
        f"{math.ceil(needed / plan.concurrency):,} workers, "
        f"or --concurrency {math.ceil(needed / plan.workers)} on each"
    )
    return Judged(
        "workers",
        plan.places,
        "places",
        offered,
        _most([each.busy for each in told.looks]) / plan.places,
        change,
    )


def _database(plan: Plan, one: Means, rate: float, told: Told) -> Judged:
    costs = plan.costs
    unended = plan.runs / DAY_S * (one.place_s + one.rest_s)
    sweeps = (
        plan.workers
        * 2
        / costs.beat_s
        * costs.sweep_ms
        / 1000
        * unended
        / 1000
        * costs.writes_per_s
    )
    appends, beats = rate * one.writes, rate * one.beats
    offered = appends + beats + sweeps
    largest = max((appends, "appends"), (beats, "heartbeats"), (sweeps, "sweeps"))
    way = (
        "give it a faster disk"
        if largest[1] == "appends"
        else f"make `beat_s` longer than {costs.beat_s:g} s (a dead worker is noticed later)"
    )
    change = (
        f"{largest[0] / offered:.0%} of it are {largest[1]}: {way}, or use a server that can take "
        f"{offered / GOOD:,.0f} writes/s"
    )
    return Judged(
        "database",
        costs.writes_per_s,
        "writes/s",
        offered,
        _most([each.database for each in told.looks]),
        change,
    )


def _remote(plan: Plan, one: Means, rate: float, told: Told) -> Judged:
    offered = rate * one.pushes
    remotes = math.ceil(offered / GOOD / plan.costs.pushes_per_s)
    change = (
        f"{remotes:,} remotes like this one, a project on each, or one that can take "
        f"{offered / GOOD:,.0f} pushes/s"
    )
    return Judged(
        "remote",
        plan.costs.pushes_per_s,
        "pushes/s",
        offered,
        min(1.0, _most([each.remote for each in told.looks])),
        change,
    )


def _limits(plan: Plan, one: Means, rate: float, told: Told) -> list[Judged]:
    found, whole = [], sum(plan.mix.values())
    for place, name in enumerate(sorted(plan.mix)):
        if (limit := plan.limit_of(name)) is None:
            continue
        offered = rate * one.place_s * plan.mix[name] / whole
        used = _most([each.agents[place] for each in told.looks]) / limit if limit else 1.0
        change = (
            f"agents.{name} = {math.ceil(offered / GOOD):,} in [fleet.limits], or give part of "
            "its runs to another agent"
        )
        found.append(Judged(f"agents.{name}", limit, "runs", offered, used, change))
    if (each := plan.limit_of_users) is not None:
        offered = rate * one.place_s / plan.users
        change = (
            f"users.default = {math.ceil(offered / GOOD):,} in [fleet.limits]: {plan.users:,} "
            "people share the work"
        )
        found.append(
            Judged(
                "users",
                each,
                "runs each",
                offered,
                told.most_of_one / each if each else 1.0,
                change,
            )
        )
    return found
