"""A Markdown document as its lines and their kinds: sections by title, prose by line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from podium.formats.field_lines import Field, fields_in, fold_key

_NUMBER = re.compile(r"(?:\d{1,3}(?:\.\d{1,3}){0,3}[.):]|\d{1,3}(?:\.\d{1,3}){1,3}) (?=\S)")

Kind = Literal["blank", "text", "heading", "rule", "code", "quote", "comment"]


@dataclass(frozen=True)
class Heading:
    """One heading of the document itself; headings inside lists and quotes do not count."""

    level: int
    """1 to 6."""
    title: str
    """The text without marks; runs of white space are one space."""
    line: int
    """Index of its first line, from 0."""
    end: int
    """Index of the first line after it."""


@dataclass(frozen=True)
class Section:
    """A heading and what is under it, up to the next heading of the same or a higher level."""

    heading: Heading
    """The heading that opens it."""
    body: tuple[tuple[int, str], ...]
    """Index and text of its prose and blank lines, including those of its subsections."""
    subsections: tuple[Section, ...]
    """The sections directly under it."""
    end: int
    """Index of the first line after it."""

    @cached_property
    def fields(self) -> Mapping[str, Field]:
        """The first field of each name in its prose, by folded name."""
        return {fold_key(each.key): each for each in reversed(fields_in(self.body))}


@dataclass(frozen=True)
class Outline:
    """A document's lines, and the kind of each."""

    lines: tuple[str, ...]
    """Without their line endings."""
    kinds: tuple[Kind, ...]
    """The kind of each line; lines of a quote are `quote`, whatever they contain."""
    headings: tuple[Heading, ...]
    """In the order of the document."""

    @cached_property
    def plain(self) -> tuple[bool, ...]:
        return tuple(kind in ("text", "blank") for kind in self.kinds)

    @cached_property
    def ends(self) -> tuple[int, ...]:
        """For each heading, the index of the first line after its section."""
        ends = [len(self.lines)] * len(self.headings)
        waiting: list[int] = []
        for index, heading in enumerate(self.headings):
            while waiting and self.headings[waiting[-1]].level >= heading.level:
                ends[waiting.pop()] = heading.line
            waiting.append(index)
        return tuple(ends)

    def prose(self, start: int, end: int) -> tuple[tuple[int, str], ...]:
        return tuple((line, self.lines[line]) for line in range(start, end) if self.plain[line])

    def preamble(self) -> tuple[tuple[int, str], ...]:
        """The prose before the first heading below the title."""
        end = next(
            (heading.line for heading in self.headings if heading.level > 1), len(self.lines)
        )
        return self.prose(0, end)

    def section(self, title: str) -> Section | None:
        return next(iter(self.sections(title)), None)

    def sections(self, title: str) -> tuple[Section, ...]:
        return tuple(map(self._section, self._by_title.get(fold_title(title), ())))

    @cached_property
    def _by_title(self) -> Mapping[str, list[int]]:
        """Headings by title, cached because a caller that asks for one section usually asks for
        others.
        """
        found: dict[str, list[int]] = {}
        for index, heading in enumerate(self.headings):
            found.setdefault(fold_title(heading.title), []).append(index)
        return found

    @cached_property
    def _made(self) -> dict[int, Section]:
        return {}

    def _section(self, index: int) -> Section:
        if index not in self._made:
            self._made[index] = self._make_section(index)
        return self._made[index]

    def _make_section(self, index: int) -> Section:
        heading, end = self.headings[index], self.ends[index]
        children: list[Section] = []
        reached, child = heading.end, index + 1
        while child < len(self.headings) and self.headings[child].line < end:
            if self.headings[child].line >= reached:
                children.append(self._section(child))
                reached = children[-1].end
            child += 1
        return Section(heading, self.prose(heading.end, end), tuple(children), end)


def fold_title(title: str) -> str:
    """How titles are compared: without case, emphasis, extra white space, a closing colon and the
    number of a section.
    """
    words = " ".join(title.split()).strip("*_` ").rstrip(":").strip("*_` ")
    number = _NUMBER.match(words)
    return (words[number.end() :] if number else words).casefold()


def prose_of(lines: Iterable[tuple[int, str]]) -> str:
    """The text of a section's body, without surrounding blank lines."""
    return "\n".join(text.rstrip() for _, text in lines).strip()
