"""One dispatch in virtual time obeys the retry rules that real ones obey."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from podium.core.contract import Contract
from podium.core.retry import Policy
from podium.simulation.dispatching import Rules, Tally, dispatch, worker
from podium.simulation.model import AgentModel, Chance, Spread

FIXED = AgentModel(Spread(10, 10), Spread(100, 100), Spread(1, 1), {}, Spread(0, 0))


def always(share: float) -> Chance:
    return lambda: share


def failing(*kinds: str, reset: float = 0) -> AgentModel:
    return AgentModel(
        FIXED.seconds, FIXED.tokens, FIXED.cost_usd, dict.fromkeys(kinds, 1.0), Spread(reset, reset)
    )


def test_a_good_agent_is_dispatched_once() -> None:
    tally = Tally()
    assert dispatch(worker("a", Contract("a"), FIXED, None), Rules(), tally, 0, always(0.5)) == (
        10,
        "",
    )
    assert (tally.dispatches, tally.retries, tally.tokens, tally.cost_usd, tally.agents_s) == (
        1,
        0,
        100,
        1,
        10,
    )


@pytest.mark.parametrize(
    ("kind", "policy", "dispatches", "seconds"),
    [
        ("artifact", Policy(repair_attempts=2), 3, 30),
        ("violation", Policy({"violation": 1}), 2, 20),
        ("crash", Policy({"crash": 2}, backoff_s=5), 3, 30 + 5 + 10),
        ("rate_limit", Policy({"rate_limit": 2}, backoff_s=5), 3, 5 + 10),
        ("timeout", Policy({"timeout": 0}), 1, 3600),
        ("crash", Policy({"crash": 9}, total=1), 2, None),
    ],
)
def test_each_class_is_retried_as_its_policy_says(
    kind: str, policy: Policy, dispatches: int, seconds: float | None
) -> None:
    tally = Tally()
    took, why = dispatch(
        worker("a", Contract("a"), failing(kind), None), Rules(policy), tally, 0, always(0.1)
    )
    assert (why, tally.dispatches, tally.retries) == (kind, dispatches, dispatches - 1)
    assert seconds is None or took == seconds


def test_a_service_that_says_when_to_come_back_costs_time_and_no_retry() -> None:
    draws: Iterator[float] = iter([0.0, *[0.5] * 4, 0.0, *[0.5] * 4, 0.99, *[0.5] * 9])
    agent = AgentModel(
        FIXED.seconds, FIXED.tokens, FIXED.cost_usd, {"rate_limit": 0.5}, Spread(600, 600)
    )
    took, why = dispatch(
        worker("a", Contract("a"), agent, None),
        Rules(Policy({"rate_limit": 0})),
        Tally(),
        0,
        lambda: next(draws),
    )
    assert (took, why) == (600 + 600 + 10, "")


def test_a_contracts_own_limits_come_before_the_policys() -> None:
    tally = Tally()
    own = Contract("a", retries={"crash": 0})
    dispatch(
        worker("a", own, failing("crash"), None), Rules(Policy({"crash": 5})), tally, 0, always(0.1)
    )
    assert tally.dispatches == 1


def test_only_a_step_with_evidence_can_fail_a_validation() -> None:
    assert worker("a", Contract("a"), failing("validation"), None).failures == ()
    assert worker("a", Contract("a", evidence=("test",)), failing("validation"), None).failures == (
        (1.0, "validation"),
    )


@pytest.mark.parametrize(
    "caps", [{"dispatches": 2}, {"tokens": 150}, {"cost_usd": 1.5}, {"wall_clock_s": 15}]
)
def test_a_budget_that_is_used_up_stops_before_the_next_dispatch(caps: dict[str, float]) -> None:
    tally = Tally()
    rules = Rules(Policy({"violation": 9}), caps=caps)
    assert (
        dispatch(
            worker("a", Contract("a"), failing("violation"), None), rules, tally, 0, always(0.1)
        )[1]
        == "budget"
    )
    assert tally.dispatches == 2


def test_nothing_takes_longer_than_its_timeout() -> None:
    slow = AgentModel(Spread(9000, 9000), FIXED.tokens, FIXED.cost_usd, {}, Spread(0, 0))
    assert dispatch(
        worker("a", Contract("a"), slow, None), Rules(timeout_s=60), Tally(), 0, always(0.5)
    ) == (60, "")
