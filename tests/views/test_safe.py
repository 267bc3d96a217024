"""Nothing an agent writes is obeyed by a terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.views import safe


@given(st.text(), st.integers(min_value=1, max_value=80))
def test_a_line_is_printable_and_never_wider_than_asked(text, limit):
    shown = safe.line(text, limit)
    assert shown.isprintable()
    assert safe.cells(shown) <= limit


@given(st.text())
def test_a_block_is_printable_lines(text):
    assert all(each.isprintable() for each in safe.block(text))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b[2J", "␛[2J"),
        ("a\r\nb\tc", "a b c"),
        ("abc\u202edef", "abc\ufffddef"),
        ("\x9b31m", "\ufffd31m"),
        ("lone \ud800", "lone \ufffd"),
        ("x" * 9, "xxxx…"),
        ("日本語", "日本…"),
    ],
)
def test_what_becomes_of_what(text, shown):
    assert safe.line(text, 5 if len(text) == 9 or text == "日本語" else 80) == shown


def test_padding_counts_cells():
    assert safe.pad("日本", 6) == "日本  "
    assert safe.pad("7", 3, right=True) == "  7"
