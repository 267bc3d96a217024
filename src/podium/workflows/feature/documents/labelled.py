"""Labelled parts of a document: each begins with a heading, a bold key or a plain `key: value`
line.

Only lines that the scanner calls text count: code, quotes and comments contain no labels.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from podium.formats.outline import Heading, Outline

Origin = Literal["heading", "line", "bullet"]

_LABEL = re.compile(
    r"(?P<indent>[ \t]*)(?P<bullet>(?:[-+*]|[0-9]{1,9}[.)])[ \t]+)?(?:\[[ xX]\][ \t]+)?"
    r"(?P<open>[*_`]{0,3})(?P<key>[A-Za-z][A-Za-z0-9 _/()&-]{0,60}?)[*_`]{0,3}[ "
    r"\t]*:(?!//)[*_`]{0,3}(?P<value>.*)"
)
_NUMBERED = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){0,3}[.):]?\s+")
_ITEM = re.compile(
    r"(?P<indent>[ \t]*)(?:[-+*]|[0-9]{1,9}[.)])(?:[ \t]+|$)(?:\[[ xX]\](?:[ \t]+|$))?(?P<text>.*)"
)


@dataclass(frozen=True)
class Part:
    """What follows one label."""

    key: str
    """The canonical spelling of the label."""
    line: int
    """The label's line, from 1."""
    origin: Origin
    value: str
    """What is on the label's own line."""
    body: tuple[str, ...] = ()
    """The lines of text after it, up to the next label."""

    @property
    def lines(self) -> tuple[str, ...]:
        """All lines of the part."""
        return (self.value, *self.body) if self.value else self.body


def fold_label(title: str) -> str:
    """Labels are compared without case, emphasis and a leading number; `_` and `-` count as
    spaces.
    """
    words = title.strip().strip("*_`").rstrip(":").strip("*_` ")
    words = _NUMBERED.sub("", words, count=1) if _NUMBERED.match(words) else words
    return " ".join(words.replace("_", " ").replace("-", " ").split()).casefold()


def item_text(line: str) -> str | None:
    """The text of a list item's first line without bullet and box; None if the line is not an
    item.
    """
    found = _ITEM.fullmatch(line)
    return found["text"].strip() if found else None


def parts(
    outline: Outline,
    labels: Mapping[str, str],
    lists: frozenset[str],
    start: int = 0,
    end: int | None = None,
) -> tuple[Part, ...]:
    """Every part with a known label between two lines, in order; `labels` maps folded labels to
    keys.

    In a part that is a list (`lists`), an item such as `Files: …` is one of its items, not a label.
    """
    reader = _Reader(labels, lists)
    for number, what in _walk(outline, start, len(outline.lines) if end is None else end):
        if isinstance(what, Heading):
            reader.heading(what)
        else:
            reader.text(number, what)
    reader.close()
    return tuple(reader.found)


def _walk(outline: Outline, start: int, end: int) -> Iterator[tuple[int, Heading | str]]:
    first = bisect_left(outline.headings, start, key=_line)
    after = bisect_left(outline.headings, end, key=_line)
    headings = {heading.line: heading for heading in outline.headings[first:after]}
    for number in range(start, end):
        if number in headings:
            yield number, headings[number]
        elif outline.kinds[number] == "text":
            yield number, outline.lines[number]


def _line(heading: Heading) -> int:
    return heading.line


@dataclass
class _Reader:
    labels: Mapping[str, str]
    lists: frozenset[str]
    found: list[Part] = field(default_factory=list)
    open: Part | None = None
    lines: list[str] = field(default_factory=list)
    depth: int = 0
    """The level of the open part's heading, or the indent of its bullet."""

    def close(self) -> None:
        if self.open:
            one = self.open
            self.found.append(Part(one.key, one.line, one.origin, one.value, tuple(self.lines)))
        self.open, self.lines = None, []

    def begin(self, part: Part, depth: int) -> None:
        self.close()
        self.open, self.depth = part, depth

    def heading(self, heading: Heading) -> None:
        title, colon, value = heading.title.partition(":")
        key = self.labels.get(fold_label(heading.title)) or self.labels.get(fold_label(title))
        if key:
            said = value.strip("*_` ") if colon else ""
            self.begin(Part(key, heading.line + 1, "heading", said), heading.level)
        elif self.open and not (self.open.origin == "heading" and heading.level > self.depth):
            self.close()

    def text(self, number: int, line: str) -> None:
        found = _LABEL.fullmatch(line)
        key = self.labels.get(fold_label(found["key"])) if found else None
        if found and key and not self._is_item(found):
            value = found["value"].partition("<!--")[0].strip()
            origin: Origin = "bullet" if found["bullet"] else "line"
            self.begin(Part(key, number + 1, origin, value), len(found["indent"]))
        elif found and not found["bullet"] and found["open"] in {"**", "__"} and self._of_a_line():
            self.close()
        elif self.open:
            self.lines.append(line)

    def _of_a_line(self) -> bool:
        return self.open is not None and self.open.origin != "heading"

    def _is_item(self, found: re.Match[str]) -> bool:
        if not (self.open and self.open.key in self.lists and found["bullet"]):
            return False
        return self.open.origin != "bullet" or len(found["indent"]) > self.depth
