"""Findings read from the structure of a document: headings, `Key: value` lines, tables with a
severity.

No word is searched for in prose; code, quotes and comments are not structure. Something that looks
like a finding but has no known severity gets the worst one. Looking like a finding means: a block
with the parts of one; a title such as
`Finding 1: …`; and under a heading such as `Findings` every section, every item of a list that
begins there, every table row. What follows a heading that is only a severity is a finding of that
severity. A text that says there is no finding is not one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from podium.formats import resolution
from podium.formats.field_lines import fold_key, parse_field
from podium.formats.outline import Outline, fold_title
from podium.formats.table_cells import cells, is_ruler
from podium.workflows.feature.findings.finding import Finding, cut, task_ids
from podium.workflows.feature.findings.marks import (
    NOT_SAID,
    Mark,
    denies,
    holds_findings,
    is_aside,
    is_numbered,
    of_line,
    of_title,
    says_nothing,
)
from podium.workflows.feature.findings.severities import Scale, bare

LEAD = re.compile(r"[ \t]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)?(?:\[[ xX]\][ \t]+)?")
_KEYS: Mapping[str, str] = {
    "what": "What",
    "where": "Where",
    "location": "Where",
    "severity": "Severity",
    "affects tasks": "Tasks",
    "affects task": "Tasks",
    "affected tasks": "Tasks",
    "why": "Why",
    "suggested fix": "Suggested Fix",
    "likelihood": "Likelihood",
    "impact": "Impact",
    "assumption at risk": "Assumption at risk",
}
_STATUS = ("status", "resolution", "state")
NOTES = ("Why", "Suggested Fix", "Likelihood", "Impact", "Assumption at risk")
_BELOW_HEADINGS = 7


def is_row(text: str) -> bool:
    return text.lstrip().startswith("|")


def walk(outline: Outline, start: int = 0, end: int | None = None) -> Iterator[tuple[int, str]]:
    """Headings with their level, other lines with level 0; without code, quotes, comments and
    rules.
    """
    headings = {heading.line: heading for heading in outline.headings}
    inside = {line for each in outline.headings for line in range(each.line, each.end)}
    for number in range(start, len(outline.lines) if end is None else end):
        kind = outline.kinds[number]
        if number in headings:
            yield headings[number].level, headings[number].title
        elif kind in ("text", "blank") or (kind == "heading" and number not in inside):
            # A heading inside a list is not a heading of the document, but its words still count.
            text = outline.lines[number]
            yield 0, text if kind != "heading" else text.replace("#", " ")


@dataclass
class _Draft:
    level: int
    title: str = ""
    said: list[str] = field(default_factory=list)
    marked: bool = False
    """Whether its first line marks it as a finding."""
    parts: dict[str, list[str]] = field(default_factory=dict)
    key: str = ""
    """The part that the next line continues."""
    listed: bool = False
    """Whether it is one of several lines under a severity heading."""
    covers: bool = False
    """Whether it is a severity heading: not a finding itself, but what it holds is."""
    supposed: bool = False
    """Whether only its place or title makes it a finding, provided that it says anything."""
    body: list[str] = field(default_factory=list)
    """What a supposed finding says besides its parts."""
    resolved: bool = False
    """Whether its title, its place or its status says that it is no longer open."""
    statuses: list[str] = field(default_factory=list)
    """What it says about its own status; one that is not resolved counts against all others."""

    def is_finding(self) -> bool:
        if self.covers:
            return bool(self.parts)
        described = len(self.parts) > 1 and bool({"What", "Where"} & set(self.parts))
        return self.marked or bool(self.said) or described

    def counts(self, following: _Draft) -> bool:
        """Whether it is a finding, now that its end is known."""
        if not self.supposed or self.is_finding():
            return self.is_finding()
        divided = (
            following.marked and following.level > self.level and following.level < _BELOW_HEADINGS
        )
        return not divided and (bool(self.parts) or (bool(self.body) and not denies(self.body)))

    def says_more(self) -> bool:
        """Whether a line such as `Status: …` is about this entry."""
        return self.marked or self.supposed or bool(self.said or self.parts)

    def is_open(self) -> bool:
        marked = self.resolved and not self.statuses
        return not (marked or resolution.is_entry_resolved(self.title, self.statuses))

    def text(self, key: str) -> str:
        return " ".join(" ".join(self.parts.get(key, ())).split())


@dataclass
class Blocks:
    """Collects the findings of a document, line by line."""

    scale: Scale
    source: str = ""
    findings: list[Finding] = field(default_factory=list)
    resolved: int = 0
    """How many entries are marked as resolved, and so are no findings."""
    _draft: _Draft = field(default_factory=lambda: _Draft(0))
    _columns: list[str] = field(default_factory=list)
    _over: _Draft | None = None
    """The severity heading above the current line."""
    _among: int = 0
    """The level of a heading such as `Findings` above the current line; 0 if there is none."""
    _listing: bool = False
    """Whether only list items have followed that heading so far."""
    _resolved: int = 0
    """The level of a heading such as `Resolved Issues` above the current line; 0 without one."""

    def read(self, outline: Outline) -> None:
        for level, text in walk(outline):
            if level:
                self._heading(level, text)
            elif is_row(text):
                self._row(cells(text))
                continue
            elif text.strip():
                self._line(text)
            elif any(self._draft.parts.get(self._draft.key, ())):
                self._draft.key = ""
            self._columns = []
        self._close(_Draft(0))

    def _heading(self, level: int, title: str) -> None:
        if self._over is not None and level <= self._over.level:
            self._close(_Draft(0))
            self._over = None
        if level <= self._among:
            self._among = 0
        self._listing = False
        if level <= self._resolved:
            self._close(_Draft(0))
            self._resolved = 0
        if resolution.is_heading(title) and not self._resolved:
            self._close(_Draft(0))
            self._resolved = level
        mark = of_title(title)
        draft, key = self._draft, _KEYS.get(fold_title(title), "")
        if mark.said:
            self._marked(level, mark)
        elif level > draft.level and (draft.is_finding() or (draft.supposed and key)):
            draft.key = key
            if draft.key:
                draft.parts.setdefault(draft.key, [])
        else:
            supposed = is_numbered(title) or bool(self._among and not is_aside(title))
            self._close(_Draft(level, title, self._implied(title), supposed=supposed))
            if self._over is None and holds_findings(title):
                self._draft.supposed, self._among, self._listing = False, level, True

    def _marked(self, level: int, mark: Mark) -> None:
        """Begin a finding, or with a bare severity, all findings of that severity."""
        draft = _Draft(level, bare(mark.title), list(mark.said), marked=True, covers=mark.covers)
        draft.resolved = mark.resolved
        if mark.covers:
            self._over = draft
        elif self._over is not None:
            draft.said += self._over.said
        self._close(draft)

    def _implied(self, text: str) -> list[str]:
        """The severity of something that has none of its own, from the heading above it."""
        return list(self._over.said) if self._over is not None and not says_nothing(text) else []

    def _line(self, text: str) -> None:
        lead = LEAD.match(text)
        words = text[lead.end() :] if lead else text
        found = parse_field(text)
        key = _KEYS.get(fold_key(found.key), "") if found else ""
        mark = of_line(words) if not key else Mark()
        item = self._listing and bool(lead and lead[0].strip()) and not text.startswith((" ", "\t"))
        if item and not key:
            self._draft.key = ""
        if mark.said:
            self._marked(_BELOW_HEADINGS, mark)
        elif found and fold_key(found.key) in _STATUS and self._draft.says_more():
            self._draft.statuses.append(found.value)
            self._draft.key = ""
        elif found and key == "Severity":
            if self._draft.said and not self._draft.marked:
                self._close(_Draft(_BELOW_HEADINGS))
            self._draft.said.append(found.value or NOT_SAID)
            self._draft.key = ""
        elif found and key:
            if key == "What" and "What" in self._draft.parts and not self._draft.marked:
                self._close(_Draft(_BELOW_HEADINGS, said=self._implied(found.value)))
            self._draft.parts.setdefault(key, []).append(found.value)
            self._draft.key = key
        elif self._draft.key == "Severity":
            self._draft.said.append(words)
            self._draft.key = ""
        elif self._draft.key:
            self._draft.parts[self._draft.key].append(words.strip())
        elif self._draft.covers or (
            self._draft.listed and lead and lead[0].strip() and not lead[0].startswith((" ", "\t"))
        ):
            self._close(_Draft(_BELOW_HEADINGS, bare(words), self._implied(words), listed=True))
        else:
            self._said_among(words, item=item)
        self._listing = item or (self._listing and text.startswith((" ", "\t")))

    def _said_among(self, words: str, *, item: bool) -> None:
        """A line among findings: an item of a list that begins there is a finding; a count of
        findings is not.
        """
        mark = of_title(words)
        if mark.covers:
            return
        if item and mark.said:
            self._marked(_BELOW_HEADINGS, mark)
        elif item:
            self._close(_Draft(_BELOW_HEADINGS, bare(words), supposed=True, body=[words]))
        elif self._draft.supposed:
            self._draft.body.append(words)

    def _row(self, row: list[str]) -> None:
        """A table row with a severity and a description; a table of counts has no description."""
        names = [fold_title(cell) for cell in row]
        if "severity" in names:
            named = {"what", "where", "finding", "issue", "title", "description"}
            self._columns = names if named & set(names) else []
        elif not self._columns and (
            self._over is not None
            or (self._among and {"what", "finding", "issue", "description"} & set(names))
        ):
            self._columns = names
        elif self._columns and not is_ruler(row):
            said = dict(zip(self._columns, row, strict=False))
            what = next(
                (
                    said[key]
                    for key in ("what", "finding", "issue", "description", "title")
                    if said.get(key)
                ),
                "",
            )
            if self._over is not None and "severity" not in said:
                what = what or next(filter(None, row), "")
                said["severity"] = next(iter(self._implied(bare(what))), "None")
            if bare(what).strip("—–- ") or bare(said.get("severity", "")).strip("—–- "):
                where = said.get("where") or said.get("location", "")
                tasks = said.get("affects tasks") or said.get("tasks", "")
                parts = {"What": [bare(what)], "Where": [where], "Tasks": [tasks]}
                draft = _Draft(
                    _BELOW_HEADINGS, "", [said.get("severity", "") or NOT_SAID], parts=parts
                )
                draft.resolved = resolution.is_marked(what)
                draft.statuses += filter(None, [said.get("status", "")])
                self._close(draft)
                self._close(_Draft(_BELOW_HEADINGS))

    def _close(self, following: _Draft) -> None:
        draft, self._draft = self._draft, following
        if not draft.counts(following):
            return
        severity = self.scale.highest(draft.said or [NOT_SAID])
        if severity == self.scale.nothing:
            return
        if not draft.is_open() or (self._resolved and not draft.statuses):
            self.resolved += 1
            return
        title = cut(bare(draft.title))
        texts = {key: draft.text(key) for key in ("Where", "What", *NOTES)}
        self.findings.append(
            Finding(
                severity,
                cut(texts["Where"]),
                cut(texts["What"]) or title or "not described",
                (self.source,) if self.source else (),
                task_ids(draft.text("Tasks")),
                title,
                tuple((key, cut(texts[key])) for key in NOTES if texts[key]),
            )
        )
