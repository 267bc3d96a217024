"""A task file, declared: what is to be built, how it is judged, and who must agree."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any

from podium.core.globs import matches
from podium.documents import (
    Document,
    Flag,
    Issue,
    Many,
    Named,
    Prose,
    Text,
    Titled,
    Within,
    part,
    record,
)
from podium.documents.fields import fields_in
from podium.documents.markdown import scan
from podium.documents.text import fold, unwrap
from podium.workflows.protected import HARNESS

_TITLE = r"task\s+(?P<id>[^\s:—–]+)\s*(?:[:—–]|-(?=\s))\s*(?P<title>\S.*)"
_CRITERION = re.compile(
    r"[*_`(\[]*AC[-_ #]?0{0,6}(?P<number>\d{1,6})\b[*_`)\]]*", re.IGNORECASE | re.ASCII
)
_SEPARATOR = re.compile(r"\s*(?:[:—–.)]|-(?=\s))[*_`]*\s*")
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_PLACE = "give a path such as harness/artifacts/specs/T001-feature-spec.md, or leave the line out"
_NO_PATH = ("", "-", "none", "n/a", "tbd", "pending")


def path_fault(value: str) -> str:
    """Why a path may not be used, empty if it may: it must stay inside the project."""
    if value.startswith(("/", "~")) or re.match(r"[A-Za-z]:", value):
        return "is not relative to the project"
    if "\\" in value or any(not char.isprintable() for char in value):
        return "holds a backslash or a character that cannot be shown"
    if ".." in PurePosixPath(value).parts:
        return "leaves the project"
    return ""


def normal_path(value: str) -> str:
    """One spelling for one file."""
    return str(PurePosixPath(value))


def criterion_id(text: str) -> tuple[str, str] | None:
    """The id at the start of a text in its canonical spelling, and the rest: `AC-01: x` gives
    AC1 and x.
    """
    found = _CRITERION.match(text)
    if not found:
        return None
    rest = text[found.end() :]
    separator = _SEPARATOR.match(rest)
    return f"AC{int(found['number'])}", rest[separator.end() :] if separator else rest.lstrip()


class _Path(Text):
    """A path, perhaps written as a link."""

    def from_text(self, text: str) -> Any:
        link = _LINK.fullmatch(unwrap(text))
        return normal_path(link[1] if link else unwrap(text))


@record(title="Task {id} — {title}")
class Task:
    """A task as a person wrote it."""

    id: str = part(
        at=Titled(_TITLE),
        value=Text(pattern=r"[A-Za-z][A-Za-z0-9._-]{0,63}", like="T001"),
        remedy="write '# Task T001 — Title' as the first heading",
    )
    """Names the task in paths and run ids, such as T001."""
    title: str = part(at=Titled(_TITLE), default="")  # the pattern has either both or none
    """The words after the id in the first line."""
    status: str = part(
        "Status",
        at="head",
        merge="once",
        like="Ready",
        remedy="add a line 'Status: Ready' under the title",
    )
    """Free text; the program never changes it."""
    backlog_item: str = part(
        "Backlog Item", at="head", value=Text(empty=True), merge="once", default=""
    )
    created: str = part("Created", at="head", value=Text(empty=True), merge="once", default="")
    summary: str = part(
        "Summary",
        at="section",
        value=Prose(),
        remedy="say under '## Summary' what is to be built and why",
    )
    written: tuple[str, ...] = part(
        "Acceptance Criteria",
        "Acceptance Scenarios",
        at="section",
        key="criteria",
        value=Many(Text(), least=1, split="", listed=True),
        remedy="add one bullet for each: '- AC1: what must be true'",
    )
    """The acceptance criteria as they stand there."""
    artifacts: Mapping[str, str] = part(
        at=Within(("Related Artifacts",)),
        value=Named(_Path(refuse=path_fault), skip=_NO_PATH),
        factory=dict,
        remedy=_PLACE,
    )
    """Paths by label, for the labels that the task names."""
    approvals: Mapping[str, bool] = part(
        at="anywhere", value=Named(Flag(), prefix="Require Approval Before "), factory=dict
    )
    """By the words after `Require Approval Before `; only those that the task names."""

    @cached_property
    def criteria(self) -> tuple[tuple[str, str], ...]:
        """Id and text of each acceptance criterion; one without an id gets the next free one."""
        named = [criterion_id(text) for text in self.written]
        taken = {each[0] for each in named if each}
        criteria, number = [], 0
        for text, known in zip(self.written, named, strict=True):
            number += 1
            while not known and f"AC{number}" in taken:
                number += 1
            criteria.append(known or (f"AC{number}", text))
            taken.add(criteria[-1][0])
        return tuple(criteria)


def _whole(task: Task) -> Iterator[Issue]:
    """Each criterion is there once, each artifact where it may be."""
    ids = [ident for ident, _ in task.criteria]
    for at, (ident, words) in enumerate(task.criteria):
        place = ("criteria", at)
        if ident in ids[:at]:
            yield Issue(place, f"criterion {ident} stands there twice", "number each once")
        if not words:
            yield Issue(place, f"criterion {ident} is empty", "say what must be true")
    places: set[str] = set()
    for label, path in task.artifacts.items():
        another = "is the path of another artifact" if path in places else ""
        if why := _place_fault(label, path) or another:
            yield Issue(("artifacts", label), f"{label}: '{path[:200]}' {why}", _PLACE)
        else:
            places.add(path)


def _place_fault(label: str, path: str) -> str:
    parts = PurePosixPath(path).parts
    report = fold(label) == "run report"
    # Older task files omit the first folder.
    if len(parts) > 2 and parts[0] == "artifacts" and not report:
        return ""
    if len(parts) < 2 or parts[0] != "harness":
        return "is not a file under harness/"
    if report:
        return "" if parts[1] == "runs" else "is not under harness/runs/"
    guarded = matches(path, HARNESS) or matches(f"{path}/x", HARNESS)
    return "is a place that agents may not write to" if guarded else ""


TASK = Document("harness/tasks/*.md", Task, checks=[_whole], contradictions="fault")


def material_text(text: str) -> str:
    """The task without its status and its approval section, which a person fills in during the run.

    Blank lines and rules are left out too, so that adding an approval section changes nothing.
    """
    outline = scan(text)
    skipped = {field.line for field in fields_in(outline.head().lines()) if field.key == "status"}
    for section in outline.sections("Approval"):
        if section.heading and section.heading.level == 2:
            skipped.update(range(section.heading.line, section.end))
    return "\n".join(
        line.rstrip()
        for number, (line, kind) in enumerate(zip(outline.lines, outline.kinds, strict=True))
        if number not in skipped and kind not in {"blank", "rule"}
    )
