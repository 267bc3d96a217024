"""Moments to places."""

from __future__ import annotations

import math
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from podium.web.pages.scale import FOLD, scale


def test_work_takes_room_by_its_length() -> None:
    found = scale([(0, 10), (10, 40)], 0, 40, 400)
    assert [found.x(each) for each in (0, 10, 40)] == [0, 100, 400]


def test_a_long_wait_is_folded() -> None:
    found = scale([(0, 10), (10_000, 10_010)], 0, 10_010, 400)
    (fold,) = [each for each in found.pieces if each.folded]
    assert (fold.width, fold.end - fold.start) == (FOLD, 9_990)
    assert found.x(10) - found.x(0) == (400 - FOLD) / 2


def test_marks_stand_apart_and_within() -> None:
    found = scale([(0, 3_600), (100_000, 101_000)], 0, 101_000, 900).ticks()
    assert found
    assert all(b[0] - a[0] >= 60 for a, b in pairwise(found))
    assert all(0 <= x <= 900 for x, _ in found)


@settings(max_examples=80)
@given(
    st.lists(
        st.tuples(st.floats(0, 1e6), st.floats(0, 1e6)).map(lambda pair: (min(pair), max(pair))),
        min_size=1,
        max_size=12,
    )
)
def test_later_is_never_left_of_earlier(stretches: list[tuple[float, float]]) -> None:
    start, end = min(first for first, _ in stretches), max(last for _, last in stretches)
    found = scale(stretches, start, end, 500)
    moments = sorted({each for pair in stretches for each in pair})
    places = [found.x(each) for each in moments]
    assert all(math.isfinite(each) and -0.001 <= each <= 500.001 for each in places)
    assert all(a <= b + 0.001 for a, b in pairwise(places))
