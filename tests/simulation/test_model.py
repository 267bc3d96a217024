"""Numbers that vary as a model says."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.simulation.model import Model, Spread, StepModel


def test_half_lie_below_the_median_and_nine_in_ten_below_p90() -> None:
    chance = random.Random(1).random
    drawn = [Spread(60, 600).draw(chance) for _ in range(4000)]
    assert sum(each < 60 for each in drawn) / 4000 == pytest.approx(0.5, abs=0.03)
    assert sum(each < 600 for each in drawn) / 4000 == pytest.approx(0.9, abs=0.02)


@settings(max_examples=50)
@given(st.floats(0, 1e6), st.floats(0, 1e6), st.floats(0, 1, exclude_max=True))
def test_a_draw_is_never_below_nothing_and_uses_one_number(
    one: float, other: float, at: float
) -> None:
    used = []

    def chance() -> float:
        used.append(at)
        return at

    assert Spread(min(one, other), max(one, other)).draw(chance) >= 0
    assert len(used) == 1


def test_a_plain_number_does_not_vary() -> None:
    assert {Spread(5, 5).draw(random.Random(1).random) for _ in range(20)} == {5}


def test_a_step_of_a_child_run_can_be_named_with_its_workflow() -> None:
    model = Model(steps={"review": StepModel({"ok": 1}), "item/review": StepModel({"revise": 1})})
    assert model.step("item", "review").outcomes == {"revise": 1}
    assert model.step("other", "review").outcomes == {"ok": 1}
    assert model.step("other", "unsaid") == StepModel()
