"""Which named parts a document has, and whether they contain anything.

A part is a heading of any level, a `Key: value` line or a table row. Names are compared by their
words: `Functional Requirements` is `Functional`, `3. Dependencies and Risks` is `Dependencies &
Risks`, and `Non-functional` is one word of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from podium.formats.outline import Outline, fold_title
from podium.formats.structure import SAME_TITLE
from podium.formats.table_cells import cells, is_ruler
from podium.workflows.feature.findings.blocks import is_row

_WORD = re.compile(r"\w+")
_NON = re.compile(r"\bnon[-\s]+")
_NO_WORDS = frozenset({"and", "or", "the", "of"})
_FIELD = re.compile(
    r"(?P<indent>[ \t]*)(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)?(?:\[[ xX]\][ \t]+)?[*_`]{0,3}"
    r"(?P<key>[A-Za-z][\w /()&-]{0,60}?)[*_`]{0,3}[ \t]*:(?!//)[*_`]{0,3}(?P<value>.*)"
)
_LEFT_OPEN = r"tbd|to ?do|to be (?:added|defined|done|filled in|written)|\.{3}|…|xxx+"
_PLACEHOLDER = re.compile(
    rf"(?:<[^<>]*>|\{{\{{[^{{}}]*\}}\}}|\[(?:{_LEFT_OPEN})?\]|{_LEFT_OPEN})[.:!]?",
    re.IGNORECASE,
)
_SPOKEN = frozenset({"text", "code"})
_MARKS = re.compile(r"(?:[ \t]*(?:[-+*>]|\d{1,9}[.)]|\[[ xX]\])(?=[ \t]|$))*[ \t]*")


@lru_cache(maxsize=1024)
def words_of(title: str) -> frozenset[str]:
    """The words that identify a title: without case, punctuation, plurals and `and`."""
    folded = _NON.sub("non", title.casefold().replace("_", " "))
    return frozenset(map(_singular, _WORD.findall(folded))) - _NO_WORDS


def _singular(word: str) -> str:
    return f"{word[:-3]}y" if word.endswith("ies") else word.rstrip("s") or word


def says_something(line: str) -> bool:
    """Whether a line has words of its own: not a placeholder, a bare bullet or the frame of a
    table.
    """
    bare = _unmarked(line).strip("|#* _`")
    return any(map(str.isalnum, bare)) and not _PLACEHOLDER.fullmatch(bare)


@dataclass(frozen=True)
class Parts:
    """Every place of a document that may be a part, found once; each with the words of its name."""

    outline: Outline

    @cached_property
    def headings(self) -> tuple[tuple[frozenset[str], str, int, int], ...]:
        """Words of the title, the value after a colon, and the range of lines below."""
        outline = self.outline
        split = [(heading.title.partition(":"), heading) for heading in outline.headings]
        return tuple(
            (words_of(title), value, heading.end, end)
            for ((title, _, value), heading), end in zip(split, outline.ends, strict=True)
        )

    @cached_property
    def fields(self) -> tuple[tuple[frozenset[str], str, int], ...]:
        """Words, value and line of each `Key: value`; a key may contain `_`, and lines of code
        count too.
        """
        lines = (
            (line, self.outline.lines[line])
            for line, kind in enumerate(self.outline.kinds)
            if kind in _SPOKEN
        )
        found = ((line, _FIELD.fullmatch(text)) for line, text in lines if ":" in text)
        return tuple(
            (words_of(each["key"]), each["value"].partition("<!--")[0], line)
            for line, each in found
            if each
        )

    @cached_property
    def rows(self) -> tuple[tuple[frozenset[str], list[str], list[str]], ...]:
        """Words of the first cell, the row, and the head row of its table."""
        return tuple((words_of(row[0]), row, head) for head, row in _rows(self.outline))

    def contents(self, name: str) -> Iterator[bool]:
        """For each part of that name, whether it contains anything."""
        names = [*name.split(" / "), SAME_TITLE.get(fold_title(name), name)]
        wanted = [words_of(each) for each in names]

        def meant(found: frozenset[str]) -> bool:
            return any(words <= found for words in wanted)

        for words, value, start, end in self.headings:
            if meant(words):
                yield says_something(value) or _filled(self.outline, start, end)
        for words, value, line in self.fields:
            if self.outline.kinds[line] == "text" and meant(words):
                yield says_something(value) or _goes_on(self.outline, line)
        for words, row, _ in self.rows:
            if meant(words):
                yield any(map(says_something, row[1:]))

    def values(self, key: str) -> Iterator[str]:
        """What the document says under exactly that key: after it, in its row, or first under its
        heading.

        Code counts here, because people write such lines as a block of YAML.
        """
        wanted = words_of(key)
        for words, value, start, end in self.headings:
            if words == wanted:
                below = (text for _, text in self.outline.prose(start, end) if says_something(text))
                yield _bare(value) or _bare(_unmarked(next(below, "")))
        yield from (_bare(value) for words, value, _ in self.fields if words == wanted)
        for words, row, head in self.rows:
            if words == wanted and row[1:]:
                yield _bare(row[1])
            elif row is not head:
                yield from (
                    _bare(cell)
                    for title, cell in zip(head, row, strict=False)
                    if words_of(title) == wanted
                )

    def has_words(self) -> bool:
        """Whether the document contains anything besides its headings."""
        return _filled(self.outline, 0, len(self.outline.lines))


def _bare(value: str) -> str:
    return value.strip("*_` \t")


def _filled(outline: Outline, start: int, end: int) -> bool:
    return any(
        outline.kinds[line] in ("text", "code", "quote") and says_something(outline.lines[line])
        for line in range(start, end)
    )


def _goes_on(outline: Outline, line: int) -> bool:
    """Whether a key without a value has one in the lines below it."""
    following = range(line + 1, min(line + 4, len(outline.lines)))
    below = next((each for each in following if outline.lines[each].strip()), None)
    if below is None or outline.kinds[below] == "heading":
        return False
    text = outline.lines[below]
    return says_something(text) and (text[:1].isspace() or not _FIELD.fullmatch(text))


def _unmarked(line: str) -> str:
    """The line without leading bullets, numbers, boxes and quote marks."""
    found = _MARKS.match(line)
    return line[found.end() :] if found else line


def _rows(outline: Outline) -> Iterator[tuple[list[str], list[str]]]:
    """The head row of each table with each of its rows, the head itself included."""
    head: list[str] = []
    for line, kind in enumerate(outline.kinds):
        if kind != "text" or not is_row(outline.lines[line]):
            head = []
            continue
        row = cells(outline.lines[line])
        head = head or row
        if not is_ruler(row):
            yield head, row
