"""One problem that a member of a cluster found, within limits, and how several become one list."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from podium.core.natural import natural
from podium.formats.field_lines import one_line
from podium.workflows.feature.findings.severities import Scale, weight

MAX_TEXT = 500
"""Characters of any text in a finding."""
CUT = "…"
MAX_FINDINGS = 200
"""Findings per member."""
MAX_TASKS = 100
"""Task ids per finding."""
TASK_ID = r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}"
_TASK_ID = re.compile(TASK_ID, re.ASCII)
_NO_IDS = frozenset({"none", "n/a", "na", "no", "nothing", "unknown"})
_SEPARATOR = re.compile(r"[,;]|\band\b")
_MARKS = str.maketrans(dict.fromkeys("`*[]()", " "))


@dataclass(frozen=True)
class Finding:
    """One problem, one line for each part."""

    severity: str
    """A word of the cluster's scale."""
    where: str
    what: str
    sources: tuple[str, ...] = ()
    """The members that found it."""
    tasks: tuple[str, ...] = ()
    """Ids of the tasks it concerns."""
    title: str = ""
    notes: tuple[tuple[str, str], ...] = ()
    """Its other parts by name: Why, Suggested Fix, Likelihood, Impact, Assumption at risk."""


@dataclass(frozen=True)
class Reading:
    """What one document says."""

    severity: str
    """The worst of its findings, including those beyond the limit."""
    findings: tuple[Finding, ...] = ()
    tasks: tuple[str, ...] = ()
    """Ids it names besides those of its findings."""
    cross_task: bool = False
    """Whether it says that tasks do not work together."""
    gaps: tuple[str, ...] = ()
    """Requirements that it calls uncovered."""
    warnings: tuple[str, ...] = ()


def cut(text: str) -> str:
    """Any text as one line within the limit."""
    # JSON can contain half of a surrogate pair, which could not be written to a file.
    line = " ".join(one_line(text.encode("utf-8", "replace").decode("utf-8")).split())
    return line if len(line) <= MAX_TEXT else line[: MAX_TEXT - 1] + CUT


def is_task_id(text: str) -> bool:
    return _TASK_ID.fullmatch(text) is not None and text.casefold() not in _NO_IDS


def task_ids(text: str) -> tuple[str, ...]:
    """The distinct ids in a list such as `01, 03-parse and 04`; other words are left out."""
    found: dict[str, None] = {}
    for part in _SEPARATOR.split(text[: MAX_TASKS * 100]):
        tokens = part.translate(_MARKS).split()
        for number, token in enumerate(tokens):
            each = token.rstrip(".:")
            # Next to other words, only a word with a digit is an id: `All tasks pass` names none.
            if len(tokens) > 1 and not any(map(str.isdigit, each)):
                if number == 0 and each.casefold() in ("task", "tasks"):
                    continue
                break
            if is_task_id(each):
                found[each] = None
    return tuple(found)[:MAX_TASKS]


def limited(
    findings: Sequence[Finding], scale: Scale, member: str = ""
) -> tuple[tuple[Finding, ...], tuple[str, ...]]:
    """The worst findings up to the limit, in their order, and a warning about everything left
    out.
    """
    who = f"{member}: " if member else ""
    warnings: list[str] = []
    if len(findings) > MAX_FINDINGS:
        worst = sorted(range(len(findings)), key=lambda at: -scale.rank(findings[at].severity))[
            :MAX_FINDINGS
        ]
        warnings.append(f"{who}{len(findings)} findings; only the worst {MAX_FINDINGS} are kept")
        findings = [findings[at] for at in sorted(worst)]
    long = sum(
        _is_cut(text)
        for each in findings
        for text in (each.where, each.what, each.title, *dict(each.notes).values())
    )
    if long:
        warnings.append(f"{who}texts longer than {MAX_TEXT} characters were cut ({long})")
    return tuple(findings), tuple(warnings)


def _is_cut(text: str) -> bool:
    return len(text) == MAX_TEXT and text.endswith(CUT)


def merged(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings about the same place and problem become one, with the worst severity and every
    source and task.
    """
    groups: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        groups.setdefault((_folded(finding.where), _folded(finding.what)), []).append(finding)
    return tuple(sorted(map(_one_of, groups.values()), key=_place))


def _one_of(group: Sequence[Finding]) -> Finding:
    first = min(group, key=lambda each: (*_place(each), each.title, each.notes))
    sources = {source for each in group for source in each.sources}
    tasks = {task for each in group for task in each.tasks}
    return Finding(
        first.severity,
        first.where,
        first.what,
        tuple(sorted(sources)),
        tuple(sorted(tasks, key=natural)),
        first.title or min((each.title for each in group if each.title), default=""),
        _notes(group),
    )


def _notes(group: Sequence[Finding]) -> tuple[tuple[str, str], ...]:
    """The first text under each name, independent of the order of the group."""
    notes: dict[str, str] = {}
    for name, text in sorted({note for each in group for note in each.notes}):
        notes.setdefault(name, text)
    return tuple(notes.items())


def _place(finding: Finding) -> tuple[int, str, str, str]:
    return (-weight(finding.severity), finding.severity, finding.where, finding.what)


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def as_data(finding: Finding) -> dict[str, Any]:
    """The finding as JSON data."""
    return {
        "severity": finding.severity,
        "where": finding.where,
        "what": finding.what,
        "sources": list(finding.sources),
        "tasks": list(finding.tasks),
        "title": finding.title,
        "notes": dict(finding.notes),
    }


def from_data(data: Mapping[str, Any]) -> Finding:
    """The finding from a run record; missing members are empty."""
    return Finding(
        str(data.get("severity", "")),
        str(data.get("where", "")),
        str(data.get("what", "")),
        tuple(map(str, data.get("sources", ()))),
        tuple(map(str, data.get("tasks", ()))),
        str(data.get("title", "")),
        tuple((str(name), str(text)) for name, text in data.get("notes", {}).items()),
    )
