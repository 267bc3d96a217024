"""An answer as flat lines: titles, and one-line items that cannot be mistaken for structure."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from podium.formats import table_cells
from podium.formats.field_lines import one_line, parse_field
from podium.formats.markdown import scan
from podium.formats.outline import Outline
from podium.workflows.roadmap.messages.dropping import (
    ERROR_LINES,
    block_lines,
    error_lines,
    is_diff,
    is_dropped_title,
    is_error,
    is_frame,
    is_noise,
)
from podium.workflows.roadmap.messages.statements import BULLET
from podium.workflows.roadmap.messages.words import fold_word

MAX_LINE = 300
_COLOUR = re.compile(r"\x1b\[[0-9;:?]*[A-Za-z]")
_COMMENT = re.compile(r"<!--(?:(?!-->|<!--).)*-->")
_TOKEN = re.compile(r"[^\s`]*`[^`]*`\S*|\S+")
_TITLE = re.compile(r" {0,3}\*\*(?P<title>[^*]+)\*\*:? *")
_QUOTE = re.compile(r"^(?: {0,3}> ?)+")
_FENCE = re.compile(r" *(?:`{3,}|~{3,})")


@dataclass(frozen=True)
class Line:
    """One line of a compressed answer."""

    text: str
    is_title: bool = False

    def shown(self) -> str:
        return f"**{self.text}**" if self.is_title else f"- {self.text}"


def clean(text: str) -> str:
    """The line without colours, comments and control characters; its indentation stays."""
    text = _COMMENT.sub("", _COLOUR.sub("", text)).expandtabs(4).rstrip()
    indent = len(text) - len(text.lstrip(" "))
    return " " * indent + one_line(text)


def cut(text: str, limit: int) -> str:
    """As many whole words as fit; a path or a text in backquotes counts as one word."""
    if len(text) <= limit:
        return text
    end = 0
    for token in _TOKEN.finditer(text[: 4 * limit + 4096]):
        if token.end() + 2 > limit:
            break
        end = token.end()
    return f"{text[:end]} …".lstrip()


def readable(outline: Outline) -> list[Line]:
    """What is kept of an answer, in order; a title is kept only if something follows under it."""
    reader = _Reader()
    dropped = _dropped(outline)
    titles = {heading.line: heading for heading in outline.headings}
    for number, text in enumerate(outline.lines):
        kind = outline.kinds[number]
        if number in titles and number not in dropped:
            reader.heading(titles[number].title)
        elif number in dropped or kind in ("heading", "rule", "comment"):
            reader.end()
        elif kind == "blank":
            reader.blank()
        elif kind in ("code", "quote"):
            reader.code(text, quoted=kind == "quote")
        else:
            reader.prose(text, title=_title_at(outline, number))
    reader.end()
    return reader.finished()


def _dropped(outline: Outline) -> set[int]:
    """Lines of the sections that are left out, with their headings."""
    found: set[int] = set()
    for index, heading in enumerate(outline.headings):
        if is_dropped_title(heading.title.partition(":")[0]):
            found.update(range(heading.line, outline.ends[index]))
    return found


def _title_at(outline: Outline, number: int) -> str:
    """The title in a line that is only bold text, as people write headings; empty if the line is
    none.
    """
    found = _TITLE.fullmatch(outline.lines[number])
    before = number == 0 or outline.kinds[number - 1] != "text"
    after = number + 1 == len(outline.lines) or outline.kinds[number + 1] != "text"
    alone = before and (after or BULLET.match(outline.lines[number + 1]))
    return found["title"].strip(": ") if found and alone else ""


@dataclass
class _Reader:
    found: list[Line] = field(default_factory=list)
    unit: list[str] = field(default_factory=list)
    """The lines of the paragraph or item being read."""
    block: list[str] = field(default_factory=list)
    """The lines of the code being read."""
    differs: bool = False
    """Whether the code block is labelled as a diff."""
    title: Line | None = None
    spoken: bool = False
    """Whether the title was a bold line, which may have been a statement itself."""
    skipping: int | None = None
    """The indentation of the key whose items are left out."""
    skips_items: bool = False
    """Whether items at the same depth belong to that key too."""
    muted: bool = False
    """Whether a bold line began a part that is left out."""

    def heading(self, title: str) -> None:
        self.end()
        self.muted = False
        key, _, value = title.partition(":")
        if value.strip():
            self._keep(title)
        else:
            self._open(key, spoken=False)

    def prose(self, text: str, *, title: str) -> None:
        self._end_block()
        if title:
            self.end()
            self.muted = is_dropped_title(title)
            if not self.muted and ":" in title:
                self._keep(title)
            elif not self.muted:
                self._open(title, spoken=True)
            return
        bullet = BULLET.match(text)
        if self.muted or self._skips(text, bullet is not None):
            return
        if text.lstrip().startswith("|"):
            self._end_unit()
            cells = table_cells.cells(text)
            if not table_cells.is_ruler(cells):
                self._keep(" | ".join(cells))
        else:
            if bullet or parse_field(text.replace("**", "")):
                self._end_unit()
            self.unit.append(text[bullet.end() :] if bullet else text)

    def code(self, text: str, *, quoted: bool) -> None:
        self._end_unit()
        if fence := _FENCE.match(text):
            self._end_block()
            self.differs = fold_word(text[fence.end() :]) in ("diff", "patch")
            return
        self.block.append(_QUOTE.sub("", text, count=1) if quoted else text)

    def blank(self) -> None:
        self._end_unit()
        if self.block:
            self.block.append("")

    def end(self) -> None:
        self._end_unit()
        self._end_block()
        self.skipping = None

    def finished(self) -> list[Line]:
        self._settle_title()
        return self.found

    def _skips(self, text: str, bulleted: bool) -> bool:
        """Whether a line belongs to a list that is left out, or begins one."""
        indent = len(text) - len(text.lstrip())
        if self.skipping is not None and (
            indent > self.skipping or (bulleted and self.skips_items)
        ):
            return True
        self.skipping = None
        named = parse_field(text.replace("**", ""))
        if named and is_dropped_title(named.key):
            self._end_unit()
            self.skipping, self.skips_items = indent, not bulleted
            return True
        return False

    def _open(self, title: str, *, spoken: bool) -> None:
        self._settle_title()
        text = clean(title.replace("*", "")).strip()
        self.title, self.spoken = (
            (Line(cut(text, MAX_LINE), is_title=True) if text else None),
            spoken,
        )

    def _settle_title(self) -> None:
        """A bold line with nothing under it is a statement and kept; a heading with nothing
        under it is dropped.
        """
        title, self.title = self.title, None
        if title and self.spoken:
            self._keep(title.text)

    def _end_unit(self) -> None:
        lines, self.unit = [clean(line) for line in self.unit], []
        if not lines or is_diff(lines):
            return
        if is_error(lines[0].strip()) or any(is_frame(line.strip()) for line in lines):
            for line in error_lines(lines)[:ERROR_LINES]:
                self._keep(line)
        else:
            self._keep(" ".join(line.strip() for line in lines))

    def _end_block(self) -> None:
        lines, self.block = [clean(line) for line in self.block], []
        for line in () if self.muted or self.differs else block_lines(lines):
            self._keep(line, is_code=True)
        self.differs = False

    def _keep(self, text: str, *, is_code: bool = False) -> None:
        text = " ".join(clean(text).split())
        if not text.strip("-*_ |") or (not is_code and is_noise(text)):
            return
        if self.title is not None:
            self.found.append(self.title)
            self.title = None
        if is_code and "`" not in text:
            text = f"`{cut(text, MAX_LINE - 2)}`"
        self.found.append(Line(safe_item(cut(text, MAX_LINE))))


def safe_item(text: str) -> str:
    """The text in a form that can only be a list item, whatever it looks like."""
    if _is_item(text):
        return text
    return "`" + cut(text.replace("`", "'"), MAX_LINE - 2) + "`"


def _is_item(text: str) -> bool:
    """Text that begins with a letter is an item. For other text the scanner must find prose, on
    this line and the next.
    """
    if text[:1].isalpha():
        return True
    return scan(f"- {text}\n- x").kinds == ("text", "text") and not BULLET.match(f"{text} ")
