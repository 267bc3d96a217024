"""A plan read from its document: headings, lists and tables of waves, outside code, quotes and
comments.

Waves are read under `## Execution Waves`; if that section is missing or holds none, anywhere in the
document. Names are kept as written until it is known which tasks exist. A line that may hide a task
or a dependency is a fault, never a guess; something merely odd is listed as lacking.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from podium.formats.markdown import scan
from podium.formats.outline import Heading, Outline
from podium.formats.table_cells import cells
from podium.workflows.feature.documents.labelled import fold_label, item_text, parts
from podium.workflows.feature.plan import rows as plan_rows
from podium.workflows.feature.plan.plan import MODES, PLAN_SECTIONS, Plan, PlannedTask
from podium.workflows.feature.plan.rows import Row
from podium.workflows.feature.plan.task_names import Names, bare

_WAVES = re.compile(r"execution waves?(?: \(.*\))?")
_WAVE = re.compile(r"(?:execution )?wave\b\s*#?(?P<number>[0-9]{1,4})?(?![0-9])")
_WAVE_LINE = re.compile(
    r"(?P<bold>\*\*|__)?(?:execution )?wave[ \t]*#?(?P<number>[0-9]{1,4})(?![0-9-])[ "
    r"\t]*(?:\([^()]*\)[ \t]*)?"
    r"(?(bold)[^*_]{0,200}(?:\*\*|__)[ \t]*:?|(?:[:—–]|-[ \t]|$))(?P<rest>.*)",
    re.IGNORECASE,
)
"""A line that begins a wave but is not a heading: bold, or with a colon, a dash or nothing after
its number.
"""
_MODE = re.compile(r"(?P<mode>initial|re ?plan(?:ning)?|extension|extend)\b(?! ?(?:[|/,]|or\b))")
_MODES = dict(zip(("i", "r", "e"), MODES, strict=True))


@dataclass(frozen=True)
class WrittenWave:
    number: int
    line: int
    """From 1."""
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Written:
    """A plan as written."""

    mode: str
    """One of MODES, or words that match none of them, or empty."""
    waves: tuple[WrittenWave, ...]
    missing: tuple[str, ...]
    """Titles of the sections that are missing."""
    faults: tuple[tuple[int, str], ...]
    """Line from 1, and what in it cannot be read with certainty."""
    lacks: tuple[tuple[int, str], ...] = ()
    """Line from 1, and what is odd about it but harmless."""


def read_written(text: str) -> Written:
    outline = scan(text)
    found = [
        (heading, end)
        for heading, end in zip(outline.headings, outline.ends, strict=True)
        if _WAVES.fullmatch(fold_label(heading.title))
    ]
    reader = _Reader(outline, {heading.line: heading for heading in outline.headings})
    for heading, end in found:
        reader.section(heading.end, end)
    reader.lacks += [
        (heading.line + 1, "section 'Execution Waves' stands there twice")
        for heading, _ in found[1:]
    ]
    if not reader.waves:
        anywhere = _Reader(outline, reader.headings, anywhere=True)
        anywhere.section(0, len(outline.lines))
        reader = anywhere if anywhere.waves else reader
    mode = _mode(outline)
    missing = [title for title in PLAN_SECTIONS[2:] if not _has(outline, title)]
    if not found:
        missing.insert(0, PLAN_SECTIONS[1])
    waves = tuple(WrittenWave(each.number, each.line, tuple(each.rows)) for each in reader.waves)
    rows = [row for wave in waves for row in wave.rows]
    faults = [*reader.faults, *((row.line, what) for row in rows for what in row.faults)]
    lacks = [*reader.lacks, *((row.line, what) for row in rows for what in row.lacks)]
    return Written(mode, waves, tuple(missing), tuple(sorted(faults)), tuple(sorted(lacks)))


def read_plan(text: str) -> Plan:
    """The plan in a document as far as it can be read; `checks` says what is wrong with it."""
    written = read_written(text)
    names = Names.of(row.name for wave in written.waves for row in wave.rows)
    return Plan(
        written.mode if written.mode in MODES else "",
        tuple(
            tuple(
                PlannedTask(
                    names.find(row.name) or row.name,
                    tuple(names.find(each) or each for each in row.depends_on or ()),
                    row.agent,
                )
                for row in wave.rows
            )
            for wave in written.waves
        ),
    )


def _mode(outline: Outline) -> str:
    """The planning mode under its label; both words if the document says two things."""
    said: dict[str, None] = {}
    for part in parts(outline, {"planning mode": "mode"}, frozenset()):
        words = next((words for words in map(_mode_words, part.lines) if words), "")
        found = _MODE.match(words)
        said[_MODES[found["mode"][0]] if found else words[:80]] = None
    return " and ".join(filter(None, said))


def _mode_words(line: str) -> str:
    text = item_text(line)
    return " ".join(
        bare(line if text is None else text).replace("-", " ").replace("_", " ").casefold().split()
    )


def _has(outline: Outline, title: str) -> bool:
    """Whether a section exists and is not empty; the pre-mortem must be a table."""
    wanted = fold_label(title).replace(" ", "")
    for heading, end in zip(outline.headings, outline.ends, strict=True):
        if not fold_label(heading.title).replace(" ", "").startswith(wanted):
            continue
        rows = range(heading.end, end)
        if wanted == "premortem":
            if any(_is_head(outline, row) and _is_row(outline, row + 2) for row in rows):
                return True
        elif any(
            outline.kinds[row] in {"text", "code"} and outline.lines[row].strip() for row in rows
        ):
            return True
    return False


def _is_row(outline: Outline, row: int) -> bool:
    return row < len(outline.lines) and outline.kinds[row] == "text" and "|" in outline.lines[row]


def _is_head(outline: Outline, row: int) -> bool:
    """Whether a table begins on this line."""
    return (
        _is_row(outline, row)
        and _is_row(outline, row + 1)
        and plan_rows.is_ruler(outline.lines[row + 1])
    )


_DEEPEST = 7
"""A level below every heading."""


@dataclass
class _Wave:
    number: int
    line: int
    rows: list[Row] = field(default_factory=list)


@dataclass
class _Reader:
    outline: Outline
    headings: Mapping[int, Heading]
    """By their first line."""
    anywhere: bool = False
    """Whether the whole document is read: a task outside waves may then be mentioned for any
    reason.
    """
    waves: list[_Wave] = field(default_factory=list)
    faults: list[tuple[int, str]] = field(default_factory=list)
    lacks: list[tuple[int, str]] = field(default_factory=list)
    open: _Wave | None = None
    level: int = 0
    """The level of the open wave's heading; a wave begun by a line is deeper than any heading."""

    def section(self, start: int, end: int) -> None:
        self.open = None
        at = start
        while at < end:
            if at in self.headings:
                self._heading(self.headings[at])
                at = self.headings[at].end
            elif _is_head(self.outline, at):
                at = self._table(at, end)
            else:
                if self.outline.kinds[at] == "text":
                    self._line(self.outline.lines[at], at + 1)
                at += 1

    def _begin(self, number: int, line: int, level: int) -> None:
        self.open, self.level = _Wave(number, line), level
        self.waves.append(self.open)

    def _heading(self, heading: Heading) -> None:
        found = _WAVE.match(fold_label(heading.title))
        if found and found["number"]:
            self._begin(int(found["number"]), heading.line + 1, heading.level)
            inline = heading.title.partition(":")[2]
            self._inline(inline, heading.line + 1)
        elif found and "|" not in heading.title and not _WAVES.match(fold_label(heading.title)):
            self.open = None
            self.lacks.append((heading.line + 1, f"'{heading.title[:80]}' has no number of a wave"))
        elif heading.level <= self.level:
            self.open = None

    def _inline(self, text: str, line: int) -> None:
        """Tasks after a wave's name: `Wave 1: 01-a, 02-b`."""
        assert self.open
        self.open.rows += [Row(name, line) for name in plan_rows.only_ids(text)]

    def _line(self, line: str, number: int) -> None:
        text = item_text(line)
        wave = _WAVE_LINE.fullmatch((line if text is None else text).strip())
        # Under a wave's heading only a bold line begins another wave; other lines just mention one.
        if wave and (wave["bold"] or self.open is None or self.level == _DEEPEST):
            self._begin(int(wave["number"]), number, _DEEPEST)
            self._inline(wave["rest"].strip(" \t:—–-"), number)
            return
        rows = self._rows_of(text, number) if text is not None else []
        if self.open is None:
            if rows and "-" in rows[0].name and not self.anywhere:
                self.faults.append((number, f"{rows[0].name} stands under no heading of a wave"))
        elif rows:
            self.open.rows += rows
        elif self.open.rows and (text is None or line[:1].isspace()):
            self.open.rows[-1] = plan_rows.more(self.open.rows[-1], line)
        elif plan_rows.says_depends(line):
            self.faults.append(
                (number, f"'{line.strip()[:80]}' names no task before its dependencies")
            )

    def _rows_of(self, text: str, number: int) -> list[Row]:
        if names := plan_rows.several(text):
            return [Row(name, number) for name in names]
        row = plan_rows.from_item(text, number)
        return [row] if row else []

    def _table(self, start: int, end: int) -> int:
        """Read the table that begins here, and return the index of the first line after it."""
        head = [fold_label(cell) for cell in cells(self.outline.lines[start])]
        stop = start + 2
        while stop < end and _is_row(self.outline, stop):
            stop += 1
        task = plan_rows.column(head, "task id", "id", "task", "tasks", "task file", "file")
        wave = plan_rows.column(head, "wave", "execution wave", "wave number")
        if task >= 0 and (wave >= 0 or self.open):
            self._rows(head, task, wave, range(start + 2, stop))
        return stop

    def _rows(self, head: Sequence[str], task: int, wave: int, lines: range) -> None:
        depends = plan_rows.column(head, "depends on", "dependencies", "dependency", "deps")
        agent = plan_rows.column(head, "agent")
        made: dict[int, _Wave] = {}
        for at in lines:
            found = [*cells(self.outline.lines[at]), *("" for _ in head)]
            names = plan_rows.several(found[task]) or (found[task],)
            depend = found[depends] if depends >= 0 else None
            rows = plan_rows.from_names(names, depend, found[agent] if agent >= 0 else "", at + 1)
            place = self._place(found[wave], made, at + 1) if wave >= 0 else self.open
            if not rows:
                self.lacks.append(
                    (at + 1, f"'{found[task][:80]}' in the column of tasks is not a task id")
                )
            elif place:
                place.rows += rows
            else:
                self.faults.append(
                    (at + 1, f"'{found[wave][:80]}' is not a wave number for {rows[0].name}")
                )
        # The rows of a table may be in any order.
        self.waves.extend(made[number] for number in sorted(made))

    def _place(self, cell: str, made: dict[int, _Wave], line: int) -> _Wave | None:
        number = plan_rows.wave_number(cell)
        if number is None:
            return None
        if self.open is None:
            return made.setdefault(number, _Wave(number, line))
        if number == self.open.number:
            return self.open
        self.faults.append(
            (line, f"the row says wave {number} under the heading of wave {self.open.number}")
        )
        return self.open
