"""`harness/runs/<task>-run-report.md`: what has happened to a task so far, for people.

The program writes every line of it, except people's words in `## Notes`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from podium.documents.markdown_edit import put_notes
from podium.formats.field_lines import field_value
from podium.formats.markdown import scan
from podium.formats.markdown_fields import (
    add_section,
    bullets,
    put_fields,
    read_field,
    replace_block,
)
from podium.workflows.harness import sentences
from podium.workflows.harness.run_state import (
    NONE,
    add_people_words,
    empty_template,
    keep_known,
    or_none,
)

_FIELDS: Mapping[str, tuple[str, ...]] = {
    "Task": ("Task ID", "Task Title", "Task File"),
    "Run": ("Run Report ID", "Current Stage", "Current Run ID", "Overall Status"),
    "Stop / Pause State": ("Stop Reason", "Next Expected Action"),
}
SECTIONS = (
    *("Task", "Run", "Stage History", "Artifact Paths", "Validation Evidence"),
    *("Stop / Pause State", "Notes"),
)


@dataclass(frozen=True)
class RunReport:
    """A task's story so far."""

    task_id: str
    """Such as T001."""
    task_title: str
    """In one line."""
    task_file: str
    """Its path in the project."""
    report_id: str
    """Such as T001-run-report."""
    stage: str
    """The current stage."""
    run_id: str
    """The current run id; empty if no stage runs."""
    status: str
    """The run state's status."""
    stage_history: tuple[str, ...] = ()
    """A line for each stage run, oldest first."""
    artifacts: Mapping[str, str] = field(default_factory=dict)
    """Paths by label, in order."""
    evidence: tuple[str, ...] = ()
    """A line for each proof: changed files, commands and their exit codes."""
    stop_reason: str = ""
    """Why the run has stopped; empty while it moves."""
    next_action: str = ""
    """What has to happen next, and who has to do it."""
    program_notes: tuple[str, ...] = ()
    """The program's own lines in Notes."""
    notes: str = ""
    """People's words; only used for the first version of the file."""


def render(report: RunReport, template: str) -> str:
    """The first version of the file, from the team's template."""
    text = keep_known(template, "Artifact Paths", report.artifacts)
    text = sentences.filled(text, values(report))
    text = update(empty_template(text, ("Stage History", "Validation Evidence")), report)
    return add_people_words(text, report.notes)


def update(text: str, report: RunReport) -> str:
    """The file with the report's values; people's words in Notes stay."""
    outline = scan(text)
    text = put_fields(
        text,
        [each for each in values(report) if read_field(outline, *each[:2]) != field_value(each[2])],
    )
    text = _put_lines(text, "Stage History", report.stage_history)
    text = _put_lines(text, "Validation Evidence", report.evidence)
    return put_notes(text, "Notes", report.program_notes)


def check(text: str) -> tuple[str, ...]:
    """Every fault of a report, in words; none if the report is sound."""
    outline = scan(text)
    faults = [
        f"section '{title}' is missing" for title in SECTIONS if outline.section(title) is None
    ]
    faults += [
        f"line '{key}:' is missing or empty in section '{section}'"
        for section, keys in _FIELDS.items()
        for key in keys
        if outline.section(section) and not read_field(outline, section, key)
    ]
    return tuple(faults)


def values(report: RunReport) -> tuple[tuple[str, str, str], ...]:
    return (
        ("Task", "Task ID", report.task_id),
        ("Task", "Task Title", report.task_title),
        ("Task", "Task File", report.task_file),
        ("Run", "Run Report ID", report.report_id),
        ("Run", "Current Stage", report.stage),
        ("Run", "Current Run ID", or_none(report.run_id)),
        ("Run", "Overall Status", report.status),
        *(("Artifact Paths", label, path) for label, path in report.artifacts.items()),
        ("Stop / Pause State", "Stop Reason", or_none(report.stop_reason)),
        ("Stop / Pause State", "Next Expected Action", or_none(report.next_action)),
    )


def _put_lines(text: str, section: str, lines: Sequence[str]) -> str:
    if scan(text).section(section) is None:
        text = add_section(text, section)
    return replace_block(text, section, bullets(lines) or [f"- {NONE}"])
