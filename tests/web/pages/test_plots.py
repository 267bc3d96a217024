"""Plots are drawn on a round scale; what is unknown leaves a gap, and each part has its words."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.web.pages.plots import HEIGHT, WIDTH, Series, nice, nice_seconds, plot


@pytest.mark.parametrize(
    ("value", "top"),
    [(1, 1), (1.1, 2), (2.2, 3), (7, 8), (9, 10), (11, 20), (499, 500), (0.31, 0.4)],
)
def test_a_scale_ends_at_a_round_number(value: float, top: float) -> None:
    assert nice(value) == pytest.approx(top)


@pytest.mark.parametrize(
    ("value", "top"), [(0.2, 1), (11, 20), (61, 120), (4000, 7200), (100_000, 172_800)]
)
def test_a_scale_of_time_ends_at_a_time_that_people_say(value: float, top: float) -> None:
    assert nice_seconds(value) == top


def test_a_gap_in_what_is_known_is_a_gap_in_the_curve() -> None:
    drawn = plot(
        "Wait",
        "3",
        [Series("line", "busy", "p50", [1.0, None, 2.0, 2.0])],
        ["a", "b", "c", "d"],
        str,
        nice,
    )
    assert drawn.shapes[0].path == "M0.0 50.0V50.0H150.0M300.0 0.0V0.0H450.0V0.0H600.0"
    assert [each.words for each in drawn.columns] == ["a: p50 1.0", "c: p50 2.0", "d: p50 2.0"]
    assert drawn.said == "Wait: 3 now, at most 2.0 in this time"


def test_a_plot_of_nothing_says_so() -> None:
    drawn = plot("Wait", "–", [Series("bars", "ask", "p95", [None, None])], ["a", "b"], str, nice)
    assert (drawn.shapes[0].path, drawn.columns, drawn.said) == (
        "",
        (),
        "Wait: nothing in this time",
    )


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.none() | st.floats(0, 1e7), min_size=1, max_size=30),
    st.sampled_from(["area", "line", "bars"]),
)
def test_nothing_is_drawn_outside_the_plot(values: list[float | None], sort: str) -> None:
    drawn = plot("x", "", [Series(sort, "busy", "x", values)], [""] * len(values), str, nice)
    path = drawn.shapes[0].path
    assert all(-0.1 <= float(each) <= HEIGHT + 0.1 for each in re.findall(r"V([\d.-]+)", path))
    assert all(-0.1 <= float(each) <= WIDTH + 0.1 for each in re.findall(r"[MH]([\d.-]+)", path))
