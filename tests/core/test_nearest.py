"""The name that was most likely meant."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.core.nearest import LONGEST, nearest, refuse_unknown

KNOWN = ("max_calls", "retry-backoff", "Design", "QA")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("max_call", "max_calls"),
        ("max-calls", "max_calls"),
        ("MAX CALLS", "max_calls"),
        ("retry_backof", "retry-backoff"),
        ("desing", "Design"),
        ("qa", "QA"),
        ("zebra", ""),
        ("", ""),
    ],
)
def test_the_known_name_is_found_whatever_the_case_and_the_dashes(typed: str, meant: str) -> None:
    assert nearest(typed, KNOWN) == meant


def test_how_alike_they_must_be_can_be_said() -> None:
    assert nearest("max_cab", KNOWN) == "max_calls"
    assert nearest("max_cab", KNOWN, 0.9) == ""


def test_a_name_of_any_length_is_compared_by_its_beginning() -> None:
    assert nearest("a" * 10_000_000, ["a" * LONGEST]) == "a" * LONGEST


@given(st.text(), st.lists(st.text()))
def test_the_order_of_the_known_names_does_not_matter_and_nothing_else_is_said(
    typed: str, known: list[str]
) -> None:
    found = nearest(typed, known)
    assert found == nearest(typed, list(reversed(known)))
    assert found in {"", *known}


def test_a_member_that_is_not_known_is_refused_with_the_one_that_was_meant() -> None:
    refuse_unknown({"title": 1}, ("title",))
    with pytest.raises(ValueError, match=r"unknown member 'titel'; did you mean 'title'\?"):
        refuse_unknown({"titel": 1}, ("title", "summary"))
    with pytest.raises(ValueError, match="unknown field 'x'; known are: title, summary"):
        refuse_unknown({"x": 1}, ("title", "summary"), "field")
