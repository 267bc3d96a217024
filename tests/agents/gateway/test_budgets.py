"""What a dispatch may still use: of its step, of the run, of the day."""

from __future__ import annotations

import pytest

from podium.agents.gateway.budgets import Cap, Purse, Purses


def test_each_call_is_paid_from_every_purse_and_the_first_empty_one_ends_it() -> None:
    run, day = Purse(Cap(tokens=100)), Purse(Cap(tokens=50), tokens=30, whose="the day")
    both = Purses((run, day))
    both.add(19, 0.5)
    assert both.empty() == ""
    both.add(1, None)
    assert both.empty() == "budget: the day has used 50 of 50 tokens"
    assert (run.tokens, run.cost_usd, day.tokens) == (20, None, 50)


@pytest.mark.parametrize(
    ("caps", "cap"),
    [
        ((), Cap()),
        ((Cap(), Cap()), Cap()),
        ((Cap(tokens=5), Cap(tokens=3, cost_usd=1.0)), Cap(tokens=3, cost_usd=1.0)),
    ],
)
def test_several_have_a_cap_where_any_of_them_has_one(caps: tuple[Cap, ...], cap: Cap) -> None:
    assert Purses(tuple(Purse(each) for each in caps)).cap == cap


def test_what_is_unknown_empties_a_purse_with_a_cap_and_no_other() -> None:
    both = Purses((Purse(), Purse(Cap(cost_usd=1.0), whose="the day")))
    both.add(5, None)
    assert both.empty() == "budget: the day has a cap of 1 cost_usd, but what was used is unknown"
