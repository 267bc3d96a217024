"""Painting in place: the screen is right at every moment, and what did not change is not written
again.
"""

from __future__ import annotations

import io

import pyte
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.views.terminal.painter import HIDE, SHOW, Painter, terminal_size


class Terminal(io.StringIO):
    """A stream that remembers what it was given, with a screen behind it."""

    def __init__(self, width=40, height=12):
        super().__init__()
        self.width = width
        self.screen = pyte.Screen(width, height)
        self._stream = pyte.Stream(self.screen)

    def write(self, text):
        self._stream.feed(text)
        return super().write(text)

    def lines(self):
        shown = [line.rstrip() for line in self.screen.display]
        while shown and not shown[-1]:
            shown.pop()
        return shown


def lines(*texts):
    return [(text, len(text)) for text in texts]


def painter(terminal):
    return Painter(terminal, lambda: (terminal.width, 12))


def test_only_what_changed_is_written():
    out = Terminal()
    paint = painter(out)
    paint.paint(lines("head", "one", "two"))
    before = len(out.getvalue())
    paint.paint(lines("head", "ONE", "two"))
    written = out.getvalue()[before:]
    assert "ONE" in written
    assert "head" not in written
    assert "two" not in written
    assert out.lines() == ["head", "ONE", "two"]


def test_the_same_picture_writes_nothing():
    out = Terminal()
    paint = painter(out)
    paint.paint(lines("head"))
    before = out.getvalue()
    paint.paint(lines("head"))
    assert out.getvalue() == before


def test_lines_above_scroll_away_and_the_board_stays_below_them():
    out = Terminal()
    paint = painter(out)
    paint.paint(lines("board", "row"))
    paint.above(["told", "more"])
    paint.paint(lines("board", "row 2"))
    assert out.lines() == ["told", "more", "board", "row 2"]


def test_the_cursor_is_hidden_once_and_comes_back():
    out = Terminal()
    paint = painter(out)
    paint.paint(lines("a"))
    paint.paint(lines("b"))
    paint.leave()
    paint.leave()
    assert (out.getvalue().count(HIDE), out.getvalue().count(SHOW)) == (1, 1)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.lists(st.sampled_from(["a", "bb", "ccc dd", ""]), max_size=8), min_size=1, max_size=6
    )
)
def test_after_any_sequence_of_pictures_the_screen_shows_the_last_one(pictures):
    out = Terminal()
    paint = painter(out)
    for each in pictures:
        paint.paint(lines(*each))
    wanted = list(pictures[-1])
    while wanted and not wanted[-1]:
        wanted.pop()
    assert out.lines() == wanted


def test_a_terminal_that_became_narrower_is_painted_anew():
    out = Terminal(40)
    paint = painter(out)
    paint.paint(lines("x" * 30, "tail"))
    out.width = 20
    paint.paint(lines("short", "tail"))
    # Two lines for the one that was broken, one for the other.
    assert "\x1b[3A" in out.getvalue()


@pytest.mark.parametrize(
    ("columns", "rows", "size"),
    [("100", "30", (100, 30)), ("", "x", (80, 24)), ("0", "", (80, 24))],
)
def test_the_size_is_told_or_assumed(monkeypatch, columns, rows, size):
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setenv("LINES", rows)
    assert terminal_size(io.StringIO()) == size
