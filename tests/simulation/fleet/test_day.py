"""A simulated day against closed forms: Little's law, Erlang's formula; its limits, its deaths,
its chance.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from podium.simulation.fleet.day import Day, Told
from podium.simulation.fleet.plan import DAY_S, FLAT, Costs, Plan, Shape, Turn, shape

FREE = Costs(
    turn_s=0,
    writes_per_step=0,
    pushes_per_step=0,
    write_s=0,
    push_s=0,
    sweep_ms=0,
    beat_s=1e9,
    writes_per_s=1e12,
    pushes_per_s=1e12,
)
SMALL = Plan(
    workers=10, concurrency=1, runs=20_000, days=2, users=50, lives_h=0, hours=FLAT, costs=FREE
)


def lived(plan: Plan, shapes: Sequence[Shape], seed: int = 1) -> Told:
    return Day(plan, shapes, random.Random(seed).random).lived()


def exponential(mean: float, count: int = 4000) -> list[Shape]:
    """Turns whose lengths are spread like those of a memoryless server, by equal shares."""
    return [(Turn(-mean * math.log(1 - (number + 0.5) / count), 1),) for number in range(count)]


def erlang_wait(rate: float, mean: float, servers: int) -> float:
    """The mean wait in a line before so many servers, by Erlang's formula."""
    load = rate * mean
    term, below = 1.0, 0.0
    for number in range(servers):
        below += term
        term *= load / (number + 1)
    queued = term * servers / (servers - load)
    return queued / (below + queued) * mean / (servers - load)


@pytest.mark.parametrize(("servers", "load"), [(1, 0.7), (10, 0.8), (40, 0.9)])
def test_waits_are_those_of_erlangs_formula(servers: int, load: float) -> None:
    runs = 60_000
    mean = load * servers / (runs / DAY_S)
    told = lived(replace(SMALL, workers=servers, runs=runs), exponential(mean))
    found = sum(told.waits) / len(told.waits)
    assert found == pytest.approx(erlang_wait(runs / DAY_S, mean, servers), rel=0.2)


def test_runs_in_line_and_under_way_are_what_littles_law_says() -> None:
    told = lived(replace(SMALL, workers=8), exponential(30.0))
    rate = told.turns / DAY_S
    in_line = sum(each.line for each in told.looks) / len(told.looks)
    under_way = sum(each.busy for each in told.looks) / len(told.looks)
    assert in_line == pytest.approx(rate * sum(told.waits) / told.turns, rel=0.02)
    assert under_way == pytest.approx(rate * 30.0, rel=0.03)


def test_without_a_line_a_run_lasts_as_long_as_its_turns_and_rests() -> None:
    told = lived(replace(SMALL, workers=1000, runs=1000), [(Turn(100, 1, 50), Turn(20, 1))])
    assert max(told.waits) == 0
    assert set(map(round, told.lasted)) == {170}


def test_runs_that_wait_for_people_hold_no_place() -> None:
    told = lived(replace(SMALL, runs=2000), [(Turn(10, 1, 40_000), Turn(10, 1))])
    middle = told.looks[24]
    assert middle.resting == pytest.approx(2000 / DAY_S * 40_000, rel=0.1)
    assert middle.busy < 1


def test_the_same_chance_gives_the_same_day_and_another_does_not() -> None:
    one, same, other = (lived(SMALL, exponential(30.0), seed) for seed in (1, 1, 2))
    assert vars(one) == vars(same)
    assert one.waits != other.waits


def test_limits_of_agents_and_people_hold_and_are_reached() -> None:
    plan = replace(
        SMALL,
        workers=40,
        users=5,
        mix={"claude": 3.0, "codex": 1.0},
        limits={"agents.claude": 12, "users.default": 4},
    )
    told = lived(plan, exponential(120.0))
    assert max(each.agents[0] for each in told.looks) == pytest.approx(12)
    assert told.most_of_one == 4
    free = lived(replace(plan, limits={}), exponential(120.0))
    assert min(each.agents[0] for each in free.looks) > 12


def test_the_most_of_one_person_is_that_of_the_last_day() -> None:
    plan = replace(SMALL, users=1, runs=40, workers=100, limits={"users.default": 100})
    day = Day(plan, exponential(10.0), random.Random(1).random)
    day.began = sorted(
        [*[10.0] * 60, *(DAY_S + 1000.0 * number for number in range(20))]
    )  # a rush on the first day only
    assert day.lived().most_of_one < 5


def test_a_limit_of_nothing_lets_nothing_begin() -> None:
    told = lived(replace(SMALL, runs=500, limits={"agents.default": 0}), exponential(10.0))
    assert (told.turns, told.lasted) == (0, [])
    assert told.looks[-1].line > 900


def test_a_limit_of_one_agent_does_not_hold_up_the_other() -> None:
    plan = replace(
        SMALL, workers=400, mix={"claude": 1.0, "codex": 1.0}, limits={"agents.claude": 1}
    )
    told = lived(plan, exponential(60.0))
    assert max(each.agents[1] for each in told.looks) > 5
    assert sorted(told.waits)[len(told.waits) // 2] == 0


def test_more_than_the_places_is_never_under_way() -> None:
    told = lived(replace(SMALL, workers=5, lives_h=1.0), exponential(60.0))
    assert max(each.busy for each in told.looks) <= 5 + 1e-6


def test_a_worker_that_dies_costs_its_step_and_the_time_to_take_over() -> None:
    costs = replace(FREE, beat_s=30.0, restart_s=60.0)
    plan = replace(SMALL, workers=500, runs=5000, lives_h=1.0, costs=costs)
    told = lived(plan, [(Turn(600, 4),)])
    assert told.deaths == pytest.approx(5000 * (1 - math.exp(-600 / 3600)), rel=0.2)
    late = [each for each in told.lasted if each > 601]
    assert min(late) >= 600 + 30.0, (
        "a lease must be over first, and the last beat was up to half a beat before"
    )
    assert min(late) <= 600 + 60.0
    assert sorted(late)[len(late) // 2] <= 600 + 150 + 60, "only the step under way is done again"
    assert max(lived(replace(plan, lives_h=0), [(Turn(600, 4),)]).lasted) < 601


def test_a_remote_that_is_too_slow_makes_turns_wait_and_is_all_in_use() -> None:
    costs = replace(FREE, pushes_per_step=4, pushes_per_s=1.0)
    told = lived(replace(SMALL, workers=2000, runs=30_000, costs=costs), [(Turn(10, 1),)])
    assert min(each.remote for each in told.looks) >= 0.99
    assert told.remote_waits[-1] > 3600
    quick = lived(
        replace(SMALL, workers=2000, runs=30_000, costs=replace(costs, pushes_per_s=100.0)),
        [(Turn(10, 1),)],
    )
    assert max(quick.remote_waits) < 10


def test_sweeps_of_many_workers_leave_less_of_the_database() -> None:
    costs = replace(FREE, writes_per_step=1, writes_per_s=10.0, beat_s=30.0, sweep_ms=10.0)
    few = lived(replace(SMALL, workers=100, costs=costs), [(Turn(1, 1, 3000), Turn(1, 1))])
    many = lived(replace(SMALL, workers=2000, costs=costs), [(Turn(1, 1, 3000), Turn(1, 1))])
    assert many.looks[24].database > few.looks[24].database + 0.2


def test_the_shape_of_a_run_is_its_turns_between_its_rests() -> None:
    assert shape([(100.0, 3, 50.0), (160.0, 5, 0.0)]) == (Turn(100, 3, 50), Turn(60, 2, 0))
