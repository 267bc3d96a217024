"""Markdown as lines with kinds, headings and sections; the blocks are markdown-it's.

Three deliberate differences from CommonMark: dashes under `Key: value` lines are a rule and not a
heading, headings inside lists and quotes are not headings of the document, and a fence around the
whole document is not there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, Literal

from podium.documents.text import spellings

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

Kind = Literal["blank", "text", "heading", "rule", "code", "quote", "comment"]

LONGEST = 4000
"""Characters of a line that are looked at as structure: whatever is longer is nobody's writing."""
_SHORT = 100_000
"""Characters; longer texts are not cached."""
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_ITEM = re.compile(
    r"(?P<indent>[ \t]*)(?P<bullet>[-+*]|\d{1,9}[.)])(?:[ \t]+|$)"
    r"(?:\[(?P<box>[ xX])\](?:[ \t]+|$))?"
)
_FIELD_LINE = re.compile(r"[ *_`]*[A-Za-z][\w /()-]{0,60}[*_`]*:(?:[ *_`]|$)")
_RAW_HTML = re.compile(r"\s*<(?:script|pre|style|textarea|\?|!)", re.IGNORECASE)
_CODE_SPAN = re.compile(r"`[^`]*`")
_CLOSING_MARKS = re.compile(r"(?:^|[ \t]+)#+[ \t]*$")
_CELL = re.compile(r"(?<!\\)\|")
_FENCE = re.compile(r" {0,3}(?P<fence>`{3,}|~{3,})[ \t]*(?:md|markdown)?[ \t]*")


@dataclass(frozen=True)
class Line:
    """One line of text, taken apart."""

    number: int
    """From 0."""
    raw: str
    """As it stands, without its ending."""
    text: str
    """Without bullet, check box and surrounding space."""
    indent: int = 0
    bullet: str = ""
    box: str = ""
    """`x` or a space if there is a check box."""

    @property
    def is_row(self) -> bool:
        return self.raw.lstrip().startswith("|")


@dataclass(frozen=True)
class Heading:
    """One heading of the document itself."""

    level: int
    """1 to 6."""
    title: str
    """Without marks; runs of white space are one space."""
    line: int
    """From 0."""
    end: int
    """The first line after it."""


Block = Heading | Line


@dataclass(frozen=True)
class Outline:
    """A document's lines and the kind of each."""

    lines: tuple[str, ...]
    """Without their endings."""
    kinds: tuple[Kind, ...]
    headings: tuple[Heading, ...]
    _lines: dict[int, Line] = field(default_factory=dict, repr=False, compare=False)

    def line(self, number: int) -> Line:
        if number not in self._lines:
            self._lines[number] = take_apart(self.lines[number], number)
        return self._lines[number]

    @cached_property
    def ends(self) -> dict[int, int]:
        """For the line of each heading, the first line after its section."""
        ends: dict[int, int] = {}
        waiting: list[Heading] = []
        for heading in self.headings:
            while waiting and waiting[-1].level >= heading.level:
                ends[waiting.pop().line] = heading.line
            waiting.append(heading)
        return ends | {heading.line: len(self.lines) for heading in waiting}

    def whole(self) -> Section:
        return Section(self, 0, len(self.lines))

    def head(self) -> Section:
        """What comes before the first heading below the title."""
        end = next((each.line for each in self.headings if each.level > 1), len(self.lines))
        return Section(self, 0, end)

    def section(self, heading: Heading) -> Section:
        return Section(self, heading.end, self.ends[heading.line], heading)

    def sections(self, *titles: str) -> Iterator[Section]:
        """The sections with one of these titles, however they are spelled."""
        wanted = frozenset().union(*(spellings(title) for title in titles))
        return (self.section(each) for each in self.headings if spellings(each.title) & wanted)

    def blocks(self, start: int = 0, end: int | None = None) -> list[Block]:
        """Headings and lines of text, in order."""
        stop = len(self.lines) if end is None else end
        headings = {each.line: each for each in self.headings if start <= each.line < stop}
        return [
            headings[number] if number in headings else self.line(number)
            for number in range(start, stop)
            if number in headings or self.kinds[number] == "text"
        ]


@dataclass(frozen=True)
class Section:
    """A piece of a document: a title with what is under it."""

    outline: Outline
    start: int
    end: int
    heading: Heading | None = None

    def lines(self) -> list[Line]:
        """Its lines of text, without code, quotes, comments and headings."""
        kinds = self.outline.kinds
        return [
            self.outline.line(number)
            for number in range(self.start, self.end)
            if kinds[number] == "text"
        ]

    def blocks(self) -> list[Block]:
        return self.outline.blocks(self.start, self.end)

    def prose(self) -> str:
        """Everything in it but comments, without surrounding blank lines."""
        kinds, lines = self.outline.kinds, self.outline.lines
        return "\n".join(
            lines[number].rstrip()
            for number in range(self.start, self.end)
            if kinds[number] != "comment"
        ).strip("\n")


def take_apart(raw: str, number: int = 0) -> Line:
    seen = raw[:LONGEST]
    item = _ITEM.match(seen)
    if not item:
        text = seen.lstrip()
        indent = len(seen[: len(seen) - len(text)].expandtabs(4))
        return Line(number, raw, text.rstrip(), indent)
    indent = len(item["indent"].expandtabs(4))
    text = seen[item.end() :].strip()
    return Line(number, raw, text, indent, item["bullet"], item["box"] or "")


def cells(row: str) -> list[str]:
    """The cells of a table's row; an escaped bar separates nothing."""
    inside = row[:LONGEST].strip().removeprefix("|").removesuffix("|")
    return [cell.strip().replace("\\|", "|") for cell in _CELL.split(inside)]


def is_ruler(row: Sequence[str]) -> bool:
    """Whether a row only separates the head of a table from the rest."""
    return bool(row) and not any(cell.strip("-: ") for cell in row)


def split_lines(text: str) -> list[str]:
    """The lines with their endings; only CR, LF and CRLF end a line, as in Markdown itself."""
    return _LINE.findall(text)


def scan(text: str) -> Outline:
    return _remembered(text) if len(text) <= _SHORT else _scanned(text)


@lru_cache(maxsize=64)
def _remembered(text: str) -> Outline:
    """Cached, because a caller that asks for one value usually asks for the next."""
    return _scanned(text)


def _scanned(text: str) -> Outline:
    # Some editors begin a file with a mark that nobody sees.
    lines = tuple(line.rstrip("\r\n") for line in split_lines(text.removeprefix("\ufeff")))
    scanner = _Scanner(list(lines))
    scanner.unfence()
    for token in _parser().parse("\n".join(_cut(line) for line in scanner.lines)):
        if token.map:
            scanner.token(token, *token.map)
    return Outline(lines, tuple(scanner.kinds), tuple(scanner.headings))


def _cut(line: str) -> str:
    return line if len(line) <= LONGEST else line[:LONGEST]


@cache
def _parser() -> MarkdownIt:
    # It takes a tenth of a second to import, and showing a run needs no document.
    from markdown_it import MarkdownIt  # noqa: PLC0415

    parser = MarkdownIt("commonmark")
    parser.core.ruler.enableOnly(["normalize", "block"])
    parser.block.ruler.disable("reference")
    return parser


@dataclass
class _Scanner:
    lines: list[str]
    kinds: list[Kind] = field(default_factory=list)
    headings: list[Heading] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.kinds = ["text" if line.strip() else "blank" for line in self.lines]

    def unfence(self) -> None:
        """Agents put a fence around a whole document; nothing may stand outside of it."""
        filled = [number for number, kind in enumerate(self.kinds) if kind == "text"]
        opening = _FENCE.fullmatch(_cut(self.lines[filled[0]])) if len(filled) > 2 else None
        if not opening or self.lines[filled[-1]].strip() != opening["fence"]:
            return
        inside = [self.lines[number].strip() for number in filled[1:-1]]
        if inside[0].startswith("#") and _closes(inside, opening["fence"]):
            for number in (filled[0], filled[-1]):
                self.lines[number], self.kinds[number] = "", "comment"

    def token(self, token: Token, start: int, end: int) -> None:
        match token.type:
            case "fence" | "code_block":
                self._paint(start, end, "code")
            case "blockquote_open":
                self._paint(start, end, "quote")
            case "hr":
                self._paint(start, start + 1, "rule")
            case "html_block":
                self._html(start, end)
            case "paragraph_open":
                self._comments(start, end)
            case "heading_open" if token.level == 0:
                self._heading(token, start, end)
            case _:
                pass

    def _paint(self, start: int, end: int, kind: Kind) -> None:
        for number in range(start, end):
            # Whatever is quoted stays a quotation.
            if self.kinds[number] != "quote":
                self.kinds[number] = kind

    def _heading(self, token: Token, start: int, end: int) -> None:
        rows = self.lines[start:end]
        underlined = token.markup in {"=", "-"}
        dashes = token.markup == "-" and len(rows[-1].strip()) >= 3
        if dashes and all(_FIELD_LINE.match(row) for row in rows[:-1]):
            self.kinds[end - 1] = "rule"
            return
        self._paint(start, end, "heading")
        if underlined:
            title = " ".join(rows[:-1])
        else:
            title = _CLOSING_MARKS.sub("", _cut(rows[0]).strip().lstrip("#").strip())
        self.headings.append(Heading(int(token.tag[1]), " ".join(title.split()), start, end))

    def _html(self, start: int, end: int) -> None:
        if self.lines[start].lstrip().startswith("<!--"):
            self._paint(start, end, "comment")
        elif _RAW_HTML.match(self.lines[start]):
            self._paint(start, end, "code")

    def _comments(self, start: int, end: int) -> None:
        """Lines of a paragraph that are inside a comment; one never closed hides nothing."""
        hidden: list[int] = []
        inside = False
        for number in range(start, end):
            row = _cut(self.lines[number])
            row = row if inside else _CODE_SPAN.sub("", row)
            if inside:
                hidden.append(number)
            opened, closed = row.rfind("<!--"), row.rfind("-->")
            if opened >= 0 or closed >= 0:
                inside = opened > closed
        for number in () if inside else hidden:
            self._paint(number, number + 1, "comment")


def _closes(lines: Sequence[str], fence: str) -> bool:
    """Whether every fence among these lines has its end there too."""
    is_open = False
    for line in lines:
        if line.startswith(fence):
            bare = line == fence
            if bare and not is_open:
                return False
            is_open = not bare
    return not is_open
