from __future__ import annotations

from typing import Any

from podium.workflows.governed.policy.budgets import caps, reflects
from podium.workflows.governed.policy.policy import DEFAULT, Policy, read_policy


def policy(**members: Any) -> Policy:
    return read_policy(
        None,
        {
            "budget_defaults.enabled": True,
            **{f"budget_defaults.{name}": each for name, each in members.items()},
        },
    )


def test_caps_hold_only_where_budgets_are_on() -> None:
    assert caps(DEFAULT) == {}
    assert caps(policy()) == {}
    assert caps(read_policy(None, {"budget_defaults.token_cap": 5})) == {}
    assert caps(policy(token_cap=100, wall_clock_s=10, cost_usd=1)) == {
        "tokens": 100,
        "wall_clock_s": 10,
        "cost_usd": 1,
    }


def test_reflection_is_asked_for_where_the_policy_says_so() -> None:
    assert not reflects(DEFAULT)
    assert reflects(policy(enable_reflection=True))
