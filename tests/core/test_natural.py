from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.core.natural import natural


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        (["US-10", "US-2", "US-1"], ["US-1", "US-2", "US-10"]),
        ([10, 9, -1], [-1, 9, 10]),
        (["b", "a10", "a9", "a"], ["a", "a9", "a10", "b"]),
        (["1.10.2", "1.9.30", "1.9.4"], ["1.9.4", "1.9.30", "1.10.2"]),
        (["US-2", "US-02", "US-002"], ["US-002", "US-02", "US-2"]),
        (["x" + "9" * 5000, "x8"], ["x8", "x" + "9" * 5000]),
        (["7a", "a7", "70"], ["7a", "70", "a7"]),
    ],
)
def test_ids_sort_as_people_count(ids: list[Any], expected: list[Any]) -> None:
    assert sorted(ids, key=natural) == expected
    assert sorted(expected, key=natural) == expected


@given(st.lists(st.text("aU-.0129", max_size=5), unique=True, min_size=2, max_size=6))
@settings(max_examples=200)
def test_no_two_ids_share_a_place_in_the_order(ids: list[str]) -> None:
    assert len({natural(each) for each in ids}) == len(ids)
    assert sorted(ids, key=natural) == sorted(sorted(ids), key=natural)
