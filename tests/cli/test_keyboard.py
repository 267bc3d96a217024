"""From bytes to keys, and a terminal that is given back."""

from __future__ import annotations

import os
import pty
import termios

import pytest

from podium.cli.keyboard import Keyboard, keys


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ab", ["a", "b"]),
        ("\r\n", ["enter", "enter"]),
        ("\x1b", ["esc"]),
        ("\x1b[A\x1b[B", ["up", "down"]),
        ("\x1b[5~x", ["pgup", "x"]),
        ("\x1b[1;5C", []),
        ("\x1bOH", ["home"]),
        ("ö漢", ["ö", "漢"]),
        ("\x01\x00", []),
        ("\x7f\x15\t\x04", ["backspace", "clear", "tab", "esc"]),
        ("\x1b\x1b[A", ["esc", "up"]),
        ("\x1b[200~", []),
    ],
    ids=repr,
)
def test_what_was_pressed(text: str, found: list[str]) -> None:
    assert keys(text) == found


def test_a_terminal_that_is_not_ours_is_left_alone() -> None:
    """As in the background, where touching it would stop the process."""
    own, child = pty.openpty()
    before = termios.tcgetattr(child)
    board = Keyboard(child)
    os.write(own, b"a\n")
    assert board.read(0.01) == []
    board.give_back()
    assert termios.tcgetattr(child) == before
    os.close(own)
    os.close(child)
