"""Which lines of a Markdown document are headings, which are prose, which are neither.

The block rules are CommonMark's: containers (quotes, list items) are matched line by line,
then one leaf (paragraph, fence, HTML) is open at a time. Inline markup is not parsed. Two
deliberate differences: dashes directly under `Key: value` lines are a rule and not a setext
heading, because that is how people write them; and beyond 32 nested containers a line counts
as code, because matching every container on every line would be quadratic.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from podium.formats.outline import Heading, Kind, Outline

Leaf = Literal["none", "paragraph", "fence", "html"]

MAX_DEPTH = 32
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_ATX = re.compile(r"(#{1,6})(?: |$)")
_FENCE = re.compile(r"(`{3,})[^`]*$|(~{3,})")
_RULE = re.compile(r"(?:\* *){3,}$|(?:- *){3,}$|(?:_ *){3,}$")
_SETEXT = re.compile(r"(=+|-+) *$")
_ITEM = re.compile(r"(?:[-+*]|(\d{1,9})[.)])(?= |$)", re.ASCII)
_CODE_SPAN = re.compile(r"`[^`]*`")
_FIELD_LINE = re.compile(r"[ *_`]*[A-Za-z][\w /()-]{0,60}[*_`]*:(?:[ *_`]|$)")
_RAW_HTML = re.compile(r"<(script|pre|style|textarea)(?:[ >]|$)", re.IGNORECASE)
_BLOCK_HTML = re.compile(
    r"</?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|"
    r"dd|details|dialog|dir"
    r"|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|"
    r"html|iframe|legend|li"
    r"|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot"
    r"|th|thead|title|tr|track|ul)(?:[ >]|/>|$)",
    re.IGNORECASE,
)


def split_lines(text: str) -> tuple[str, ...]:
    """The lines with their endings; only CR, LF and CRLF end a line, as in Markdown itself."""
    return tuple(_LINE.findall(text))


_SHORT = 100_000
"""Characters; longer texts are not cached."""


def scan(text: str) -> Outline:
    return _remembered(text) if len(text) <= _SHORT else _scanned(text)


@lru_cache(maxsize=64)
def _remembered(text: str) -> Outline:
    """Cached, because a caller that asks for one field usually asks for the next; one step of a
    run reads dozens of texts.
    """
    return _scanned(text)


def _scanned(text: str) -> Outline:
    # Some editors begin a file with a mark that nobody sees.
    lines = tuple(line.rstrip("\r\n") for line in split_lines(text.removeprefix("\ufeff")))
    scanner = _Scanner()
    for number, line in enumerate(lines):
        scanner.kinds.append(scanner.feed(number, line.expandtabs(4) if "\t" in line else line))
    scanner.end_paragraph()
    return Outline(lines, tuple(scanner.kinds), tuple(scanner.headings))


@dataclass
class _Container:
    offset: int
    """Columns by which a list item's content is indented; 0 for a quote."""
    filled: bool = True
    """Whether a list item has content yet: an empty one ends at the next blank line."""


def _indent(row: str, at: int) -> int:
    if row[at : at + 1] != " ":
        return 0
    return len(row) - at - len(row[at:].lstrip(" "))


def _past_quote_mark(row: str, at: int) -> int:
    return at + 2 if row[at + 1 : at + 2] == " " else at + 1


@dataclass
class _Scanner:
    kinds: list[Kind] = field(default_factory=list)
    headings: list[Heading] = field(default_factory=list)
    containers: list[_Container] = field(default_factory=list)
    leaf: Leaf = "none"
    fence: str = ""
    html_end: str = ""
    html_kind: Kind = "comment"
    paragraph: list[str] = field(default_factory=list)
    started: int = 0
    in_comment: bool = False
    hidden: list[int] = field(default_factory=list)

    def feed(self, number: int, row: str) -> Kind:
        if not self.containers:
            # Most lines of a long document continue a paragraph or are blank, and can be nothing
            # else.
            if self.leaf == "paragraph" and row[:1].isalpha():
                return self._add_text(number, row)
            if self.leaf in ("fence", "html"):
                return self._inside_leaf(row, 0)
            if not row:
                self.end_paragraph()
                return "blank"
        at, matched = self._match_containers(row)
        if matched == len(self.containers) and self.leaf in ("fence", "html"):
            kind = self._inside_leaf(row, at)
        else:
            kind = self._open(number, row, at, matched)
        quoted = self.containers and any(container.offset == 0 for container in self.containers)
        return "quote" if quoted else kind

    def _match_containers(self, row: str) -> tuple[int, int]:
        at = 0
        for matched, container in enumerate(self.containers):
            indent = _indent(row, at)
            blank = at + indent >= len(row)
            if container.offset == 0:
                if blank or indent > 3 or row[at + indent] != ">":
                    return at, matched
                at = _past_quote_mark(row, at + indent)
            elif blank and container.filled:
                at = len(row)
            elif not blank and indent >= container.offset:
                at += container.offset
            else:
                return at, matched
        return at, len(self.containers)

    def _inside_leaf(self, row: str, at: int) -> Kind:
        rest = row[at:].strip(" ")
        if self.leaf == "fence":
            if self.fence not in rest:
                return "code"
            closes = len(rest) >= len(self.fence) and not rest.strip(self.fence[0])
            if closes and _indent(row, at) <= 3:
                self.leaf = "none"
            return "code"
        if not self.html_end and not rest:
            self.leaf = "none"
            return "blank"
        if self.html_end and self.html_end in rest.lower():
            self.leaf = "none"
        return self.html_kind

    def _open(self, number: int, row: str, at: int, matched: int) -> Kind:
        direct = self.leaf == "paragraph" and matched == len(self.containers)
        at, fresh, too_deep = self._new_containers(row, at, matched, direct)
        indent = _indent(row, at)
        rest = row[at + indent :].rstrip(" ")
        if (
            rest
            and not fresh
            and self.leaf == "paragraph"
            and not self._starts_leaf(rest, indent, direct)
        ):
            return self._add_text(number, rest)
        if (
            direct
            and not fresh
            and indent < 4
            and _SETEXT.match(rest)
            and self._close_setext(number, rest)
        ):
            return "heading"
        self.end_paragraph()
        self.containers[matched:] = fresh
        for container in self.containers[:-1] if not rest else self.containers:
            container.filled = True
        if too_deep:
            return "code"
        if not rest:
            return "text" if fresh else "blank"
        return self._open_leaf(number, rest, indent)

    def _new_containers(
        self, row: str, at: int, matched: int, direct: bool
    ) -> tuple[int, list[_Container], bool]:
        fresh: list[_Container] = []
        while True:
            indent = _indent(row, at)
            rest = row[at + indent :]
            setext = direct and not fresh and _SETEXT.match(rest)
            if indent > 3 or not rest or rest[0] not in ">-+*0123456789" or setext:
                return at, fresh, False
            if rest[0] == ">":
                container, step = _Container(0), _past_quote_mark(row, at + indent) - at
            else:
                item = _ITEM.match(rest)
                if (
                    not item
                    or _RULE.match(rest)
                    or (direct and not fresh and not _may_interrupt(rest, item))
                ):
                    return at, fresh, False
                padding = _indent(rest, item.end())
                if padding > 4 or item.end() + padding >= len(rest):
                    padding = 1
                step = indent + item.end() + padding
                container = _Container(step, filled=False)
            if matched + len(fresh) >= MAX_DEPTH:
                return at, fresh, True
            fresh.append(container)
            at = min(at + step, len(row))

    def _starts_leaf(self, rest: str, indent: int, direct: bool) -> bool:
        """Whether the line ends an open paragraph instead of continuing it."""
        if indent > 3:
            return False
        return bool(
            _ATX.match(rest)
            or _FENCE.match(rest)
            or _RULE.match(rest)
            or (direct and _SETEXT.match(rest))
            or _html_block(rest)
        )

    def _open_leaf(self, number: int, rest: str, indent: int) -> Kind:
        if indent > 3:
            return "code"
        if atx := _ATX.match(rest):
            self._add_heading(
                len(atx[1]), _without_closing_marks(rest[atx.end() :]), number, number
            )
            return "heading"
        if fence := _FENCE.match(rest):
            self.leaf, self.fence = "fence", fence[1] or fence[2]
            return "code"
        if _RULE.match(rest):
            return "rule"
        if html := _html_block(rest):
            self.html_end, self.html_kind, begin = html
            closed = self.html_end and self.html_end in rest.lower()[begin:]
            self.leaf = "none" if closed else "html"
            return self.html_kind
        self.leaf, self.started = "paragraph", number
        return self._add_text(number, rest)

    def _close_setext(self, number: int, rest: str) -> bool:
        if rest[0] == "-" and len(rest) >= 3 and all(map(_FIELD_LINE.match, self.paragraph)):
            return False
        self._add_heading(
            1 if rest[0] == "=" else 2, " ".join(self.paragraph), self.started, number
        )
        # Lines of a quote remain lines of a quote.
        for line in range(self.started, number):
            if self.kinds[line] != "quote":
                self.kinds[line] = "heading"
        self.hidden.clear()
        self.end_paragraph()
        return True

    def _add_heading(self, level: int, title: str, first: int, last: int) -> None:
        if not self.containers:
            self.headings.append(Heading(level, " ".join(title.split()), first, last + 1))

    def _add_text(self, number: int, row: str) -> Kind:
        self.paragraph.append(row)
        was_hidden = self.in_comment
        if "-->" in row or "<!--" in row:
            self._follow_comments(row)
        if not was_hidden:
            return "text"
        self.hidden.append(number)
        return "comment"

    def _follow_comments(self, row: str) -> None:
        row = row if self.in_comment else _CODE_SPAN.sub("", row)
        opened, closed = row.rfind("<!--"), row.rfind("-->")
        if opened >= 0 or closed >= 0:
            self.in_comment = opened > closed

    def end_paragraph(self) -> None:
        # If a paragraph does not close its comment, every reader shows that comment as text.
        for number in self.hidden if self.in_comment else ():
            if self.kinds[number] == "comment":
                self.kinds[number] = "text"
        if self.paragraph:
            self.paragraph.clear()
            self.hidden.clear()
        self.leaf, self.in_comment = "none", False


def _may_interrupt(rest: str, item: re.Match[str]) -> bool:
    """A list inside a running paragraph must have content, and start at 1 if it is numbered."""
    return bool(rest[item.end() :].strip(" ")) and int(item[1] or 1) == 1


def _without_closing_marks(title: str) -> str:
    title = title.strip(" ")
    bare = title.rstrip("#")
    return bare if not bare or bare.endswith(" ") else title


def _html_block(rest: str) -> tuple[str, Kind, int] | None:
    """What ends the HTML block that starts here, the kind of its lines, and where the end may
    begin.
    """
    if rest[0] != "<":
        return None
    if rest.startswith("<!--"):
        return "-->", "comment", 2
    if raw := _RAW_HTML.match(rest):
        return f"</{raw[1].lower()}>", "code", 0
    if rest.startswith("<?"):
        return "?>", "code", 1
    if rest.startswith("<![CDATA["):
        return "]]>", "code", 0
    if re.match(r"<![A-Za-z]", rest):
        return ">", "code", 0
    return ("", "text", 0) if _BLOCK_HTML.match(rest) else None
