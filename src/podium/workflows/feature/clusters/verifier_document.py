"""`verifier.md`: the result of the verification and what must be done, rendered from data."""

from __future__ import annotations

from podium.workflows.feature.clusters.aggregate_parts import (
    Data,
    coverage,
    findings_of,
    members_of,
    section,
    top,
    warnings,
    worst_of,
)
from podium.workflows.feature.clusters.clusters import V_MEMBERS
from podium.workflows.feature.documents.quoting import item, name, part, table, words
from podium.workflows.feature.findings.finding import Finding
from podium.workflows.feature.findings.severities import V

ACTIONS_TITLE = "Actionable Items"
ACTIONS_HEAD = ("Priority", "Task ID", "Action Required", "Source")
NO_TASK = "—"
_TITLES = {"v-build": "Build", "v-tests": "Tests", "v-tasks": "Tasks", "v-feature": "Feature"}
_WORK = {
    "v-build": "Make the build succeed",
    "v-tests": "Make the tests pass",
    "v-tasks": "Make every task meet its criteria",
    "v-feature": "Make the feature meet its criteria",
}


def actions(data: Data) -> list[tuple[str, str, str]]:
    """(task id, action, source) of everything to do, the most urgent first; empty for DONE."""
    if data.get("decided") == "DONE":
        return []
    found = findings_of(data)
    rows: list[tuple[str, str, str]] = []
    for member, each in members_of(data, V_MEMBERS).items():
        own = [one for one in found if member in one.sources]
        rows += [row for one in own for row in _mend(one, member)]
        bad = each.get("status") != "DONE" or V.read(str(each.get("severity", ""))) != V.nothing
        covered = {row[0] for row in rows}
        tasks = [str(task) for task in each.get("tasks", ()) if str(task) not in covered]
        if bad and (tasks or not own):
            rows += [(task, _work(member, each), member) for task in tasks or [NO_TASK]]
    # What the program itself observed belongs to no member; it is in the reason.
    return rows or [(NO_TASK, str(data.get("reason", "")), "podium")]


def _mend(finding: Finding, member: str) -> list[tuple[str, str, str]]:
    where = f"{finding.where}: " if finding.where else ""
    return [
        (task, f"{where}{finding.what} ({finding.severity})", member)
        for task in finding.tasks or [NO_TASK]
    ]


def _work(member: str, data: Data) -> str:
    if data.get("status") == "MISSING":
        return f"{member} gave no result: make it possible to run it"
    summary = str(data.get("summary", ""))
    return _WORK[member] + (f": {summary}" if summary else "")


def render_v(data: Data) -> str:
    members = members_of(data, V_MEMBERS)
    found = findings_of(data)
    lines = top("Verification", data)
    for member, each in members.items():
        own = [
            item(f"{one.severity} — {one.where}: {one.what}")
            for one in found
            if member in one.sources
        ]
        facts = [part("Status", each.get("status", "")), part("Result", worst_of(each, V))]
        if member == "v-tests":
            facts.append(
                part("Cross-Task Integration Issue", "Yes" if data.get("cross_task") else "No")
            )
        lines += section(_TITLES[member], [*facts, part("Summary", each.get("summary", "")), *own])
    if todo := actions(data):
        rows = [
            [str(number), name(task) if task != NO_TASK else NO_TASK, words(action), name(source)]
            for number, (task, action, source) in enumerate(todo, 1)
        ]
        lines += section(ACTIONS_TITLE, table(ACTIONS_HEAD, rows))
    return "\n".join([*lines, *warnings(data), *coverage(members, V)]) + "\n"
