from __future__ import annotations

from typing import Any

import pytest

from podium.workflows.governed.budgets import Spent, caps, reached, reflects, together
from podium.workflows.governed.policy import DEFAULT, Policy, read_policy


def policy(**members: Any) -> Policy:
    return read_policy(
        None,
        {
            "budget_defaults.enabled": True,
            **{f"budget_defaults.{name}": each for name, each in members.items()},
        },
    )


def test_without_caps_nothing_is_reached() -> None:
    assert caps(DEFAULT) == {}
    assert caps(policy()) == {}
    assert reached(Spent(None, None, None), policy()) == ()
    assert reached(Spent(10**9), read_policy(None, {"budget_defaults.token_cap": 5})) == ()


@pytest.mark.parametrize(
    ("spent", "axes"),
    [
        (Spent(99, 9.9, 0.9), []),
        (Spent(100, 0, 0), ["tokens"]),
        (Spent(0, 10, 1.5), ["wall_clock_s", "cost_usd"]),
        (Spent(0, 0, None), ["cost_usd"]),
        (Spent(None, 0, 0), ["tokens"]),
    ],
)
def test_every_cap_that_is_used_up_or_unknown_stops_the_run(spent: Spent, axes: list[str]) -> None:
    found = reached(spent, policy(token_cap=100, wall_clock_s=10, cost_usd=1))
    assert [each.axis for each in found] == axes


def test_an_unknown_cost_says_what_to_do() -> None:
    [found] = reached(Spent(cost_usd=None), policy(cost_usd=1))
    assert found.used is None
    assert found.reason == (
        "cost_usd has a cap of 1, and what was used is unknown; give an estimate for each dispatch or lift the cap"
    )


def test_unknown_is_never_zero_but_an_estimate_may_stand_for_it() -> None:
    spent = [Spent(1, 1.0, 0.5), Spent(None, 2.0, None)]
    assert together(spent) == Spent(None, 3.0, None)
    assert together(spent, estimate_usd=0.25) == Spent(None, 3.0, 0.75)
    assert together([]) == Spent(0, 0, 0)


def test_reflection_is_asked_for_where_the_policy_says_so() -> None:
    assert not reflects(DEFAULT)
    assert reflects(policy(enable_reflection=True))
