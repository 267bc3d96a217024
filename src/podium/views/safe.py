"""Makes text of agents and people harmless before anybody sees it.

What an agent writes is hostile until shown otherwise: a name may contain escape sequences that
repaint the screen, a note may reverse the reading direction. Colour codes are dropped, every other
control character becomes visible, and long text is cut.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

CUT = "…"
_COLOUR = re.compile(r"\x1b\[[0-9;:]*m")
_JOINERS = frozenset("\u200b\u200c\u200d\u2060\ufeff\u00ad")
"""Invisible and without effect on their own: left out."""


def line(text: object, limit: int = 200) -> str:
    """One line of at most `limit` cells."""
    raw = str(text)
    # Never look at more than could be shown: a name of megabytes costs nothing.
    head = visible(raw[: 4 * limit + 64])
    return fit(" ".join(head.split()) + (CUT if len(raw) > 4 * limit + 64 else ""), limit)


def block(text: str, *, width: int = 500, lines: int | None = None) -> list[str]:
    """Many lines, each harmless and cut; with `lines`, only the first ones and a remark about
    the rest.
    """
    found = text.replace("\r\n", "\n").split("\n")
    while found and not found[-1].strip():
        found.pop()
    # A remark that one more line follows would be no shorter than that line.
    shown = found if lines is None or len(found) == lines + 1 else found[:lines]
    out = [fit(visible(each[: 4 * width + 64].expandtabs(4)).rstrip(), width) for each in shown]
    if len(shown) < len(found):
        out.append(f"{CUT} {len(found) - len(shown)} more lines")
    return out


def visible(text: str) -> str:
    """The same text without anything that a terminal would obey."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else _picture(each) for each in _COLOUR.sub("", text))


def _picture(char: str) -> str:
    code, category = ord(char), unicodedata.category(char)
    if char in "\t\n\v\f\r\x85" or category in {"Zs", "Zl", "Zp"}:
        return " "
    if char in _JOINERS:
        return ""
    if code < 32:
        return chr(0x2400 + code)
    return "␡" if code == 127 else "\ufffd"


def cells(text: str) -> int:
    """How many columns a terminal needs for it."""
    return len(text) if text.isascii() else sum(_cell(each) for each in text)


def _cell(char: str) -> int:
    if unicodedata.category(char) in {"Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(char) in {"W", "F"} else 1


def fit(text: str, width: int) -> str:
    """The text itself, or as much of it as leaves space for the sign that it was cut."""
    if cells(text) <= width:
        return text
    if width < 1:
        return ""
    room, kept = width - 1, []
    for each in text:
        room -= _cell(each)
        if room < 0:
            break
        kept.append(each)
    return "".join(kept).rstrip() + CUT


def pad(text: str, width: int, *, right: bool = False) -> str:
    """Exactly `width` columns."""
    shown = fit(text, width)
    space = " " * (width - cells(shown))
    return space + shown if right else shown + space


def columns(rows: Sequence[Sequence[str]], limits: Sequence[int]) -> list[int]:
    """The width of each column: as wide as its widest cell, at most its limit."""
    widths = [0] * len(limits)
    for row in rows:
        widths = [max(have, cells(cell)) for have, cell in zip(widths, row, strict=True)]
    return [min(width, limit) for width, limit in zip(widths, limits, strict=True)]
