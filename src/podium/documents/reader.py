"""Markdown to plain data, as a record declares it; the line of every value is kept.

Structure decides, never a word in prose: a value is a heading's section, a `Key: value` line, a
list item or a table row, outside of code, quotes and comments.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from podium.documents.entries import split
from podium.documents.fields import fields_in, parse_field
from podium.documents.groups import Many, Named, inner
from podium.documents.issues import Issue, Path
from podium.documents.markdown import Block, Heading, Line, Outline
from podium.documents.marks import mark_in
from podium.documents.own import Own
from podium.documents.passages import Entry, Passage, has_label, items_in, labelled
from podium.documents.record import Part, Table, Titled, Within, regex_of
from podium.documents.text import fold, says_nothing, spellings, unwrap
from podium.documents.values import Flag, Prose, Value, Word


class Reader:
    """Reads one document."""

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self.places: dict[Path, int] = {}
        """The line of every path, from 1."""
        self.contradictions: list[Issue] = []
        """What the document says twice and differently."""
        self._head: range = range(0)

    def line_of(self, path: Path) -> int:
        while path and path not in self.places:
            path = path[:-1]
        return self.places.get(path, 1)

    def document(self, table: Table) -> dict[str, Any]:
        title = self._title(table)
        start = title.end if title else 0
        headings = self.outline.headings
        end = next((each.line for each in headings if each.line >= start), len(self.outline.lines))
        self._head = range(start, end)
        entry = Entry(
            title.title if title else "",
            title.line if title else 0,
            self.outline.blocks(),
            end=len(self.outline.lines),
        )
        return self._record(table, entry, (), own=True)

    def _title(self, table: Table) -> Heading | None:
        pattern = next((p.at.pattern for p in table.parts if isinstance(p.at, Titled)), "")
        headings = self.outline.headings
        named = (each for each in headings if pattern and _matches(pattern, each.title))
        return next(named, None) or next((each for each in headings if each.level == 1), None)

    def _record(self, table: Table, entry: Entry, path: Path, *, own: bool) -> dict[str, Any]:
        """The data of one record: the document itself, or one entry of a list."""
        self.places[path] = entry.line + 1
        parts = [part for part in table.parts if has_label(part)]
        passages = labelled(entry.body, parts, entry.end, own=own)
        data: dict[str, Any] = {}
        for part in table.parts:
            place = (*path, part.key)
            contents = self._passages(part, entry, passages)
            if contents:
                self.places[place] = contents[0].line + 1
            value = self._data(part, contents, entry, place)
            if value is not None:
                data[part.key] = value
        return data

    # --- where a part stands

    def _passages(
        self, part: Part, entry: Entry, passages: Sequence[tuple[Part, Passage]]
    ) -> list[Passage]:
        if part.at == "head":
            return self._fields(part, self.outline.blocks(self._head.start, self._head.stop))
        if part.at == "anywhere":
            return self._fields(part, entry.body)
        if part.at == "body":
            return [Passage(entry.line, "", entry.body, start=entry.line + 1, end=entry.end)]
        if isinstance(part.at, Within):
            return self._within(part, part.at)
        own = [passage for each, passage in passages if each.name == part.name]
        for name, cell in entry.cells.items():
            if cell and not spellings(name).isdisjoint(part.folded):
                own.append(Passage(entry.line, cell, [], "line", name))
        return sorted(own, key=self._rank) if not entry.cells else own

    def _rank(self, passage: Passage) -> int:
        """A heading of its own is meant most, then a line at the top of the document."""
        if passage.origin == "heading":
            return 0
        return 1 if passage.line in self._head else 2

    def _within(self, part: Part, at: Within) -> list[Passage]:
        sections = list(self.outline.sections(*at.titles))
        passages = [each for section in sections for each in self._fields(part, section.blocks())]
        if not passages and sections and sections[0].heading:
            self.places[(part.key,)] = sections[0].heading.line + 1
        return passages

    def _fields(self, part: Part, body: Sequence[Block]) -> list[Passage]:
        lines = [block for block in body if isinstance(block, Line)]
        if isinstance(inner(part.value), Named):
            first = lines[0].number if lines else 0
            return [Passage(first, "", list(lines), "line")] if lines else []
        return [
            Passage(field.line, field.value, [], "line", field.label)
            for field in fields_in(lines)
            if field.is_one_of(part.folded)
        ]

    # --- what it says

    def _data(self, part: Part, passages: Sequence[Passage], entry: Entry, path: Path) -> Any:
        value = inner(part.value)
        if isinstance(value, Own):
            return value.read(passages, entry, self.outline)
        if isinstance(value, Many) and isinstance(inner(value.of), Table):
            return self._list(part, value, passages, entry, path)
        if isinstance(part.at, Titled) and not passages:
            return self._of_title(part, part.at, entry, path)
        if part.merge == "once" and len(passages) > 1:
            self._twice((*path, 1), f"'{part.label}'", passages[1].line)
        if isinstance(value, Word):
            return self._word(part, value, passages, entry, path)
        if not passages:
            return None
        return self._plain(value, passages if part.merge == "join" else passages[:1], path)

    def _twice(self, path: Path, name: str, line: int) -> None:
        self.contradictions.append(Issue(path, f"{name} stands there twice", "keep one of them"))
        self.places[path] = line + 1

    def _plain(self, value: Value, passages: Sequence[Passage], path: Path) -> Any:
        if isinstance(value, Prose):
            return "\n".join(passage.prose(self.outline) for passage in passages)
        if isinstance(value, Named):
            return self._named(value, passages, path)
        if isinstance(value, Table):
            first = passages[0]
            entry = Entry("", first.line, first.body, end=first.end)
            return self._record(value, entry, path, own=False)
        if isinstance(value, Many):
            return [item for passage in passages for item in self._many(value, passage, path)]
        lines = [line for passage in passages for line in passage.lines if line.text]
        return value.from_text(unwrap(lines[0].text)) if lines else ""

    def _many(self, value: Many, passage: Passage, path: Path) -> Iterator[Any]:
        body = [line for line in passage.lines if line.number > passage.line or not passage.value]
        items = items_in(body)
        if passage.value and not items:
            yield from value.from_text(passage.value)
            return
        for at, item in enumerate(items):
            self.places[*path, at] = item.line + 1
            if not (len(items) == 1 and says_nothing(item.whole)):
                yield value.of.from_text(item.whole)
        for line in () if items or value.listed else body:
            yield from value.from_text(line.text)

    def _named(self, value: Named, passages: Sequence[Passage], path: Path) -> dict[str, Any]:
        data: dict[str, Any] = {}
        names: dict[str, str] = {}
        for field in fields_in(line for passage in passages for line in passage.lines):
            if not field.key.startswith(fold(value.prefix)) or fold(field.value) in value.skip:
                continue
            name = field.label[len(value.prefix) :].strip()
            item = value.of.from_text(field.value)
            first = names.setdefault(fold(name), name)
            if first not in data:
                data[first] = item
                self.places[*path, first] = field.line + 1
            elif data[first] != item or not isinstance(value.of, Flag):
                self._twice((*path, first, 1), f"'{field.label}'", field.line)
        return data

    def _of_title(self, part: Part, at: Titled, entry: Entry, path: Path) -> Any:
        self.places[path] = entry.line + 1
        text = entry.title or next(iter(entry.cells.values()), "")
        if isinstance(part.value, Word):
            return self._word(part, part.value, (), entry, path)
        if not at.pattern:
            return part.value.from_text(text) if text else None
        match = regex_of(at.pattern).fullmatch(unwrap(text))
        group = match.groupdict().get(part.name) if match else None
        return None if group is None else part.value.from_text(group.strip())

    def _word(
        self, part: Part, value: Word, passages: Sequence[Passage], entry: Entry, path: Path
    ) -> Any:
        """A closed word: the value of its key, a line of its section, or a mark in the title."""
        words: list[str] = []
        others: list[str] = []
        for passage in passages:
            for text in _candidates(passage, value):
                word = value.find(text)
                (words if word else others).append(word or text)
                if word and part.merge == "first":
                    break
        if not passages and entry.cells and all(map(str.isdigit, entry.cells)):
            words += [word for cell in entry.cells.values() if (word := value.find(cell))]
        if part.mark:
            words += self._marked(part, value, entry, stated=bool(words or others))
        if not words:
            return value.unknown or others[0].strip() if others else None
        distinct = sorted(set(words), key=value.words.index)
        if len(distinct) > 1 and part.merge == "worst":
            name = f"'{part.label}'" if len(path) == 1 else f"{entry.title[:80]}: {part.label}"
            self.contradictions.append(Issue(path, f"{name} is both {' and '.join(distinct)}"))
        return distinct[-1] if part.merge == "worst" else words[0]

    def _marked(self, part: Part, value: Word, entry: Entry, *, stated: bool) -> list[str]:
        mark = mark_in(entry.title, value, part.label, tail=part.mark == "tail")
        words = mark.words or (() if stated else entry.covered.get(part.name, ()))
        return [word for text in words if (word := value.find(text) or value.unknown)]

    def _list(
        self, part: Part, value: Many, passages: Sequence[Passage], entry: Entry, path: Path
    ) -> Any:
        table = inner(value.of)
        assert isinstance(table, Table)
        if part.entries.anywhere:
            bodies: list[list[Block]] = [entry.body]
        else:
            bodies = [[*each.lines[: bool(each.value)], *each.body] for each in passages]
        among = not part.entries.anywhere
        entries = [e for body in bodies for e in split(body, table, part.entries, among=among)]
        if not passages and not entries:
            return None
        return [self._entry(table, each, (*path, number)) for number, each in enumerate(entries)]

    def _entry(self, table: Table, entry: Entry, path: Path) -> Any:
        data = self._record(table, entry, path, own=False)
        alone = entry.is_item and table.record.patterns
        whole = table.from_text(entry.title) if alone else entry.title
        return {**whole, **data} if isinstance(whole, dict) else data


def _matches(pattern: str, title: str) -> bool:
    return regex_of(pattern).fullmatch(title) is not None


def _candidates(passage: Passage, value: Word) -> Iterator[str]:
    """Texts that may be the value: an empty check box is an option that was not chosen."""
    if passage.value:
        yield passage.value
        return
    for line in passage.lines:
        if line.box == " " or line.is_row:
            continue
        field = parse_field(line)
        yield field.value if field and field.value and not value.find(line.text) else line.text
