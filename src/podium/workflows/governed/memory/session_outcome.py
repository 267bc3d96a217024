"""The log of sessions: one entry for each finished plan, written before its summary is shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from podium.formats.field_lines import field_value, fields_in, fold_key, one_line
from podium.formats.markdown import scan, split_lines
from podium.workflows.governed.paths import log_path
from podium.workflows.governed.plan.words import cell
from podium.workflows.governed.policy.policy import Policy
from podium.workflows.governed.roster import BY_ROLE

TITLE = "# Session Outcomes Log"
ENTRY = "Entry"
PIPELINE = ("assumption-verifier", "plan-auditor", "executability-verifier", "code-reviewer")
NOT_RUN = ("N/A", "not in scope")


@dataclass(frozen=True)
class SessionOutcome:
    """The result of one session."""

    plan_id: str
    date: str
    tier: str
    planned: int
    completed: int
    reviews: Mapping[str, tuple[str, str]]
    """Role to result and remark; a missing role was not asked."""
    iterations: int
    max_iterations: int
    convergence: str
    status: str
    """SUCCESS, PARTIAL or FAILED."""
    rejected: int = 0
    serious: int = 0
    """Serious issues of code reviews; `rejected` is how many of them were rejected as false."""
    lessons: tuple[str, ...] = ()


def outcome_status(planned: int, completed: int, *, stopped: bool) -> str:
    """SUCCESS if every phase is complete and nobody stopped the run, FAILED if none is complete,
    else PARTIAL.
    """
    if completed >= planned and not stopped:
        return "SUCCESS"
    return "PARTIAL" if completed else "FAILED"


def write_entry(outcome: SessionOutcome) -> str:
    """One entry of the log."""
    rows = []
    for role in PIPELINE:
        result, remark = outcome.reviews.get(role, NOT_RUN)
        rows.append(f"| {BY_ROLE[role].name} | {cell(result)} | {cell(remark)} |")
    share = f"{100 * outcome.rejected / outcome.serious:.0f}%" if outcome.serious else "N/A"
    lessons = [
        f"{number}. {text}"
        for number, text in enumerate(filter(None, map(one_line, outcome.lessons)), 1)
    ]
    lines = [
        f"## {ENTRY}",
        "",
        f"**Plan ID:** `{field_value(outcome.plan_id)}`  ",
        f"**Date:** `{outcome.date}`  ",
        f"**Complexity Tier:** `{outcome.tier}`  ",
        f"**Total Phases:** `{outcome.planned} / {outcome.completed}`  ",
        "",
        "### Review Pipeline",
        "",
        "| Agent | Result | Notes |",
        "| --- | --- | --- |",
        *rows,
        "",
        f"**Total review iterations:** `{outcome.iterations} / {outcome.max_iterations}`  ",
        f"**Convergence:** `{outcome.convergence}`  ",
        "",
        "### Outcome",
        "",
        f"**Status:** `{outcome.status}`  ",
        (
            f"**CodeReviewer false positive rate:** `{outcome.rejected} / {outcome.serious}` "
            f"(`{share}`)  "
        ),
        "",
        "### Lessons Learned",
        "",
        *(lessons or ["1. None noted."]),
        "",
        "---",
    ]
    return "\n".join(lines) + "\n"


def appended(log: str | None, entry: str) -> str:
    """The log with the entry at its end; adding the same entry again changes nothing."""
    head = log if log and log.strip() else f"{TITLE}\n\n---\n"
    if entry.strip() in head:
        return head
    return f"{head.rstrip()}\n\n{entry}"


def entries(log: str) -> tuple[str, ...]:
    """The entries of a log as written, oldest first."""
    return tuple(log_part for log_part, _ in _spans(log)[1])


def _spans(log: str) -> tuple[str, list[tuple[str, int]]]:
    outline, lines = scan(log), split_lines(log)
    starts = [
        each.line
        for each in outline.headings
        if each.level == 2 and fold_key(each.title) == fold_key(ENTRY)
    ]
    bounds = [*starts, len(lines)]
    head = "".join(lines[: bounds[0]])
    return head, [
        ("".join(lines[begin:end]), begin) for begin, end in zip(starts, bounds[1:], strict=True)
    ]


def archived(log: str, policy: Policy) -> tuple[str, str]:
    """The log within its limit, and the oldest entries for the archive; empty if there are none."""
    most = policy.integer("session_telemetry.archive_threshold_entries")
    head, found = _spans(log)
    if len(found) <= most:
        return log, ""
    old, kept = found[: len(found) - most], found[len(found) - most :]
    return head + "".join(text for text, _ in kept), "".join(text for text, _ in old)


def archive_path(policy: Policy, year: str) -> str:
    """Where old entries go: beside the log, by year."""
    stem, dot, suffix = log_path(policy).rpartition(".")
    return f"{stem}-archive-{year}{dot}{suffix}" if dot else f"{suffix}-archive-{year}"


def followed(entry: str, template: str) -> str:
    """An entry with every section of the project's own template; sections unknown to the program
    are left for people.
    """
    written = {fold_key(each.title) for each in scan(entry).headings}
    parts = entries(template)
    wanted = [each.title for each in scan(parts[0]).headings if each.level > 2] if parts else []
    added = [
        f"### {one_line(title)}\n\nNone noted.\n"
        for title in wanted
        if fold_key(title) not in written
    ]
    return entry.replace("\n---\n", "\n" + "\n".join([*added, "---\n"])) if added else entry


def entry_fields(entry: str) -> dict[str, str]:
    """The named lines of an entry."""
    outline = scan(entry)
    return {
        each.key: each.value for each in reversed(fields_in(outline.prose(0, len(outline.lines))))
    }
