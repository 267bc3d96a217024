"""Pieces of a Markdown document: what follows a label, and one entry of a list."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from podium.documents.fields import Field, parse_field
from podium.documents.groups import Many, Named, inner
from podium.documents.markdown import Block, Heading, Line, Outline
from podium.documents.record import Part, Titled
from podium.documents.text import spellings
from podium.documents.values import Prose

Origin = Literal["heading", "line", "item"]


@dataclass
class Passage:
    """What follows one label."""

    line: int
    """Of the label, from 0."""
    value: str = ""
    """On the label's own line."""
    body: list[Block] = field(default_factory=list)
    origin: Origin = "heading"
    label: str = ""
    """As it is written."""
    start: int = 0
    """The first line after the label."""
    end: int = 0
    """The first line that no longer belongs to it."""

    @property
    def lines(self) -> list[Line]:
        own = [Line(self.line, self.value, self.value)] if self.value else []
        return [*own, *(block for block in self.body if isinstance(block, Line))]

    def prose(self, outline: Outline) -> str:
        """Everything in it but comments and the rule that ends it."""
        numbers = [n for n in range(self.start, self.end) if outline.kinds[n] != "comment"]
        while numbers and outline.kinds[numbers[-1]] in {"blank", "rule"}:
            numbers.pop()
        rows = [outline.lines[number].rstrip() for number in numbers]
        return "\n".join([*([self.value] if self.value else []), *rows]).strip("\n").rstrip()


@dataclass
class Entry:
    """One entry of a list: a heading, an item or a row, with what belongs to it."""

    title: str
    line: int
    body: list[Block] = field(default_factory=list)
    cells: dict[str, str] = field(default_factory=dict)
    """By the heads of their columns."""
    level: int = 0
    """Of its heading."""
    is_item: bool = False
    end: int = 0
    """The first line that no longer belongs to it."""
    covered: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Words that a heading above it states for all below, by name of the part."""
    among: bool = False
    """Whether it stands where everything is an entry."""
    plain: bool = False
    """Whether it began with a line of prose, and so must state something."""
    stated: set[str] = field(default_factory=set)
    """The names of the parts that its body states."""

    def add(self, block: Block, part: Part | None = None) -> None:
        self.body.append(block)
        if part:
            self.stated.add(part.name)


@dataclass(frozen=True)
class Item:
    """An outermost list item; what is nested below it belongs to it."""

    text: str
    line: int
    nested: tuple[Line, ...] = ()

    @property
    def whole(self) -> str:
        return " ".join([self.text, *(line.raw.strip() for line in self.nested)]).strip()


def items_in(lines: Iterable[Line]) -> list[Item]:
    """The outermost list items: nested ones and the lines that continue one are part of it, and a
    paragraph after the list is not.
    """
    items: list[Item] = []
    base, last, is_open = -1, -1, False
    for line in lines:
        if line.bullet and (base < 0 or line.indent <= base + 1):
            base = line.indent if base < 0 else base
            # A backslash keeps the first sign of an item from being read as structure.
            escaped = line.text.startswith("\\") and not line.text[1:2].isalnum()
            items.append(Item(line.text[escaped:], line.number))
            is_open = True
        elif items:
            is_open = is_open and (line.indent > base or line.number == last + 1)
            if is_open:
                items[-1] = replace(items[-1], nested=(*items[-1].nested, line))
        last = line.number
    return items


def labelled(
    body: Sequence[Block], parts: Sequence[Part], end: int, *, own: bool
) -> list[tuple[Part, Passage]]:
    """Every label of these parts, as a heading, a bold key or a plain key, with what follows it.

    `own`: a key below a list item that is no label is the item's, and not the document's.
    """
    labels = _Labels(parts, own=own)
    for block in body:
        if isinstance(block, Heading):
            labels.heading(block)
        else:
            labels.line(block)
    labels.close(end)
    return labels.passages


class _Labels:
    def __init__(self, parts: Sequence[Part], *, own: bool) -> None:
        self.parts = {label: part for part in reversed(parts) for label in part.folded}
        self.own = own
        self.passages: list[tuple[Part, Passage]] = []
        self.is_open = False
        self.depth = 0
        """Level of the open label's heading, or indent of its line."""
        self.item = -1
        """Indent of the list item around the line, if it is not a label."""

    def close(self, at: int) -> None:
        if self.is_open:
            self.passages[-1][1].end = at
        self.is_open = False

    def open(self, part: Part, passage: Passage, depth: int) -> None:
        self.close(passage.line)
        self.passages.append((part, passage))
        self.is_open, self.depth, self.item = True, depth, -1

    def heading(self, heading: Heading) -> None:
        part = self._part(spellings(heading.title))
        self.item = -1
        if part:
            value = heading.title.partition(":")[2].strip("*_` ")
            passage = Passage(heading.line, value, label=heading.title, start=heading.end)
            self.open(part, passage, heading.level)
        elif self.is_open:
            origin = self.passages[-1][1].origin
            if origin != "heading" or heading.level <= self.depth:
                self.close(heading.line)
            else:
                self.passages[-1][1].body.append(heading)

    def line(self, line: Line) -> None:
        key = parse_field(line)
        part = self._part(spellings(key.label)) if key else None
        if line.indent <= self.item:
            self.item = -1
        nested = self.own and self.item >= 0
        if key and part and part.at != "section" and not nested and not self._is_item(line):
            origin: Origin = "item" if line.bullet else "line"
            value = line.raw[key.start : key.end].strip()
            start = line.number + 1
            passage = Passage(line.number, value, [], origin, key.label, start)
            self.open(part, passage, line.indent)
            return
        if line.bullet and self.item < 0:
            self.item = line.indent
        if self.is_open and self._begins_other(line, key):
            self.close(line.number)
        elif self.is_open:
            self.passages[-1][1].body.append(line)

    def _part(self, names: Iterable[str]) -> Part | None:
        return next((self.parts[name] for name in names if name in self.parts), None)

    def _is_item(self, line: Line) -> bool:
        """Whether a key in a list is one of the list's items."""
        if not (self.is_open and line.bullet):
            return False
        part, passage = self.passages[-1]
        listed = isinstance(inner(part.value), Many | Named | Prose)
        return listed and (passage.origin != "item" or line.indent > self.depth)

    def _begins_other(self, line: Line, key: Field | None) -> bool:
        """Whether a key that is no label ends what follows one that is."""
        origin = self.passages[-1][1].origin
        if key is None or origin == "heading":
            return False
        if line.bullet:
            return origin == "item" and line.indent <= self.depth
        return line.text.startswith(("**", "__"))


def has_label(part: Part) -> bool:
    return bool(part.labels) and (
        part.at in {"label", "line", "section"} or isinstance(part.at, Titled)
    )
