"""A document for agents, split into statements: sentences, list items, table rows, each with its
line.

Such documents are Markdown, or what remains of it after a web page was copied: bullets of any kind,
headings without a mark, items with line breaks anywhere. A list belongs to the words before it:
under "must not:" every item is something that must not be.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

_FENCE = re.compile(r"\s*(`{3,}|~{3,})(?P<info>.*)$")
_HEADING = re.compile(r"#{1,6}\s+(?P<title>.+?)\s*#*$")
_ITEM = re.compile(r"(?P<pad>\s*)(?:[-*•+]|\d{1,3}[.)])(?:\s+(?P<text>.*)|)$")
_ROW = re.compile(r"\s*\|(?P<cells>.*)\|\s*$")
_RULER = re.compile(r"[\s|:+-]+")
_SENTENCE = re.compile(r"(?<!\d[.])(?<=[.!?])[*_`)\"”]*\s+(?=[A-Z*_`\"“\[(⚠])")
_INNER_ITEM = re.compile(r"(?<=[\w/.)`’'])\s+-\s+(?=[a-z])")
_DATA = frozenset(
    {
        "yaml",
        "yml",
        "json",
        "toml",
        "mermaid",
        "diff",
        "python",
        "py",
        "js",
        "ts",
        "typescript",
        "javascript",
        "bash",
        "sh",
        "console",
    }
)
"""Languages of code: nothing in it is addressed to an agent."""
_COMMENT = re.compile(r"`[^`\n]*`|<!--(?P<inside>.*?)-->", re.DOTALL)
_FEW, _FAR = 4, 500


@dataclass(frozen=True)
class Statement:
    """One statement."""

    line: int
    """From 1."""
    text: str
    lead: str = ""
    """The words before its list; for a row, the head of its table."""
    section: str = ""
    """The heading it is under."""
    quoted: bool = False
    """Whether it is in a block that is not the document's own voice: a prompt, a drawing."""
    row: bool = False


@dataclass
class _Scanner:
    found: list[Statement] = field(default_factory=list)
    section: str = ""
    lead: str = ""
    lead_indent: int = -1
    head: str = ""
    buffer: list[tuple[int, str]] = field(default_factory=list)
    indent: int = 0
    item: bool = False
    quoted: bool = False

    def flush(self) -> None:
        """End a paragraph or an item; its last words may introduce a list."""
        pieces, self.buffer = self.buffer, []
        if not pieces:
            return
        for line, text in _sentences(pieces):
            if not any(sign.isalnum() for sign in text):
                continue
            lead = self.lead if self.item and self.indent > self.lead_indent else ""
            self.found.append(Statement(line, text, lead, self.section, self.quoted))
        last = pieces[-1][1].rstrip(" *_")
        if last.endswith(":"):
            self.lead, self.lead_indent = _last_sentence(pieces), self.indent if self.item else -1
        elif not self.item:
            self.lead, self.lead_indent = "", -1

    def row(self, line: int, cells: str) -> None:
        self.flush()
        if _RULER.fullmatch(cells):
            return
        said = [cell.strip() for cell in cells.split("|")]
        if not self.head:
            self.head = " ".join(said)
            return
        self.found.append(
            Statement(line, " | ".join(said), self.head, self.section, self.quoted, row=True)
        )


def statements(text: str, first: int = 1) -> tuple[Statement, ...]:
    """Every statement of a text, in order; `first` is the number of its first line."""
    scanner = _Scanner()
    lines = _COMMENT.sub(_left_out, text).split("\n")
    fence = ""
    for number, line in enumerate(lines, first):
        mark = _FENCE.match(line)
        if (
            mark
            and not fence
            and _holds_sections(lines[number - first + 1 : number - first + 1 + _FAR], mark[1])
        ):
            continue  # a stray fence: what follows is the document itself
        if mark and (not fence or (mark[1].startswith(fence) and not mark["info"].strip())):
            scanner.flush()
            fence = "" if fence else mark[1]
            scanner.quoted = bool(fence)
            skipping = bool(fence) and mark["info"].strip().lower() in _DATA
            continue
        if fence and skipping:
            continue
        _line(scanner, number, line.rstrip(), alone=_alone(lines, number - first))
    scanner.flush()
    return tuple(scanner.found)


def _left_out(found: re.Match[str]) -> str:
    """Drop comments, which address nobody, but keep their lines; text in code spans is not a
    comment.
    """
    inside = found["inside"]
    return found[0] if inside is None else "\n" * inside.count("\n")


def _holds_sections(after: Sequence[str], fence: str) -> bool:
    """Whether a block that begins here has several sections, which no drawing or prompt has."""
    inside = takewhile(lambda line: not line.strip().startswith(fence), after)
    return sum(bool(_HEADING.match(line)) for line in inside) > _FEW


def _line(scanner: _Scanner, number: int, line: str, *, alone: bool) -> None:
    if row := _ROW.match(line):
        scanner.row(number, row["cells"])
        return
    if not line.strip():
        scanner.flush()
        scanner.head = ""
        return
    scanner.head = ""
    heading = None if scanner.quoted else _HEADING.match(line)
    if heading or (alone and not scanner.quoted and _is_title(line)):
        scanner.flush()
        scanner.section = heading["title"] if heading else line.strip()
        scanner.lead, scanner.lead_indent, scanner.item, scanner.indent = "", -1, False, 0
        return
    if item := _ITEM.match(line.removeprefix("> ")):
        scanner.flush()
        scanner.item, scanner.indent = True, len(item["pad"])
        if scanner.indent <= scanner.lead_indent:
            scanner.lead, scanner.lead_indent = "", -1
        scanner.buffer = [(number, (item["text"] or "").strip())]
        return
    _continued(scanner, number, line)


def _continued(scanner: _Scanner, number: int, line: str) -> None:
    said = line.removeprefix(">").strip()
    if scanner.buffer and _goes_on(scanner.buffer[-1][1], said, scanner.quoted):
        # In a copied page, the mark of the next item may be in the middle of a line.
        first, *others = _INNER_ITEM.split(said) if scanner.item else (said,)
        scanner.buffer.append((number, first))
        for each in others:
            scanner.flush()
            scanner.buffer = [(number, each)]
        return
    scanner.flush()
    scanner.item, scanner.indent = False, 0
    scanner.buffer = [(number, said)]


def _goes_on(before: str, line: str, quoted: bool) -> bool:
    """Whether a line continues the one before it; a finished sentence is not continued."""
    if quoted:
        return False
    if not before:
        return True
    return (
        not before.rstrip(' *_`"”)').endswith((".", "!", "?", ":", ";")) and not line[:1].isupper()
    )


def _alone(lines: list[str], at: int) -> bool:
    before = at == 0 or not lines[at - 1].strip()
    after = at + 1 >= len(lines) or not lines[at + 1].strip()
    return before and after


def _is_title(line: str) -> bool:
    said = line.strip()
    return (
        len(said.split()) <= 7
        and said[:1].isupper()
        and not said.endswith((".", ":", ";", ",", "?", "!"))
        and line[:1] != " "
    )


def _sentences(pieces: list[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """The sentences of connected lines, each with the line it begins on."""
    whole, starts = "", []
    for line, text in pieces:
        whole = f"{whole} {text}" if whole else text
        starts.append((len(whole) - len(text), line))
    at = 0
    for gap in [*_SENTENCE.finditer(whole), None]:
        end = gap.start() if gap else len(whole)
        said = whole[at:end].strip()
        if said:
            yield max((start, line) for start, line in starts if start <= at)[1], said
        at = gap.end() if gap else end


def _last_sentence(pieces: list[tuple[int, str]]) -> str:
    return list(_sentences(pieces))[-1][1]
