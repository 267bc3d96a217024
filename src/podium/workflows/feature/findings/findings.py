"""What the members of the three clusters found: from their documents and verdict objects to values.

`finding` defines the value, `blocks` reads the findings of a review, `verification` the documents
of the verification. Other modules import everything from here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podium.formats.markdown import scan
from podium.formats.outline import Outline, fold_title
from podium.formats.table_cells import cells, is_ruler
from podium.workflows.feature.findings.blocks import Blocks, is_row, walk
from podium.workflows.feature.findings.finding import (
    MAX_FINDINGS,
    MAX_TASKS,
    MAX_TEXT,
    Finding,
    Reading,
    as_data,
    cut,
    from_data,
    limited,
    merged,
)
from podium.workflows.feature.findings.severities import CT, R, Scale, headword, scale_of
from podium.workflows.feature.findings.verification import (
    read_v_build,
    read_v_feature,
    read_v_tasks,
    read_v_tests,
)

__all__ = [
    "MAX_FINDINGS",
    "MAX_TASKS",
    "MAX_TEXT",
    "Finding",
    "Reading",
    "as_data",
    "from_data",
    "merged",
    "read_ct",
    "read_object",
    "read_review",
    "read_v_build",
    "read_v_feature",
    "read_v_tasks",
    "read_v_tests",
]

COVERAGE_TITLE = "Requirement Coverage"
_COVERED = frozenset(
    {"covered", "fully covered", "yes", "full", "complete", "met", "n/a", "not applicable"}
)


def read_ct(text: str, source: str = "") -> Reading:
    """A critical-thinking document: its findings on the scale Low to Critical, and its coverage
    gaps.
    """
    outline = scan(text)
    return _read(text, outline, CT, source, _gaps(outline))


def read_review(text: str, source: str = "") -> Reading:
    """A review document: its findings on the scale Minor to Blocker."""
    return _read(text, scan(text), R, source)


def read_object(data: Mapping[str, Any], member: str) -> Reading:
    """The severity, tasks and findings of a verdict object that the dialect has accepted."""
    scale = scale_of(member)
    found = [
        Finding(
            # An empty severity is not the same as none at all.
            scale.read(str(each.get("severity", "")) or "?"),
            cut(str(each.get("where", ""))),
            cut(str(each.get("what", ""))) or "not described",
            (member,),
        )
        for each in data.get("findings", ())
    ]
    severity = scale.highest([str(data.get("severity", "")), *(each.severity for each in found)])
    kept, warnings = limited(
        [each for each in found if each.severity != scale.nothing], scale, member
    )
    return Reading(
        severity, kept, tuple(map(str, data.get("tasks", ())))[:MAX_TASKS], warnings=warnings
    )


def _read(
    text: str, outline: Outline, scale: Scale, source: str, gaps: tuple[str, ...] = ()
) -> Reading:
    name = f"{source}: " if source else ""
    if not text.strip():
        return Reading(
            scale.nothing, warnings=(f"{name}the document is empty and counts as no findings",)
        )
    if not any(kind in ("text", "heading") for kind in outline.kinds):
        what = "the document holds nothing but code, quotes or comments and cannot be read"
        unreadable = Finding(scale.worst, "", what, (source,) if source else ())
        return Reading(scale.worst, (unreadable,), warnings=(f"{name}{what}",))
    blocks = Blocks(scale, source)
    blocks.read(outline)
    kept, warnings = limited(blocks.findings, scale, source)
    if blocks.resolved:
        many = "entries are" if blocks.resolved > 1 else "entry is"
        warnings = (f"{name}{blocks.resolved} {many} marked as resolved: no finding", *warnings)
    severity = scale.highest(each.severity for each in blocks.findings)
    return Reading(severity, kept, gaps=gaps, warnings=warnings)


def _gaps(outline: Outline) -> tuple[str, ...]:
    """Rows of the coverage table that do not say that the requirement is covered."""
    gaps: list[str] = []
    for section in outline.sections(COVERAGE_TITLE):
        names: list[str] = []
        for level, text in walk(outline, section.heading.end, section.end):
            row = cells(text) if not level and is_row(text) else []
            if not row or is_ruler(row):
                continue
            if not names:
                names = [fold_title(cell) for cell in row]
                continue
            at = next(
                (at for at, name in enumerate(names) if "cover" in name or "status" in name), 1
            )
            if headword(row[at] if at < len(row) else "") not in _COVERED:
                gaps.append(cut(" — ".join(cell for cell in row if cell)))
    return tuple(dict.fromkeys(gaps))[:MAX_FINDINGS]
