from __future__ import annotations

import pytest

from podium.formats.table_cells import cells, is_ruler


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("| a | b |", ["a", "b"]),
        ("  a|b  ", ["a", "b"]),
        ("| a |  |", ["a", ""]),
        (r"| a \| b | c |", [r"a \| b", "c"]),
        ("", [""]),
    ],
)
def test_a_row_has_its_cells_with_or_without_bars_around_it(line: str, found: list[str]) -> None:
    assert cells(line) == found


@pytest.mark.parametrize(
    ("line", "ruler"), [("|---|:-:|", True), ("| - | |", True), ("| a | - |", False)]
)
def test_a_ruler_has_nothing_but_dashes_and_colons(line: str, ruler: bool) -> None:
    assert is_ruler(cells(line)) is ruler
