"""Lines on a terminal that are repainted in place: only what changed is written, so nothing
flickers.

The cursor always rests on the line below the last one painted. Lines are complete and harmless, and
come with the columns they take; there are always fewer than the terminal has.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TextIO

Size = tuple[int, int]
"""Columns and lines."""
Painted = tuple[str, int]
"""A line with its colours, and how many columns it takes."""

HIDE, SHOW, CLEAR_LINE, CLEAR_BELOW = "\x1b[?25l", "\x1b[?25h", "\x1b[K", "\x1b[J"


def terminal_size(stream: TextIO) -> Size:
    """The size of the terminal behind the stream; COLUMNS and LINES take precedence, as
    everywhere.
    """
    try:
        found = os.get_terminal_size(stream.fileno())
        measured = (found.columns, found.lines)
    except (OSError, ValueError, AttributeError):
        measured = (0, 0)
    told = [os.environ.get(name, "") for name in ("COLUMNS", "LINES")]
    width, height = (
        int(said) if said.isdecimal() and int(said) else own
        for said, own in zip(told, measured, strict=True)
    )
    return width or 80, height or 24


class Painter:
    def __init__(self, stream: TextIO, size: Callable[[], Size]) -> None:
        self._stream = stream
        self._size = size
        self._shown: list[Painted] = []
        self._width = 0
        self._hidden = False

    def paint(self, lines: Sequence[Painted]) -> None:
        """Paint these lines instead of the present ones."""
        width = self._size()[0]
        out = self._home(width)
        known = self._shown if width == self._width else []
        if list(lines) == known:
            return
        for place, line in enumerate(lines):
            same = place < len(known) and known[place] == line
            out += "\r\n" if same else f"{line[0]}{CLEAR_LINE}\r\n"
        self._shown, self._width = list(lines), width
        if not self._hidden:
            self._hidden = True
            out = HIDE + out
        self._put(out + CLEAR_BELOW)

    def above(self, lines: Sequence[str]) -> None:
        """Lines that scroll away above the painted ones, which must be painted again afterwards."""
        out = self._home(self._size()[0]) + CLEAR_BELOW + "".join(f"{line}\r\n" for line in lines)
        self._shown = []
        self._put(out)

    def leave(self) -> None:
        """Leave the lines as they are and show the cursor again."""
        if self._hidden:
            self._hidden = False
            self._put(SHOW)
        self._shown = []

    def _home(self, width: int) -> str:
        """To the first painted line; a terminal that became narrower has broken the lines that
        no longer fit.
        """
        up = sum(max(1, -(-each[1] // max(1, width))) for each in self._shown)
        return f"\r\x1b[{up}A" if up else "\r"

    def _put(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()
