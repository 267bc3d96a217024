"""Shows a long text in place: every line can be seen, whatever its length, and nothing in it is
obeyed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from podium.views import safe
from podium.views.look import Line, Tone, cropped

MOST = 100_000
"""The most lines that are laid out; the file has the rest."""
_PATCH: dict[str, Tone] = {"+": "good", "-": "bad", "@": "link"}


@dataclass(frozen=True)
class Section:
    title: str
    text: str
    kind: Literal["text", "patch"] = "text"


class Reader:
    def __init__(self, title: str, sections: Sequence[Section]) -> None:
        self.title, self.sections = title, sections
        self.top = 0
        self._rows = 20
        self._width = 0
        self._lines: list[Line] = []
        self._heads: list[int] = []

    def press(self, key: str) -> bool:
        """Whether it is still open after this key."""
        rows = max(1, self._rows - 1)
        match key:
            case "q" | "esc" | "enter":
                return False
            case "down" | "j":
                self.top += 1
            case "up" | "k":
                self.top -= 1
            case " " | "pgdn" | "f":
                self.top += rows
            case "b" | "pgup":
                self.top -= rows
            case "g" | "home":
                self.top = 0
            case "G" | "end":
                self.top = len(self._lines)
            case "n" | "tab":
                self.top = next((each for each in self._heads if each > self.top), self.top)
            case "p":
                self.top = next((each for each in reversed(self._heads) if each < self.top), 0)
            case _:
                pass
        return True

    def page(self, width: int, height: int) -> list[Line]:
        """What is visible now, with a line above and a line of keys below."""
        width = max(20, width)
        if width != self._width:
            self._lay_out(width)
        self._rows = max(1, height - 3)
        self.top = max(0, min(self.top, len(self._lines) - self._rows))
        shown = self._lines[self.top : self.top + self._rows]
        end = min(len(self._lines), self.top + self._rows)
        where = (
            f"  lines {self.top + 1} to {end} of {len(self._lines)}" if self._lines else "  empty"
        )
        head: Line = [
            (" " + safe.line(self.title, width - safe.cells(where) - 2), "strong"),
            (where, "dim"),
        ]
        keys = (
            " space b  page   ↑ ↓  line   "
            + ("n p  file   " if len(self._heads) > 1 else "")
            + "q  back"
        )
        return [
            cropped(head, width),
            *shown,
            *([()] * (self._rows - len(shown))),
            cropped([(keys, "dim")], width),
        ]

    def _lay_out(self, width: int) -> None:
        part = self.top / len(self._lines) if self._lines else 0.0
        self._lines, self._heads, self._width = [], [], width
        for each in self.sections:
            self._lines += [()] if self._lines else []
            self._heads.append(len(self._lines))
            name = safe.line(each.title, width - 8)
            self._lines.append(
                [(f"── {name} ", "strong"), ("─" * max(0, width - 4 - safe.cells(name)), "dim")]
            )
            self._lines += _laid(each, width)
        if len(self._lines) > MOST:
            more = len(self._lines) - MOST
            self._lines = [*self._lines[:MOST], [(f"… {more} more lines, in the files", "ask")]]
        self.top = round(part * len(self._lines))


def _laid(section: Section, width: int) -> Iterator[Line]:
    found = section.text.replace("\r\n", "\n").split("\n")
    while found and not found[-1].strip():
        found.pop()
    head = False
    for raw in found:
        tone: Tone = "plain"
        if section.kind == "patch":
            # Only git's own lines, before a file's first change, are less important than the
            # changes.
            head = raw.startswith("diff --git ") or (head and not raw.startswith("@@"))
            tone = (
                ("strong" if raw.startswith("diff") else "dim")
                if head
                else _PATCH.get(raw[:1], "plain")
            )
        for piece in pieces(safe.visible(raw.expandtabs(4)).rstrip(), width):
            yield [(piece, tone)]


def pieces(text: str, width: int) -> list[str]:
    """The text in lines of at most `width` cells; an empty one for an empty text."""
    if safe.cells(text) <= width:
        return [text]
    found, size = [""], 0
    for each in text:
        cells = safe.cells(each)
        if size + cells > width:
            found.append("")
            size = 0
        found[-1] += each
        size += cells
    return found
