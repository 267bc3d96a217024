"""`review.md`: the result of the final review, rendered from data."""

from __future__ import annotations

from podium.workflows.feature.clusters.aggregate_parts import (
    Data,
    brief,
    by_severity,
    concerned_tasks,
    coverage,
    findings_of,
    listed,
    members_of,
    section,
    top,
    warnings,
)
from podium.workflows.feature.clusters.clusters import R_MEMBERS
from podium.workflows.feature.documents.quoting import NOT_SAID, name, part
from podium.workflows.feature.findings.severities import R
from podium.workflows.feature.tier import TIERS

_TITLES = {
    "r-quality": "Code Quality",
    "r-security": "Security",
    "r-testing": "Testing",
    "r-knowledge": "Knowledge",
}


def render_r(data: Data) -> str:
    members = members_of(data, R_MEMBERS)
    found = findings_of(data)
    tasks = concerned_tasks(data, R, "Major")
    tier = str(data.get("tier", ""))
    lines = [*top("Review", data), *section("Review Tier", [tier if tier in TIERS else NOT_SAID])]
    for member, each in members.items():
        own = listed(brief(one) for one in found if member in one.sources)
        facts = [part("Status", each.get("status", "")), part("Summary", each.get("summary", ""))]
        lines += section(_TITLES[member], [*facts, *own])
    lines += section("Issues by Severity", by_severity(found, R))
    lines += section("Affected Tasks", [f"- {name(task)}" for task in tasks])
    return "\n".join([*lines, *warnings(data), *coverage(members, R)]) + "\n"
