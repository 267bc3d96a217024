"""The documents of the verification: each is PASS, PARTIAL or FAIL, and FAIL if it cannot be read.

A status is a `Status:` line, a line under a heading `Status`, a cell in such a column or, for a
task or a criterion, what follows its name. The worst of all that a document says counts, so that a
headline cannot hide what is below it. Only the status of a note is not the document's: `Status:
Carried forward` in a list item, or under a finding of some severity, says nothing about the whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from podium.formats.field_lines import fold_key, parse_field
from podium.formats.markdown import scan
from podium.formats.outline import Outline, Section, fold_title
from podium.formats.table_cells import cells, is_ruler
from podium.workflows.feature.findings.blocks import LEAD, is_row, walk
from podium.workflows.feature.findings.finding import (
    Finding,
    Reading,
    cut,
    is_task_id,
    limited,
    task_ids,
)
from podium.workflows.feature.findings.marks import holds_findings, of_title
from podium.workflows.feature.findings.severities import V, bare, headword

FAILING_TITLE, DETAILS_TITLE = "Failing Task IDs", "Failing Test Details"
CROSS_TASK = "Cross-Task Integration Issue"
_NOTHING = re.compile(
    r"(?:none|nothing|no|n/a|0|-|—|–)(?:[\s.,;:!(—–-].*)?|there (?:are|is) no(?:ne|[^\d]*)",
    re.IGNORECASE,
)
_PARTS = re.compile(r"\s-\s|[—–(]|:\s")
_PROMISE = re.compile(r"(?:task[-_])?\d{1,4}(?:[-_].*)?", re.ASCII | re.IGNORECASE)
_BUILD = {"pass": "PASS", "passed": "PASS", "fail": "FAIL", "failed": "FAIL"}
_TESTS = {**_BUILD, "partial": "PARTIAL"}
_TASKS = {
    **_TESTS,
    "verified": "PASS",
    "partially-verified": "PARTIAL",
    "partially verified": "PARTIAL",
    "not verified": "FAIL",
}
_FEATURE = {
    **_TESTS,
    "met": "PASS",
    "partially-met": "PARTIAL",
    "partially met": "PARTIAL",
    "not-met": "FAIL",
    "not met": "FAIL",
    "ready": "PASS",
    "partially ready": "PARTIAL",
    "not ready": "FAIL",
}
_FAILED = frozenset(
    {"failed", "failing", "failures", "tests failed", "failed tests", "failing tests"}
)
_STATUS = ("status", "overall status", "verification status")
_COLUMNS = (*_STATUS, "result", "verdict")
_READINESS = (*_STATUS, "readiness", "overall readiness", "feature readiness", "release readiness")


def read_v_build(text: str, source: str = "v-build") -> Reading:
    return _read(text, source, _Rules(_BUILD, _STATUS))


def read_v_tests(text: str, source: str = "v-tests") -> Reading:
    return _read(text, source, _Rules(_TESTS, _STATUS, tests=True))


def read_v_tasks(text: str, source: str = "v-tasks") -> Reading:
    return _read(text, source, _Rules(_TASKS, _STATUS, items=True, tasks=True))


def read_v_feature(text: str, source: str = "v-feature") -> Reading:
    return _read(text, source, _Rules(_FEATURE, _READINESS, items=True))


@dataclass(frozen=True)
class _Rules:
    words: Mapping[str, str]
    keys: Sequence[str]
    """Keys and headings whose value is always a status."""
    items: bool = False
    """Whether lines such as `01-parse: verified` are statuses."""
    tasks: bool = False
    tests: bool = False


def _read(text: str, source: str, rules: _Rules) -> Reading:
    if not text.strip():
        return Reading(
            V.nothing, warnings=(f"{source}: the document is empty and counts as no findings",)
        )
    outline = scan(text)
    found = _Statuses(rules, source)
    found.read(outline)
    if rules.tasks:
        found.read_failing_ids(outline)
    if rules.tests:
        found.read_details(outline)
    if not found.statuses:
        found.doubt("no status that could be read")
    kept, warnings = limited(found.findings, V, source)
    tasks = tuple(
        dict.fromkeys((*found.failing, *(task for each in found.findings for task in each.tasks)))
    )
    return Reading(
        V.highest(found.statuses),
        kept,
        tasks,
        found.cross_task,
        warnings=(*dict.fromkeys(found.warnings), *warnings),
    )


@dataclass
class _Statuses:
    rules: _Rules
    source: str
    statuses: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    failing: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    cross_task: bool = False
    _heading: str = ""
    _item: str = ""
    """The task or criterion whose heading is above a `Status:` line."""
    _waits: bool = False
    """Whether the next line is the value of a heading such as `## Status`."""
    _columns: list[str] = field(default_factory=list)
    _above: str = ""
    """The unindented list item above an indented line; empty if there is none."""

    def doubt(self, what: str) -> None:
        self.statuses.append(V.worst)
        self.warnings.append(f"{self.source}: {what}, which counts as FAIL")

    def read(self, outline: Outline) -> None:
        for level, text in walk(outline):
            if level:
                self._open(level, text)
            elif is_row(text):
                self._row(cells(text))
                continue
            elif text.strip():
                self._line(text)
            self._columns = []
        self._missing_value()

    def read_failing_ids(self, outline: Outline) -> None:
        known = {task for each in self.findings for task in each.tasks}
        for text in _values(outline, FAILING_TITLE):
            # `03-parse — why, and what else` names one task only.
            ids = task_ids(_PARTS.split(bare(text), maxsplit=1)[0])
            self.failing += ids
            if ids:
                self.statuses.append("FAIL")
                new = [each for each in ids if each not in known]
                known.update(new)
                self.findings += [
                    Finding("FAIL", each, "failed verification", (self.source,), (each,))
                    for each in new
                ]
            elif not _NOTHING.fullmatch(bare(text).strip("()[]") or "-"):
                self.doubt(f"'{cut(text)[:80]}' under {FAILING_TITLE} is not a task id")
            else:
                self.statuses.append(V.nothing)

    def read_details(self, outline: Outline) -> None:
        for section in outline.sections(DETAILS_TITLE):
            for each in section.subsections:
                if not _NOTHING.fullmatch(bare(each.heading.title)):
                    self.statuses.append("FAIL")
                    self.findings.append(self._detail(each))

    def _detail(self, section: Section) -> Finding:
        said = {
            fold_key(each.key): each.value
            for _, text in section.body
            if (each := parse_field(text))
        }
        what = next(
            (
                said[key]
                for key in ("what", "error", "failure", "message", "reason")
                if said.get(key)
            ),
            "",
        )
        where = cut(bare(section.heading.title)) or "a test"
        listed = next(
            (
                said[key]
                for key in ("affects tasks", "tasks", "task", "task id", "task ids")
                if key in said
            ),
            "",
        )
        return Finding(
            "FAIL", where, cut(what) or "this test fails", (self.source,), task_ids(listed)
        )

    def _open(self, level: int, title: str) -> None:
        self._missing_value()
        self._above = ""
        key, _, value = title.partition(":")
        self._heading, self._item = title, title if level > 1 and self.rules.items else ""
        if fold_title(key) in self.rules.keys:
            self._item = ""
            self._waits = not value.strip("*_ ")
            if not self._waits:
                self._status(value)
        elif self.rules.items:
            self._named(title)

    def _missing_value(self) -> None:
        if self._waits:
            self.doubt(f"'{cut(self._heading)[:80]}' has no value")
            self._waits = False

    def _line(self, text: str) -> None:
        lead = LEAD.match(text)
        words = text[lead.end() :] if lead else text
        found = parse_field(text)
        key = fold_key(found.key) if found else ""
        if not text.startswith((" ", "\t")):
            self._above = words if lead and lead[0].strip() else ""
        if fold_title(self._heading) == fold_title(FAILING_TITLE):
            return
        if found and key == CROSS_TASK.casefold():
            self._cross_task(found.value)
        elif found and key in self.rules.keys:
            if headword(found.value) in self.rules.words or not self._is_noted(text):
                self._status(found.value, self._item)
        elif self.rules.items and self._named(words):
            return
        elif self._waits:
            self._status(words)
        elif found and key == "result" and headword(found.value) in self.rules.words:
            self._status(found.value)
        elif found and self.rules.tests and key in _FAILED:
            self._count(found.value)
        elif (
            found
            and key == "regressions"
            and re.match(r"yes|[1-9]", bare(found.value), re.IGNORECASE)
        ):
            self._fail("PARTIAL", "Regressions", found.value)

    def _is_noted(self, text: str) -> bool:
        """Whether a line belongs to a note or a finding, and not to a task or a criterion."""
        noted = of_title(self._heading).said or holds_findings(self._heading)
        if noted or not (self._above and text.startswith((" ", "\t"))):
            return bool(noted)
        return not self.rules.items or bool(of_title(self._above).said)

    def _named(self, words: str) -> bool:
        """Whether a line is `01-parse: verified` or `AC1: it counts — met`; a task id must have
        a status.
        """
        name, *rest = _PARTS.split(bare(words))
        said = [each for each in rest if headword(each) in self.rules.words]
        if rest and not said and self.rules.tasks and _PROMISE.fullmatch(name.strip()):
            said = rest[:1]
        for each in said:
            self._status(each, name)
        return bool(said)

    def _row(self, row: list[str]) -> None:
        names = [fold_title(cell) for cell in row]
        if self.rules.tests and len(row) == 2 and names[0] in _FAILED:
            self._count(row[1])
        if not self._columns:
            self._columns = names
        elif len(row) == 2 and names[0] in self.rules.keys:
            self._status(row[1])
        elif not is_ruler(row):
            for name, cell in zip(self._columns, row, strict=False):
                known = headword(cell) in self.rules.words
                if (name in self.rules.keys and self.rules.items) or (known and name in _COLUMNS):
                    self._status(cell, row[0] if self.rules.items else "")
                elif self.rules.tests and name in _FAILED:
                    self._count(cell)

    def _count(self, value: str) -> None:
        number = re.match(r"\d{1,9}", bare(value), re.ASCII)
        if number and int(number[0]):
            self._fail("FAIL", "Tests", f"{number[0]} failed")

    def _cross_task(self, value: str) -> None:
        if headword(value) != "no":
            self.cross_task = True
            self._fail("PARTIAL", self._heading, "tasks do not work together")

    def _status(self, value: str, name: str = "") -> None:
        self._waits = False
        word = self.rules.words.get(headword(value))
        if word is None:
            self.doubt(f"status '{cut(value)[:80]}' is not one of {', '.join(self.rules.words)}")
        elif word == V.nothing or not name:
            self.statuses.append(word)
        else:
            self._fail(word, name, headword(value))

    def _fail(self, word: str, name: str, what: str) -> None:
        where = cut(bare(name))
        first = where.partition(" ")[0].rstrip(":")
        tasks = (
            (first,) if self.rules.tasks and is_task_id(first) and _PROMISE.fullmatch(first) else ()
        )
        self.statuses.append(word)
        self.findings.append(Finding(word, where, cut(what), (self.source,), tasks))


def _values(outline: Outline, title: str) -> Iterator[str]:
    """The lines under a heading of that name, or the value after such a heading or key."""
    folded = fold_title(title)
    for heading, end in zip(outline.headings, outline.ends, strict=True):
        key, _, value = heading.title.partition(":")
        if fold_title(key) == folded:
            yield from [value] if value.strip("*_ ") else _listed(outline.prose(heading.end, end))
    for _, text in outline.prose(0, len(outline.lines)):
        if (found := parse_field(text)) and fold_key(found.key) == folded:
            yield found.value


def _listed(body: Sequence[tuple[int, str]]) -> Iterator[str]:
    for _, text in body:
        lead = LEAD.match(text)
        row = cells(text) if is_row(text) else [text[lead.end() :] if lead else text]
        if not is_ruler(row) and fold_title(row[0]) not in ("task id", "task ids", "task", "id"):
            yield row[0]
