"""A list of records in Markdown: where each entry begins and ends.

An entry is a heading with what is under it, an outermost list item, a table row, or a group of
`Key: value` lines that begins with the same key as the last. A heading that only groups deeper
headings is no entry; one that only names a closed word (`### High`) gives that word to what
follows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from podium.documents.fields import parse_field
from podium.documents.markdown import Block, Heading, Line, cells, is_ruler
from podium.documents.marks import Mark, mark_in, names_word, states
from podium.documents.passages import Entry
from podium.documents.record import Entries, Part, Table, regex_of
from podium.documents.text import bare, fold, headword, says_nothing, spellings
from podium.documents.values import Word

_AHEAD = 40
"""Lines below an item in which its first key must stand."""
_STATES = ("status", "resolution", "state")


def split(body: Sequence[Block], table: Table, rules: Entries, *, among: bool) -> list[Entry]:
    """The entries in a piece of a document; `among`: everything there is meant to be one."""
    indents = [block.indent for block in body if isinstance(block, Line) and block.bullet]
    base = min(indents, default=0) if among else 0
    splitter = _Splitter(table, rules, among=among, base=base)
    for at, block in enumerate(body):
        if isinstance(block, Heading):
            splitter.heading(block)
        elif block.is_row and rules.rows:
            splitter.row(block, body[at + 1 : at + 2])
        else:
            splitter.line(block, body[at + 1 : at + 1 + _AHEAD])
    end = body[-1].end if body and isinstance(body[-1], Heading) else 0
    splitter.close(max(end, body[-1].number + 1) if body and isinstance(body[-1], Line) else end)
    return [entry for entry in splitter.entries if splitter.counts(entry)]


class _Splitter:
    def __init__(self, table: Table, rules: Entries, *, among: bool, base: int) -> None:
        self.rules, self.among, self.base = rules, among, base
        self.labels = {label: part for part in table.parts for label in part.folded}
        self.marks = [part for part in table.parts if part.mark]
        self.entries: list[Entry] = []
        self.current: Entry | None = None
        self.columns: list[str] = []
        """Heads of the table that is being read; one empty head if it lists no entries."""
        self.aside = 0
        """Level of the heading whose content is skipped."""
        self.under = 0
        """Level of the heading under which everything is an entry."""
        self.covering = 0
        """Level of the heading that gives its words to what follows."""
        self.covered: dict[str, tuple[str, ...]] = {}

    def close(self, at: int) -> None:
        if self.current:
            self.current.end = at
            self.entries.append(self.current)
        self.current = None

    def open(self, entry: Entry) -> Entry:
        self.close(entry.line)
        entry.covered = dict(self.covered)
        entry.among = self.among or bool(self.under)
        self.current = entry
        return entry

    # --- headings

    def heading(self, heading: Heading) -> None:
        title, level = heading.title, heading.level
        marks = {part.name: self._mark(title, part) for part in self.marks}
        marked = any(mark.words for mark in marks.values()) or self._is_resolved(title)
        self.columns = []
        if self.aside and level > self.aside and not marked:
            return
        self._leave(level)
        if self._groups(heading, marks):
            return
        deeper = self.current is not None and level > self.current.level > 0
        if self.current and deeper and self._belongs(heading, marked=marked):
            return
        if not self.rules.headings or not self._begins(title):
            self.close(heading.line)
            return
        if self.current and deeper and not self.current.body:
            self.current = None  # it only groups deeper headings
        self.open(Entry(title, heading.line, level=level))

    def _leave(self, level: int) -> None:
        self.aside = 0
        if level <= self.covering:
            self.covering, self.covered = 0, {}
        if level <= self.under:
            self.under = 0

    def _groups(self, heading: Heading, marks: dict[str, Mark]) -> bool:
        """Whether a heading is about what follows it and begins no entry."""
        title = fold(heading.title)
        covering = {name: mark.words for name, mark in marks.items() if mark.covers}
        if self._is_part(heading):
            return False
        if self.rules.aside and regex_of(self.rules.aside).fullmatch(title):
            self.aside = heading.level
        elif self.rules.among and regex_of(self.rules.among).fullmatch(title):
            self.under = heading.level
        elif covering:
            self.covering, self.covered = heading.level, covering
        else:
            return False
        self.close(heading.line)
        return True

    def _is_part(self, heading: Heading) -> bool:
        inside = self.current is not None and heading.level > self.current.level > 0
        return inside and self._part(spellings(heading.title)) is not None

    def _belongs(self, heading: Heading, *, marked: bool) -> bool:
        """Whether a deeper heading is part of the entry around it, which then has it."""
        assert self.current
        part = self._part(spellings(heading.title))
        foreign = not self.rules.headings or not self._begins(heading.title)
        if part or foreign or (not marked and self.current.stated):
            self.current.add(heading, part)
            return True
        return False

    def _begins(self, title: str) -> bool:
        only = self.rules.only
        return not only or regex_of(only).fullmatch(title) is not None

    # --- lines

    def line(self, line: Line, following: Sequence[Block]) -> None:
        self.columns = []
        listed = self.among or self.under or self.covered or self.current
        unchosen = line.box == " " and not listed
        if self.aside or unchosen:
            return
        field = parse_field(line)
        part = self._part(spellings(field.label)) if field else None
        if part:
            self._field(line, part)
            return
        outer = line.bullet and line.indent < self.base + 2
        if outer and self.rules.items and self._item_begins(line, following):
            self.open(Entry(line.text, line.number, is_item=True))
        elif not line.bullet and (self._is_sure(line.text) or self._is_emphasised(line.text)):
            plain = not self._is_emphasised(line.text)
            self.open(Entry(line.text, line.number, plain=plain))
        elif self.current:
            self.current.add(line)
        elif self.covered and line.text and not says_nothing(line.text):
            self.open(Entry(line.text, line.number, is_item=True))

    def _item_begins(self, line: Line, following: Sequence[Block]) -> bool:
        current = self.current
        if current and not current.is_item and not current.level and current.stated:
            return False
        if current and current.level:
            # Under a heading that states nothing itself, an item with parts of its own is an entry.
            own = self._is_marked(line.text) or self._owns(line, following)
            return not current.stated and own
        return bool(self.among or self.under or self.covered) or self._is_marked(line.text)

    def _owns(self, line: Line, following: Sequence[Block]) -> bool:
        """Whether a key of an entry is nested below an item."""
        for block in following:
            if isinstance(block, Heading) or block.indent <= line.indent:
                return False
            field = parse_field(block)
            if field and self._part(spellings(field.label)):
                return True
        return False

    def _field(self, line: Line, part: Part) -> None:
        current = self.current
        again = self.rules.fields and part.merge != "join"
        repeated = current is not None and again and part.name in current.stated
        inside = current is not None and (
            current.level > 0 or line.indent >= self.base + 2 or not line.bullet
        )
        if current is None or repeated or not (inside or current.is_item is False):
            current = self.open(Entry("", line.number))
        current.add(line, part)

    # --- marks

    def _part(self, names: Iterable[str]) -> Part | None:
        return next((self.labels[name] for name in names if name in self.labels), None)

    def _mark(self, title: str, part: Part) -> Mark:
        assert isinstance(part.value, Word)
        tail = part.mark == "tail"
        return mark_in(title, part.value, part.label, tail=tail)

    def _is_sure(self, title: str) -> bool:
        return bool(self.rules.sure and regex_of(self.rules.sure).match(bare(title)))

    def _is_marked(self, title: str) -> bool:
        return self._is_sure(title) or any(self._mark(title, part).words for part in self.marks)

    def _is_emphasised(self, text: str) -> bool:
        """Whether a line of text begins with a mark in bold, in brackets or as a key."""
        words = [part.value for part in self.marks if isinstance(part.value, Word)]
        begins = text.startswith(("**", "__", "[")) or any(names_word(text, word) for word in words)
        return begins and any(self._mark(text, part).words for part in self.marks)

    # --- tables

    def row(self, line: Line, following: Sequence[Block]) -> None:
        row = cells(line.raw)
        if self.aside or is_ruler(row):
            return
        if not self.columns:
            self.columns = self._columns(row, following)
            if self.columns != [str(number) for number in range(len(row))]:
                return
        if any(self.columns) and row != self.columns:
            named = dict(zip(self.columns, row, strict=False))
            self.open(Entry("", line.number, cells=named))
            self.close(line.number + 1)

    def _columns(self, row: list[str], following: Sequence[Block]) -> list[str]:
        """What the cells of the rows below are called."""
        ruler = following[0] if following else None
        headed = isinstance(ruler, Line) and ruler.is_row and is_ruler(cells(ruler.raw))
        parts = {part.name for cell in row if (part := self._part(spellings(cell)))}
        if not headed and self.among and not parts:
            return [str(number) for number in range(len(row))]
        marks = {part.name for part in self.marks}
        # A table that only counts severities describes nothing.
        described = parts - marks if marks and self.rules.anywhere else parts
        wanted = self.among or self.under or self.covered or parts & (marks or parts)
        return row if described and wanted else [""]

    # --- what is an entry after all

    def counts(self, entry: Entry) -> bool:
        """Not an entry that says `none`, nor one that is resolved."""
        words = [block.text for block in entry.body if isinstance(block, Line)]
        if entry.title and says_nothing(entry.title) and not entry.stated:
            return False
        if self._is_resolved(entry.title) or self._has_resolution(entry):
            return False
        if entry.cells:
            return any(cell.strip(" -—–") for cell in entry.cells.values())
        if self.rules.only and entry.level:
            return True
        if entry.plain and not entry.stated:
            return any(self._mark(entry.title, part).words for part in self.marks)
        marks = {part.name for part in self.marks}
        enough = entry.stated & marks if marks and not entry.among else entry.stated
        if self._is_marked(entry.title) or entry.covered or enough or len(entry.stated) > 1:
            return bool(entry.title or words)
        if not (self.rules.bare and entry.among):
            return False
        return bool(entry.is_item or (words and not says_nothing(words[0])))

    def _is_resolved(self, title: str) -> bool:
        """`[Resolved] …`, `Blocker (…): Fully fixed`."""
        if not self.rules.resolved:
            return False
        pattern = regex_of(self.rules.resolved)
        rests = [self._mark(title, part).rest for part in self.marks] or [""]
        return any(states(title, pattern, rest=rest) for rest in rests)

    def _has_resolution(self, entry: Entry) -> bool:
        """`Status: fixed`."""
        if not self.rules.resolved:
            return False
        fields = [parse_field(block) for block in entry.body if isinstance(block, Line)]
        values = [field.value for field in fields if field and field.key in _STATES]
        values += [cell for name, cell in entry.cells.items() if fold(name) in _STATES]
        return any(regex_of(self.rules.resolved).fullmatch(headword(text)[0]) for text in values)
