"""What the tasks of a wave teach: issues and their resolutions, read from the results."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from podium.formats.field_lines import fold_key, parse_field
from podium.formats.markdown import scan
from podium.formats.outline import Outline
from podium.workflows.feature.memory.values import Entry

MAX_LESSONS = 5
"""Lessons taken per task."""
_LOOKED_AT = 50_000
_ARROW = re.compile(r"(?<=\S)\s*(?:→|->|=>)\s*(?=\S)")
_BULLET = re.compile(r"[ \t]*(?:[-+*]|\d{1,9}[.)])[ \t]+(?:\[[^\]]{1,160}\][ \t]*)?")


@dataclass(frozen=True)
class TaskResult:
    """One finished task of a wave, as the program saw it."""

    task: str
    """Its id."""
    agent: str
    step: str
    status: str
    """DONE or anything else."""
    summary: str = ""
    """What the agent said after its verdict word."""
    text: str = ""
    """Its whole answer or its task file, which may contain lessons."""
    path: str = ""
    """The document it wrote, if any."""
    sections: tuple[str, ...] = ()
    """The key sections of that document."""

    @property
    def succeeded(self) -> bool:
        return self.status == "DONE"


def lessons_in(result: TaskResult) -> tuple[Entry, ...]:
    """Each `issue → resolution` of a task and, if the task failed, the failure."""
    found = list(dict.fromkeys(_pairs(result)))[:MAX_LESSONS]
    if not result.succeeded:
        found.append(
            (f"task {result.task} failed: {result.summary or 'no reason given'}", "not resolved")
        )
    return tuple(Entry(result.agent, result.step, _sentence(issue, way)) for issue, way in found)


def _sentence(issue: str, way: str) -> str:
    """`Issue → Resolution.`, each shortened so that the other still fits."""
    return f"{_short(issue)} → {_short(way)}."


def _short(text: str) -> str:
    flat = " ".join(text.split()).strip(" .;:—–-")
    return flat if len(flat) <= 180 else flat[:179].rstrip() + "…"


def _pairs(result: TaskResult) -> Iterator[tuple[str, str]]:
    if _ARROW.search(result.summary):
        yield _split(result.summary)
    outline = scan(result.text[:_LOOKED_AT])
    for section in _lesson_sections(outline):
        for _, line in section:
            bullet = _BULLET.match(line)
            if bullet and _ARROW.search(line, bullet.end()):
                yield _split(line[bullet.end() :])
    yield from _fields(outline)


def _split(text: str) -> tuple[str, str]:
    issue, way = _ARROW.split(text, maxsplit=1)
    return issue, way


def _lesson_sections(outline: Outline) -> Iterator[tuple[tuple[int, str], ...]]:
    for title in ("Lessons Learned", "Lessons", "Issues", "Issues and Resolutions"):
        for section in outline.sections(title):
            yield section.body


def _fields(outline: Outline) -> Iterator[tuple[str, str]]:
    """`Lesson: issue → resolution` lines, and `Issue:` lines with the `Resolution:` that
    follows.
    """
    issue = ""
    for _, line in outline.prose(0, len(outline.lines)):
        found = parse_field(line)
        key = fold_key(found.key) if found else ""
        if found and key in {"lesson", "lesson learned"} and _ARROW.search(found.value):
            yield _split(found.value)
        elif found and key == "issue":
            issue = found.value
        elif found and key == "resolution" and issue and found.value:
            yield issue, found.value
            issue = ""
