from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.workflows.governed.payloads.good import good_plan
from podium.workflows.governed.plan.plan import Plan
from podium.workflows.governed.plan.reading import read_object
from podium.workflows.governed.plan.wave_schedule import (
    Throttle,
    batches,
    first_limit,
    next_wave,
    throttled,
)
from podium.workflows.governed.policy.policy import DEFAULT, read_policy


def plan_of(**members: Any) -> Plan:
    plan = read_object(good_plan(**members)).plan
    assert plan is not None
    return plan


def writes(*paths: str) -> dict[str, Any]:
    return {"files": [{"path": path, "action": "modify", "reason": "because"} for path in paths]}


@pytest.mark.parametrize(
    ("limit", "failed", "after"),
    [
        (10, [], 10),
        (10, [1], 10),
        (10, [1, 1, 1], 10),
        (10, [1, 2], 5),
        (5, [1, 2, 3], 3),
        (3, [1, 2], 2),
        (1, [1, 2], 1),
    ],
)
def test_two_phases_of_a_wave_that_fail_in_passing_halve_the_next_waves(
    limit: int, failed: list[int], after: int
) -> None:
    assert throttled(limit, failed, DEFAULT).limit == after


def test_a_throttle_says_why_and_no_change_says_nothing() -> None:
    assert throttled(10, [1], DEFAULT) == Throttle(10)
    assert (
        throttled(10, [1, 2], DEFAULT).because
        == "2 phases of one wave failed in passing; 2 are enough to slow down"
    )


@given(st.integers(1, 10), st.sets(st.integers(1, 10)), st.integers(0, 4), st.floats(0, 1))
@settings(max_examples=60, deadline=None)
def test_a_throttle_never_stops_and_never_speeds_up(
    limit: int, failed: set[int], threshold: int, factor: float
) -> None:
    overlay = {
        "retry_budgets.per_wave_transient_reduction_threshold": threshold,
        "retry_budgets.per_wave_parallelism_reduction_factor": factor,
    }
    after = throttled(limit, failed, read_policy(None, overlay)).limit
    assert 1 <= after <= limit
    if not failed:
        assert after == limit


@pytest.mark.parametrize(
    ("members", "limit"),
    [
        ({}, 10),
        ({"max_parallel_agents": 3}, 3),
        ({"resource_profile": "small_local"}, 2),
        ({"resource_profile": "small_local", "max_parallel_agents": 1}, 1),
    ],
)
def test_the_plan_and_its_profile_bound_how_many_work_at_once(
    members: dict[str, Any], limit: int
) -> None:
    assert first_limit(plan_of(**members), DEFAULT) == limit


def test_phases_that_change_one_file_run_one_after_the_other() -> None:
    plan = plan_of(phases=[writes("a.py"), writes("b.py"), writes("a.py")])
    assert [[each.phase_id for each in batch] for batch in batches(plan.phases, 10)] == [
        [1, 2],
        [3],
    ]


def test_no_batch_is_larger_than_the_limit() -> None:
    plan = plan_of(phases=[{}] * 5)
    assert [len(batch) for batch in batches(plan.phases, 2)] == [2, 2, 1]


def test_the_next_wave_waits_for_the_one_before_it() -> None:
    plan = plan_of(phases=[{"wave": 2}, {"wave": 1}, {"wave": 1}])
    assert next_wave(plan, {1, 2}) == 1
    assert next_wave(plan, {2, 3}) == 2
    assert next_wave(plan, {1, 2, 3}) is None
