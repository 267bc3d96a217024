"""Templates: nothing goes in unescaped or unseen."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jinja2 import UndefinedError

from podium.web.pages import message
from podium.web.pages.rendering import clean, render


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("plain", "plain"),
        ("two\nlines\twith a tab", "two\nlines\twith a tab"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("bell\x07", "bell␇"),
        ("turn\u202ed", "turn\ufffdd"),
        ("a\r\nb", "a\nb"),
        ("zero\u200bwidth", "zerowidth"),
    ],
)
def test_what_a_reader_could_not_see_becomes_visible(raw: str, shown: str) -> None:
    assert clean(raw) == shown


@settings(max_examples=60)
@given(st.text())
def test_whatever_is_said_stays_text(text: str) -> None:
    page = message.error(None, 400, "Title", f"<script>{text}")
    assert page.count("<script") == 1
    assert all(each.isprintable() or each in "\n\t" for each in page)


def test_a_long_text_is_cut() -> None:
    assert len(clean("x" * 1_000_000)) == 100_001


def test_a_name_that_nobody_gave_is_a_fault_not_a_gap() -> None:
    with pytest.raises(UndefinedError):
        render("message.html", frame=None)
