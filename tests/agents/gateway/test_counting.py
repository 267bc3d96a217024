"""What a dispatch used: said, guessed, or unknown, and what it cost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.agents.gateway.budgets import Cap, Purse
from podium.agents.gateway.counting import Count, Counted, Price, price_of, together
from podium.agents.gateway.shapes.figures import Figures

PRICES = {"a-*": Price(1.0, 2.0), "a-b-*": Price(10.0, 20.0, 1.0), "a-b-c": Price(100.0, 200.0)}
counts = st.builds(
    Counted,
    calls=st.integers(0, 9),
    tokens_in=st.none() | st.integers(0, 9),
    tokens_out=st.none() | st.integers(0, 9),
    guessed_in=st.integers(0, 9),
    guessed_out=st.integers(0, 9),
    cost_usd=st.none() | st.integers(0, 9).map(float),
    models=st.lists(st.sampled_from("ab"), unique=True).map(tuple),
)


@pytest.mark.parametrize(
    ("figures", "ended", "known", "one"),
    [
        (Figures(100, 10), True, True, (100, 10, 0, 0)),
        (Figures(100, 1), False, True, (100, 1, 0, 249)),
        (Figures(None, None), False, True, (0, 0, 10, 250)),
        (Figures(None, None), True, True, (0, 0, 10, 250)),
        (Figures(100, 900), False, True, (100, 900, 0, 0)),
        (Figures(None, None), True, False, (None, None, 0, 0)),
        (Figures(100, 10), True, False, (100, 10, 0, 0)),
    ],
)
def test_what_an_answer_did_not_say_is_guessed_where_its_format_is_known(
    figures: Figures, ended: bool, known: bool, one: tuple[int | None, ...]
) -> None:
    found = Count().add("m", figures, ended=ended, sent=40, received=1000, known=known)
    assert (found.tokens_in, found.tokens_out, found.guessed_in, found.guessed_out) == one


def test_one_unknown_call_makes_the_sum_unknown_and_never_zero() -> None:
    count = Count()
    count.add("m", Figures(5, 5), ended=True, sent=1, received=1, known=True)
    count.add("n", Figures(), ended=True, sent=1, received=1, known=False)
    assert (count.now.tokens, count.now.calls, count.now.models) == (None, 2, ("m", "n"))


def test_prices_are_found_by_name_and_then_by_the_longest_pattern() -> None:
    assert [price_of(name, PRICES) for name in ("a-b-c", "a-b-d", "a-d", "b")] == [
        PRICES["a-b-c"],
        PRICES["a-b-*"],
        PRICES["a-*"],
        None,
    ]


def test_what_a_cache_held_has_its_own_price_where_there_is_one() -> None:
    assert Price(10.0, 20.0, 1.0).of(Figures(1000, 100, 400)) == pytest.approx(
        (600 * 10 + 400 * 1 + 100 * 20) / 1e6
    )
    assert Price(10.0, 20.0).of(Figures(1000, 100, 400)) == pytest.approx(
        (1000 * 10 + 100 * 20) / 1e6
    )
    assert Price(1.0, 1.0).of(Figures(None, 1)) is None


def test_guesses_cost_too_and_a_model_without_a_price_makes_the_cost_unknown() -> None:
    count = Count({"m": Price(1.0, 1.0)})
    count.add("m", Figures(), ended=False, sent=400, received=400, known=True)
    assert count.now.cost_usd == pytest.approx(200 / 1e6)
    count.add("other", Figures(1, 1), ended=True, sent=1, received=1, known=True)
    assert count.now.cost_usd is None


@given(counts, counts, counts)
def test_counts_add_up_in_any_order(first: Counted, second: Counted, third: Counted) -> None:
    assert together(together(first, second), third) == together(first, together(second, third))
    assert together(first, second).tokens == together(second, first).tokens


@pytest.mark.parametrize(
    ("cap", "tokens", "cost", "says"),
    [
        (Cap(), None, None, ""),
        (Cap(tokens=10), 9, None, ""),
        (Cap(tokens=10), 10, None, "budget: the run has used 10 of 10 tokens"),
        (
            Cap(tokens=10),
            None,
            0.0,
            "budget: the run has a cap of 10 tokens, but what was used is unknown",
        ),
        (Cap(cost_usd=0.5), 99, 0.49, ""),
        (Cap(cost_usd=0.5), 99, 0.5, "budget: the run has used 0.5 of 0.5 cost_usd"),
        (Cap(tokens=0), 0, 0.0, "budget: the run has used 0 of 0 tokens"),
    ],
)
def test_a_purse_is_empty_when_its_cap_is_reached_or_nobody_knows(
    cap: Cap, tokens: float | None, cost: float | None, says: str
) -> None:
    assert Purse(cap, tokens, cost).empty() == says
