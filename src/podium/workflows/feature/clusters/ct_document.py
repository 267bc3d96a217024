"""`design_critical_review.md`: the result of the four critical-thinking agents, rendered from
data.
"""

from __future__ import annotations

from podium.workflows.feature.clusters.aggregate_parts import (
    Data,
    brief,
    by_severity,
    coverage,
    findings_of,
    listed,
    members_of,
    section,
    top,
    warnings,
)
from podium.workflows.feature.clusters.clusters import CT_MEMBERS
from podium.workflows.feature.findings.finding import Finding
from podium.workflows.feature.findings.severities import CT


def unresolved(data: Data) -> tuple[Finding, ...]:
    """The findings that call for a revision."""
    return tuple(each for each in findings_of(data) if CT.at_least(each.severity, "High"))


def planning_constraints(data: Data) -> tuple[str, ...]:
    """What the plan must answer if the design is not revised again, one line each."""
    return tuple(f"The plan must answer this: {brief(each)}" for each in unresolved(data))


def render_ct(data: Data) -> str:
    found = findings_of(data)
    members = members_of(data, CT_MEMBERS)
    shared = [each for each in found if len(each.sources) > 1]
    said = (str(each.get("severity", "")) for each in members.values())
    risk = CT.highest([*(each.severity for each in found), *said])
    lines = [
        *top("Design Critical Review", data),
        *section("Overall Risk Level", [risk]),
        *section("Findings by Severity", by_severity(found, CT)),
        *section(
            "Cross-Cutting Concerns",
            listed(f"{brief(each)} ({', '.join(each.sources)})" for each in shared),
        ),
        *section("Unresolved Tensions", listed(map(brief, unresolved(data)))),
        *section("Requirement Coverage Gaps", listed(data.get("gaps", ()))),
        *section("Recommendations", listed(map(_recommendation, unresolved(data)))),
    ]
    if data.get("constraints"):
        lines += section("Planning Constraints", listed(planning_constraints(data)))
    return "\n".join([*lines, *warnings(data), *coverage(members, CT)]) + "\n"


def _recommendation(finding: Finding) -> str:
    notes = dict(finding.notes)
    way = notes.get("Suggested Fix") or notes.get("Assumption at risk") or finding.what
    where = finding.where or "the design"
    if notes.get("Suggested Fix"):
        return f"In {where}: {way}"
    return f"Revise {where}, or say why this holds: {way}"
