"""Whether journals are whole."""

from __future__ import annotations

from typing import Any

import pytest

from podium.views.chained import checked


def test_a_whole_journal_holds(whole: list[dict[str, Any]], wave: list[dict[str, Any]]) -> None:
    found = checked(whole)
    assert (found.events, found.journals, found.broken, found.last) == (
        len(whole),
        1,
        "",
        whole[-1]["hash"],
    )
    assert checked(wave).journals == 3
    assert checked([]).broken == ""


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"outcome": "x"}, "was changed after it was written"),
        ({"seq": 99}, "has seq"),
        ({"prev": "0"}, "does not follow"),
        ({"hash": "0"}, "was changed"),
    ],
)
def test_any_change_is_found_and_named(
    change: dict[str, Any], what: str, whole: list[dict[str, Any]]
) -> None:
    for at in (0, 7, len(whole) - 1):
        found = checked([*whole[:at], {**whole[at], **change}, *whole[at + 1 :]])
        assert found.broken == whole[0]["run"]
        assert what in found.what or "has seq" in found.what


def test_a_line_that_is_gone_is_missed(whole: list[dict[str, Any]]) -> None:
    assert checked(whole[:3] + whole[4:]).broken
    assert checked(whole[1:]).broken


@pytest.mark.parametrize("value", ["\ud800", float("nan")])
def test_a_value_that_no_journal_could_hold_is_no_proof(
    value: object, whole: list[dict[str, Any]]
) -> None:
    assert checked([*whole[:-1], {**whole[-1], "outcome": value}]).broken
