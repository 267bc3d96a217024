"""A day of a fleet in virtual time: runs arrive, wait for a place, have their turns, rest at gates,
and continue.

Events are ordered by time, and by creation where times are equal. Chance comes from outside. A
worker's places die one by one here, not together; takeover is as in the journal: the lease must
expire, and a sweep must come by. What a step writes and pushes is charged to the shared parts at
the end of its turn.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from podium.simulation.fleet.agenda import Agenda
from podium.simulation.fleet.line import Line
from podium.simulation.fleet.parts import Part
from podium.simulation.fleet.plan import DAY_S, Plan, Shape
from podium.simulation.model import Chance

COME, WORKED, OVER, DIED, BACK, GO_ON, LOOK = range(7)
BUCKETS = 48
"""Looks per day."""
LEASE = 1.5
"""Beats of silence after which a run may be taken over."""
LEAST_SHARE = 0.02
"""The share of the database that sweeps always leave."""


@dataclass
class Look:
    """Means over one part of the day."""

    line: float = 0.0
    busy: float = 0.0
    resting: float = 0.0
    database: float = 0.0
    remote: float = 0.0
    agents: list[float] = field(default_factory=list)


@dataclass
class Told:
    """What was seen on the last day."""

    waits: list[float] = field(default_factory=list)
    """For every turn: the wait for a place."""
    database_waits: list[float] = field(default_factory=list)
    remote_waits: list[float] = field(default_factory=list)
    lasted: list[float] = field(default_factory=list)
    """For every run that ended: the time from its beginning to its end."""
    looks: list[Look] = field(default_factory=list)
    began: int = 0
    turns: int = 0
    deaths: int = 0
    lost_s: float = 0.0
    """Work that was repeated, because its worker died before it was finished."""
    most_of_one: int = 0
    """The most runs of one person that were under way at once, if there is a limit for people."""


class Day:
    def __init__(self, plan: Plan, shapes: Sequence[Shape], chance: Chance) -> None:
        self.plan, self.shapes, self.chance = plan, shapes, chance
        self.told = Told()
        self.now = 0.0
        self.free = self._places = plan.places
        self.resting = self.open = 0
        self.first = (plan.days - 1) * DAY_S
        self._counts = False
        """Whether the reported day has begun."""
        self._agenda = Agenda(plan.days * DAY_S)
        self._at = self._agenda.put
        self._names = sorted(plan.mix)
        self.database, self.remote = Part(plan.costs.writes_per_s), Part(plan.costs.pushes_per_s)
        self._sweeps = plan.workers * 2 / plan.costs.beat_s * plan.costs.sweep_ms / 1000 / 1000
        """Share of the database that sweeps take, for each run that has not ended."""
        each = (
            plan.costs.writes_per_step * plan.costs.write_s
            + plan.costs.pushes_per_step * plan.costs.push_s
        )
        self._works = [[turn.seconds + turn.steps * each for turn in turns] for turns in shapes]
        """How long each turn of each shape takes if nobody is ahead of it."""
        self._people()
        self._areas = [0.0, 0.0, 0.0, *([0.0] * len(self._names))]

    def _people(self) -> None:
        plan, count = self.plan, self.plan.runs * self.plan.days
        totals = list(accumulate(plan.mix[name] for name in self._names))
        self.shape = [int(self.chance() * len(self.shapes)) for _ in range(count)]
        self.turn = [0] * count
        self.share = [1.0] * count
        """How much of the turn is left; less than 1 if a worker died in it."""
        self.began = self._arrivals(count)
        agents = (
            [bisect_right(totals, self.chance() * totals[-1]) for _ in range(count)]
            if len(totals) > 1
            else [0] * count
        )
        users = [int(self.chance() * plan.users) for _ in range(count)]
        self.line = Line(
            [plan.limit_of(name) for name in self._names], plan.limit_of_users, agents, users
        )

    def _arrivals(self, count: int) -> list[float]:
        hours = list(accumulate(self.plan.hours))
        long = DAY_S / len(hours)
        found = []
        for number in range(count):
            at = self.chance() * hours[-1]
            hour = bisect_right(hours, at)
            before = hours[hour - 1] if hour else 0.0
            within = (at - before) / self.plan.hours[hour]
            found.append((number // self.plan.runs) * DAY_S + (hour + within) * long)
        return sorted(found)

    # -- the clock

    def lived(self) -> Told:
        for run, when in enumerate(self.began):
            self._at(when, COME, run)
        for number in range(BUCKETS + 1):
            self._at(self.first + number * DAY_S / BUCKETS, LOOK, number)
        acts = (
            self._come,
            self._worked,
            self._over,
            self._died,
            self._back,
            self._go_on,
            self._look,
        )
        for when, what, run in self._agenda:
            if when > self.first:
                self._passed(when - max(self.now, self.first))
            self.now = when
            self._counts = when >= self.first
            acts[what](run)
        return self.told

    def _passed(self, seconds: float) -> None:
        areas = self._areas
        areas[0] += self.line.length * seconds
        areas[1] += (self._places - self.free) * seconds
        areas[2] += self.resting * seconds
        for place, count in enumerate(self.line.under_way, 3):
            areas[place] += count * seconds

    def _look(self, number: int) -> None:
        long = DAY_S / BUCKETS
        line, busy, resting, *agents = (area / long for area in self._areas)
        self._areas = [0.0] * len(self._areas)
        swept = min(1.0, self._sweeps * self.open)
        found = Look(
            line,
            busy,
            resting,
            min(1.0, self.database.looked() / long + swept),
            self.remote.looked() / long,
            agents,
        )
        if number:  # the first look only discards the day before
            self.told.looks.append(found)

    # -- what happens

    def _come(self, run: int) -> None:
        self.open += 1
        self.told.began += self._counts
        self._ready(run)

    def _ready(self, run: int) -> None:
        self.line.join(self.now, run)
        self._serve()

    def _serve(self) -> None:
        while self.free and self.line.length and (found := self.line.take()):
            self.free -= 1
            self._begin(*found)

    def _begin(self, since: float, run: int) -> None:
        plan, told, line = self.plan, self.told, self.line
        if self._counts:
            told.turns += 1
            told.waits.append(self.now - since)
            if line.each is not None:
                told.most_of_one = max(told.most_of_one, line.of_user[line.users[run]])
        seconds = self._long(run)
        if plan.lives_h:
            died = -math.log(max(self.chance(), 1e-12)) * plan.lives_h * 3600
            if died < seconds:
                self._dies(run, seconds, died)
                return
        self._at(self.now + seconds, WORKED, run)

    def _long(self, run: int) -> float:
        return (
            self.plan.costs.turn_s + self._works[self.shape[run]][self.turn[run]] * self.share[run]
        )

    def _dies(self, run: int, seconds: float, died: float) -> None:
        """Finished steps are kept; the current one is repeated."""
        costs, turn = self.plan.costs, self.shapes[self.shape[run]][self.turn[run]]
        steps = max(1, round(turn.steps * self.share[run]))
        kept = (
            int(steps * max(0.0, died - costs.turn_s) / max(seconds - costs.turn_s, 1e-9)) / steps
        )
        if self._counts:
            self.told.deaths += 1
            self.told.lost_s += max(0.0, died - kept * seconds)
        self.share[run] *= 1 - kept
        self._at(self.now + died, DIED, run)

    def _died(self, run: int) -> None:
        costs = self.plan.costs
        self.line.leave(run)
        self.resting += 1
        # The last beat was up to half a beat ago, and the sweep that finds the run comes within
        # half a beat.
        taken = costs.beat_s * (LEASE - 0.5 * self.chance() + 0.5 * self.chance())
        self._at(self.now + costs.restart_s, BACK, run)
        self._at(self.now + taken, GO_ON, run)
        self._serve()

    def _back(self, _: int) -> None:
        self.free += 1
        self._serve()

    def _go_on(self, run: int) -> None:
        self.resting -= 1
        self._ready(run)

    def _worked(self, run: int) -> None:
        """What the turn writes and pushes competes with other turns."""
        costs, turn = self.plan.costs, self.shapes[self.shape[run]][self.turn[run]]
        steps = turn.steps * self.share[run]
        beats = self._long(run) * 2 / costs.beat_s
        left = max(LEAST_SHARE, 1 - self._sweeps * self.open)
        database = self.database.ask(self.now, steps * costs.writes_per_step + beats, left)
        remote = self.remote.ask(self.now, steps * costs.pushes_per_step)
        if self._counts:
            self.told.database_waits.append(database)
            self.told.remote_waits.append(remote)
        if database + remote:
            self._at(self.now + database + remote, OVER, run)
        else:
            self._over(run)

    def _over(self, run: int) -> None:
        turns = self.shapes[self.shape[run]]
        rest = turns[self.turn[run]].rest_s
        self.line.leave(run)
        self.free += 1
        self.turn[run] += 1
        self.share[run] = 1.0
        if self.turn[run] < len(turns):
            self.resting += 1
            self._at(self.now + rest, GO_ON, run)
        else:
            self.open -= 1
            if self._counts:
                self.told.lasted.append(self.now - self.began[run])
        self._serve()
