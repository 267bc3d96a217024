"""A task file: what is to be built, how it is judged, and who must agree."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from podium.core.errors import Fault, InputError
from podium.core.globs import matches
from podium.formats.field_lines import Field, fields_in, fold_key
from podium.formats.markdown import scan
from podium.formats.outline import Outline, prose_of
from podium.workflows.protected import HARNESS

APPROVAL_PREFIX = "require approval before "
_TITLE = re.compile(
    r"task\s+(?P<id>[^\s:—–]+)\s*(?:[:—–]|-(?=\s))\s*(?P<title>\S.*)", re.IGNORECASE
)
_SAFE_ID = re.compile(r"[A-Za-z][A-Za-z0-9._-]{0,63}")
_ITEM = re.compile(r"(?P<indent>\s*)(?:[-+*]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?(?P<text>.*)")
_CRITERION = re.compile(
    r"[*_`(\[]*AC[-_ #]?0{0,6}(?P<number>\d{1,6})\b[*_`)\]]*", re.IGNORECASE | re.ASCII
)
_SEPARATOR = re.compile(r"\s*(?:[:—–.)]|-(?=\s))[*_`]*\s*")
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_NO_PATH = {"", "-", "none", "n/a", "tbd", "pending"}


@dataclass(frozen=True)
class Task:
    """A task as a person wrote it."""

    id: str
    """Names the task in paths and run ids, such as T001."""
    title: str
    """The words after the id in the first line."""
    status: str
    """Free text; the program never changes it."""
    backlog_item: str
    """Empty if the task names none."""
    created: str
    """Empty if the task names none."""
    summary: str
    """The prose of `## Summary`."""
    criteria: tuple[tuple[str, str], ...]
    """Id and text of each acceptance criterion, in order."""
    artifacts: Mapping[str, str]
    """Paths by label, for the labels that the task names."""
    approvals: Mapping[str, bool]
    """By the words after `Require Approval Before ` in lower case; only those that the task
    names.
    """
    text: str = field(repr=False)
    """The whole file."""


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


def parse_task(text: str, path: str) -> Task:
    """The task in a file; InputError lists every fault at once."""
    outline = scan(text)
    faults: list[Fault] = []
    task_id, title = _title(outline, path, faults)
    head = _header(outline, path, faults)
    if not head.get("status"):
        faults.append(
            Fault(
                f"{path}:1",
                "Status: is missing or empty",
                "add a line 'Status: Ready' under the title",
            )
        )
    task = Task(
        id=task_id,
        title=title,
        status=head.get("status", ""),
        backlog_item=head.get("backlog item", ""),
        created=head.get("created", ""),
        summary=_summary(outline, path, faults),
        criteria=_criteria(outline, path, faults),
        artifacts=_artifacts(outline, path, faults),
        approvals=_approvals(outline, path, faults),
        text=text,
    )
    if faults:
        raise InputError(faults)
    return task


def material_text(text: str) -> str:
    """The task without its status and its approval section, which a person fills in during the run.

    Blank lines and rules are left out too, so that adding an approval section changes nothing.
    """
    outline = scan(text)
    skipped = {
        line.line for line in fields_in(outline.preamble()) if fold_key(line.key) == "status"
    }
    for section in outline.sections("Approval"):
        if section.heading.level == 2:
            skipped.update(range(section.heading.line, section.end))
    return "\n".join(
        line.rstrip()
        for number, (line, kind) in enumerate(zip(outline.lines, outline.kinds, strict=True))
        if number not in skipped and kind not in ("blank", "rule")
    )


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


def _title(outline: Outline, path: str, faults: list[Fault]) -> tuple[str, str]:
    mend = "write '# Task T001 — Title' as the first heading"
    heading = next((heading for heading in outline.headings if heading.level == 1), None)
    if heading is None:
        faults.append(Fault(f"{path}:1", "the title line is missing", mend))
        return "", ""
    found = _TITLE.fullmatch(heading.title)
    where = f"{path}:{heading.line + 1}"
    if not found:
        faults.append(
            Fault(
                where, f"the title line '# {heading.title[:80]}' names no task id and title", mend
            )
        )
        return "", ""
    if not _SAFE_ID.fullmatch(found["id"]):
        what = f"the task id '{found['id'][:80]}' cannot be part of a file name"
        mend = "start with a letter; then letters, digits, '.', '_' and '-', at most 64 together"
        faults.append(Fault(where, what, mend))
    return found["id"], found["title"]


def _header(outline: Outline, path: str, faults: list[Fault]) -> dict[str, str]:
    head: dict[str, str] = {}
    for found in fields_in(outline.preamble()):
        key = fold_key(found.key)
        if key in head and key in ("status", "backlog item", "created"):
            faults.append(
                Fault(
                    f"{path}:{found.line + 1}", f"{found.key}: stands there twice", "keep one line"
                )
            )
        head.setdefault(key, found.value)
    return head


def _summary(outline: Outline, path: str, faults: list[Fault]) -> str:
    section = outline.section("Summary")
    summary = prose_of(section.body) if section else ""
    if not summary:
        where = f"{path}:{section.heading.line + 1}" if section else f"{path}:1"
        what = "Summary is empty" if section else "section 'Summary' is missing"
        faults.append(Fault(where, what, "say under '## Summary' what is to be built and why"))
    return summary


def _criteria(outline: Outline, path: str, faults: list[Fault]) -> tuple[tuple[str, str], ...]:
    section = outline.section("Acceptance Criteria") or outline.section("Acceptance Scenarios")
    items = [(line, text) for line, text in _items(section.body) if text] if section else []
    if not items:
        where = f"{path}:{section.heading.line + 1}" if section else f"{path}:1"
        what = (
            "Acceptance Criteria holds no criterion"
            if section
            else "section 'Acceptance Criteria' is missing"
        )
        faults.append(Fault(where, what, "add one bullet for each: '- AC1: what must be true'"))
    named = {line: found for line, text in items if (found := criterion_id(text))}
    taken = {found[0] for found in named.values()}
    criteria: dict[str, str] = {}
    position = 0
    for line, text in items:
        position += 1
        if line not in named:
            while f"AC{position}" in taken:
                position += 1
            taken.add(f"AC{position}")
        criterion, words = named.get(line, (f"AC{position}", text))
        if criterion in criteria:
            faults.append(
                Fault(
                    f"{path}:{line + 1}",
                    f"criterion {criterion} stands there twice",
                    "number each once",
                )
            )
        if not words:
            faults.append(
                Fault(
                    f"{path}:{line + 1}", f"criterion {criterion} is empty", "say what must be true"
                )
            )
        criteria.setdefault(criterion, words)
    return tuple(criteria.items())


def _items(body: tuple[tuple[int, str], ...]) -> Iterator[tuple[int, str]]:
    """The outermost list items, each with its first line; nested items and continuation lines
    are part of them.
    """
    base, start, words = -1, -1, list[str]()
    for line, text in body:
        item = _ITEM.fullmatch(text)
        if item and (base < 0 or len(item["indent"]) <= base + 1):
            if start >= 0:
                yield start, " ".join(words).strip()
            base, start, words = (
                len(item["indent"]) if base < 0 else base,
                line,
                [item["text"].strip()],
            )
        elif start >= 0 and (not text or text[0].isspace() or words[-1]):
            words.append(text.strip())
    if start >= 0:
        yield start, " ".join(words).strip()


def _artifacts(outline: Outline, path: str, faults: list[Fault]) -> Mapping[str, str]:
    section = outline.section("Related Artifacts")
    artifacts: dict[str, str] = {}
    labels: set[str] = set()
    places: set[str] = set()
    for found in fields_in(section.body) if section else ():
        link = _LINK.fullmatch(found.value)
        value = link[1] if link else found.value
        if value.casefold() in _NO_PATH:
            continue
        where, label = f"{path}:{found.line + 1}", found.key
        normal = normal_path(value)
        if what := path_fault(value) or _place_fault(label, normal):
            mend = (
                "give a path such as harness/artifacts/specs/T001-feature-spec.md, or leave the "
                "line out"
            )
            faults.append(Fault(where, f"{label}: '{value[:200]}' {what}", mend))
        elif fold_key(label) in labels:
            faults.append(Fault(where, f"{label}: stands there twice", "keep one line"))
        elif normal in places:
            faults.append(
                Fault(
                    where, f"{label}: '{normal}' is the path of another artifact", "give it its own"
                )
            )
        else:
            artifacts[label] = normal
            labels.add(fold_key(label))
            places.add(normal)
    return artifacts


def _place_fault(label: str, path: str) -> str:
    parts = PurePosixPath(path).parts
    report = fold_key(label) == "run report"
    # Older task files omit the first folder.
    if len(parts) > 2 and parts[0] == "artifacts" and not report:
        return ""
    if len(parts) < 2 or parts[0] != "harness":
        return "is not a file under harness/"
    if report:
        return "" if parts[1] == "runs" else "is not under harness/runs/"
    place = "/".join(parts)
    return (
        "is a place that agents may not write to"
        if matches(place, HARNESS) or matches(f"{place}/x", HARNESS)
        else ""
    )


def _approvals(outline: Outline, path: str, faults: list[Fault]) -> Mapping[str, bool]:
    approvals: dict[str, bool] = {}
    for found in fields_in(outline.prose(0, len(outline.lines))):
        stage = _approval_stage(found)
        if not stage:
            continue
        where, answer = f"{path}:{found.line + 1}", found.value.casefold()
        if answer not in ("yes", "no"):
            faults.append(
                Fault(
                    where,
                    f"{found.key}: '{found.value[:80]}' is neither Yes nor No",
                    "write Yes or No",
                )
            )
        elif approvals.setdefault(stage, answer == "yes") != (answer == "yes"):
            faults.append(Fault(where, f"{found.key}: is both Yes and No", "keep one line"))
    return approvals


def _approval_stage(found: Field) -> str:
    key = fold_key(found.key)
    return key.removeprefix(APPROVAL_PREFIX) if key.startswith(APPROVAL_PREFIX) else ""
