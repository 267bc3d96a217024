"""JSON data becomes typed members, or is refused with where and what."""

from typing import Any, Literal

import pytest

from podium.core.run import Status
from podium.state.shape import Misfit, fit


@pytest.mark.parametrize(
    ("hint", "value", "expected"),
    [
        (int, 3, 3),
        (float, 3, 3),
        (str, "x", "x"),
        (bool, True, True),
        (Any, {"x": [1]}, {"x": [1]}),
        (Status, "blocked", Status.BLOCKED),
        (int | None, None, None),
        (Literal["a", "b"], "b", "b"),
        (list[int], [1, 2], [1, 2]),
        (dict[str, int], {"a": 1}, {"a": 1}),
        (tuple[str, ...], ["a", "b"], ("a", "b")),
        (tuple[str, int], ["a", 1], ("a", 1)),
        (dict[str, tuple[int, ...]], {"a": [1]}, {"a": (1,)}),
        (dict, {"a": 1}, {"a": 1}),
    ],
)
def test_data_that_fits_takes_its_type(hint: Any, value: Any, expected: Any) -> None:
    found = fit(hint, value)
    assert (found, type(found)) == (expected, type(expected))


@pytest.mark.parametrize(
    ("hint", "value", "at", "expected"),
    [
        (int, True, "", "a whole number"),
        (int, "3", "", "a whole number"),
        (bool, 1, "", "true or false"),
        (str, None, "", "a text"),
        (int | None, "x", "", "a whole number or null"),
        (Literal["a", "b"], "c", "", "one of a, b"),
        (Literal[1], True, "", "one of 1"),
        (Status, "gone", "", "one of active, waiting, sleeping, blocked, complete, cancelled"),
        (list[int], {"a": 1}, "", "a list"),
        (list[int], [1, "x"], "[1]", "a whole number"),
        (dict[str, int], [], "", "an object"),
        (dict[str, list[int]], {"a": [1, None]}, ".a[1]", "a whole number"),
        (tuple[str, int], ["a"], "", "a list of 2"),
        (list, "x", "", "a list"),
    ],
)
def test_data_that_does_not_fit_is_refused(hint: Any, value: Any, at: str, expected: str) -> None:
    with pytest.raises(Misfit) as fault:
        fit(hint, value)
    assert (fault.value.at, fault.value.expected) == (at, expected)
