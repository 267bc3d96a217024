"""Which part of a fleet is called too small, and what is said against it."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from podium.simulation.fleet.day import Day
from podium.simulation.fleet.judging import Judged, bottleneck, judged, means
from podium.simulation.fleet.plan import DAY_S, FLAT, Costs, Plan, Turn

COSTS = Costs(
    turn_s=1,
    writes_per_step=2,
    pushes_per_step=3,
    write_s=0.01,
    push_s=0.1,
    writes_per_s=100,
    pushes_per_s=50,
    sweep_ms=0,
    beat_s=30,
)
PLAN = Plan(
    workers=50, concurrency=2, runs=8640, days=1, users=10, lives_h=0, hours=FLAT, costs=COSTS
)
SHAPES = [(Turn(100, 4, 600), Turn(50, 1))]


def parts(plan: Plan) -> dict[str, Judged]:
    told = Day(plan, SHAPES, random.Random(1).random).lived()
    return {each.part: each for each in judged(plan, SHAPES, told)}


def test_a_run_in_the_mean_is_the_sum_of_what_its_turns_cost() -> None:
    one = means(PLAN, SHAPES)
    assert (one.turns, one.steps, one.rest_s) == (2, 5, 600)
    assert one.place_s == pytest.approx(2 * 1 + 150 + 5 * (2 * 0.01 + 3 * 0.1))
    assert (one.writes, one.pushes) == (10, 15)
    assert one.beats == pytest.approx(one.place_s / 15)


def test_what_is_asked_of_each_part_is_the_rate_times_one_run() -> None:
    found, one, rate = parts(PLAN), means(PLAN, SHAPES), 8640 / DAY_S
    assert found["workers"].offered == pytest.approx(rate * one.place_s)
    assert found["database"].offered == pytest.approx(rate * (one.writes + one.beats))
    assert found["remote"].offered == pytest.approx(rate * one.pushes)
    assert found["workers"].used == pytest.approx(found["workers"].load, rel=0.35), (
        "the simulation agrees with the arithmetic"
    )


@pytest.mark.parametrize(
    ("plan", "part", "said"),
    [
        (
            replace(PLAN, workers=8),
            "workers",
            "20 places instead of 16: 10 workers, or --concurrency 3 on each",
        ),
        (
            replace(PLAN, costs=replace(COSTS, writes_per_s=2)),
            "database",
            "heartbeats: make `beat_s` longer than 30 s",
        ),
        (
            replace(PLAN, costs=replace(COSTS, writes_per_s=1, beat_s=1000)),
            "database",
            "appends: give it a faster disk",
        ),
        (
            replace(PLAN, costs=replace(COSTS, sweep_ms=4000, writes_per_s=90)),
            "database",
            "sweeps: make `beat_s` longer",
        ),
        (replace(PLAN, costs=replace(COSTS, pushes_per_s=1)), "remote", "2 remotes like this one"),
        (
            replace(PLAN, limits={"agents.claude": 10}),
            "agents.claude",
            "agents.claude = 20 in [fleet.limits]",
        ),
        (
            replace(PLAN, limits={"users.default": 1}),
            "users",
            "users.default = 2 in [fleet.limits]: 10 people share the work",
        ),
    ],
)
def test_the_fullest_part_is_the_bottleneck_and_the_way_out_is_said(
    plan: Plan, part: str, said: str
) -> None:
    found = list(parts(plan).values())
    worst = bottleneck(found)
    assert worst is not None
    assert worst.part == part
    assert said in worst.change


def test_a_fleet_that_is_large_enough_has_no_bottleneck() -> None:
    assert bottleneck(list(parts(PLAN).values())) is None


def test_the_busiest_hour_counts_not_the_mean() -> None:
    day = tuple(4 if hour == 9 else 1 for hour in range(24))
    assert parts(replace(PLAN, hours=day))["remote"].offered == pytest.approx(
        parts(PLAN)["remote"].offered * 4 * 24 / 27
    )
