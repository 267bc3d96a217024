"""The documents that record a completed phase, the completed plan and the final review."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from podium.formats.field_lines import one_line
from podium.formats.markdown import scan
from podium.formats.markdown_fields import bullets
from podium.workflows.governed.phase.checklist import Checklist
from podium.workflows.governed.plan.plan import Phase, Plan


@dataclass(frozen=True)
class PhaseRecord:
    """What is known about a complete phase."""

    phase: Phase
    summary: str
    changed: tuple[str, ...]
    review: str
    """The status that counts, or why none was due."""
    checklist: Checklist
    commit: str = ""
    advice: tuple[str, ...] = ()


def write_phase(record: PhaseRecord) -> str:
    """The document of one complete phase."""
    tests = [path for path in record.changed if "test" in path.lower()]
    lines = [
        f"## Phase {record.phase.phase_id} Complete: {one_line(record.phase.title)}",
        "",
        f"**TL;DR:** {one_line(record.summary)}",
        "",
        "### Changes",
        "",
        *_listed("Files", record.changed),
        *_listed("Tests", tests),
        "",
        "### Evidence",
        "",
        *bullets(f"{each.name}: {each.because}" for each in record.checklist.points),
        *bullets(f"contradiction: {each}" for each in record.checklist.contradictions),
        "",
        "### Review Status",
        "",
        one_line(record.review),
        *(["", *bullets(record.advice)] if record.advice else []),
        "",
        "### Commit Message",
        "",
        *(_indented(record.commit) or ["None"]),
    ]
    return "\n".join(lines) + "\n"


def phase_of(text: str) -> int | None:
    """The number of the phase that a document records as complete; None if it does not."""
    for heading in scan(text).headings:
        words = heading.title.split()
        if words[:1] == ["Phase"] and words[2:3] == ["Complete:"] and words[1].isdecimal():
            return int(words[1][:9])
    return None


def phase_done(text: str) -> tuple[str, tuple[str, ...]] | None:
    """Title and changed files of the phase that a document records as complete."""
    outline = scan(text)
    heads = [
        each.title
        for each in outline.headings
        if each.title.split()[:1] == ["Phase"] and " Complete: " in each.title
    ]
    if not heads or phase_of(text) is None:
        return None
    files: list[str] = []
    inside = False
    for line in outline.lines:
        inside = line.startswith("- Files:") or (inside and line.startswith("  - "))
        if inside and line.startswith("  - "):
            files.append(line.removeprefix("  - ").strip().strip("`"))
    return heads[0].partition(" Complete: ")[2], tuple(files)


def write_complete(
    plan: Plan, records: Sequence[PhaseRecord], recommendations: Sequence[str] = ()
) -> str:
    """The document of a complete plan."""
    done = {each.phase.phase_id: each for each in records}
    files = sorted({path for each in records for path in each.changed})
    tests = [path for path in files if "test" in path.lower()]
    phases = [
        f"{'✅' if each.phase_id in done else '⬜'} {each.name}"
        for each in sorted(plan.phases, key=lambda each: each.phase_id)
    ]
    proofs = [f"{done[number].phase.name}: {_tests(done[number])}" for number in sorted(done)]
    lines = [
        f"## Plan Complete: {one_line(plan.task_title)}",
        "",
        f"**Summary:** {one_line(plan.summary)}",
    ]
    for title, items in (
        ("Phases Completed", phases),
        ("All Files Modified", files),
        ("Key Functions/Components", [one_line(each.summary) for each in records]),
        ("Test Coverage", [*proofs, *(f"changed: {path}" for path in tests)]),
        ("Success Criteria", plan.success_criteria),
        ("Recommendations", recommendations),
    ):
        lines += ["", f"### {title}", "", *(bullets(items) or ["None"])]
    return "\n".join(lines) + "\n"


def _tests(record: PhaseRecord) -> str:
    return next(each.because for each in record.checklist.points if each.name == "tests")


def write_final_review(
    plan: Plan,
    status: str,
    advice: Sequence[str],
    compared: Mapping[str, Sequence[Mapping[str, object]]],
) -> str:
    """The document of a final review that found no blocker."""
    rows = [f"{each['file']}: {each['status']}" for each in compared["planned_vs_actual"]]
    outside = [str(each) for each in compared["out_of_scope_changes"]]
    lines = [f"## Final Review: {one_line(plan.task_title)}", "", f"**Status:** {one_line(status)}"]
    for title, items in (
        ("Advice", advice),
        ("Planned and Actual Files", rows),
        ("Outside the Plan", outside),
    ):
        lines += ["", f"### {title}", "", *(bullets(items) or ["None"])]
    return "\n".join(lines) + "\n"


def _listed(title: str, items: Sequence[str]) -> list[str]:
    return (
        [f"- {title}:", *(f"  {each}" for each in bullets(items))]
        if items
        else [f"- {title}: none"]
    )


def _indented(text: str) -> list[str]:
    return [f"    {line}".rstrip() for line in text.splitlines()]
