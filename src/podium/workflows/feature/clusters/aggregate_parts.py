"""What the three aggregate documents share: their data, and the parts that are rendered alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from podium.core.natural import natural
from podium.workflows.feature.clusters.clusters import Decided
from podium.workflows.feature.clusters.observation import Observed
from podium.workflows.feature.documents.quoting import NOT_SAID, item, name, part, table, words
from podium.workflows.feature.findings.finding import (
    MAX_FINDINGS,
    Finding,
    as_data,
    cut,
    from_data,
    merged,
)
from podium.workflows.feature.findings.severities import Scale, weight

Data = Mapping[str, Any]
NOTHING = "None."


def gathered(
    decided: Decided,
    members: Iterable[Observed],
    paths: Mapping[str, str],
    round_: int = 1,
    *,
    constraints: bool = False,
    tier: str = "",
) -> dict[str, Any]:
    """A cluster's result as JSON data; rendering needs nothing else."""
    found = list(members)
    return {
        "round": round_,
        "decided": decided.status,
        "reason": decided.reason,
        "members": {
            each.seen.member: {
                "status": each.seen.status,
                "severity": each.seen.severity,
                "summary": each.summary,
                "path": paths.get(each.seen.member, ""),
                "tasks": list(each.tasks),
            }
            for each in found
        },
        "findings": [
            as_data(each) for each in merged(one for each in found for one in each.findings)
        ],
        "gaps": list(dict.fromkeys(gap for each in found for gap in each.gaps)),
        "cross_task": any(each.cross_task for each in found),
        "warnings": list(
            dict.fromkeys(
                (*decided.warnings, *(warning for each in found for warning in each.warnings))
            )
        ),
        "constraints": constraints,
        "tier": tier,
    }


def findings_of(data: Data) -> tuple[Finding, ...]:
    return merged(map(from_data, data.get("findings", ())))


def members_of(data: Data, order: Sequence[str]) -> dict[str, Data]:
    """Every member of the cluster in order; a member without a record is MISSING."""
    known: Mapping[str, Data] = data.get("members", {})
    return {each: known.get(each, {"status": "MISSING"}) for each in order}


def concerned_tasks(data: Data, scale: Scale, least: str) -> tuple[str, ...]:
    """Ids of the tasks that must be fixed: those of findings bad enough, and those of members
    that are not DONE.
    """
    bad = [each for each in findings_of(data) if scale.at_least(each.severity, least)]
    asking = [each for each in data.get("members", {}).values() if each.get("status") != "DONE"]
    found = {task for each in bad for task in each.tasks} | {
        str(task) for each in asking for task in each.get("tasks", ())
    }
    return tuple(sorted(found, key=natural))


def top(title: str, data: Data) -> list[str]:
    return [
        f"# {title}",
        "",
        "## Summary",
        "",
        part("Verdict", data.get("decided", "")),
        part("Reason", data.get("reason", "")),
        part("Round", data.get("round", 1)),
        part("Findings", len(data.get("findings", ()))),
    ]


def section(title: str, lines: Sequence[str]) -> list[str]:
    return ["", f"## {title}", "", *(lines or [NOTHING])]


def listed(texts: Iterable[object]) -> list[str]:
    return [item(each) for each in texts]


def brief(finding: Finding) -> str:
    """A finding in one line, not yet quoted."""
    where = f"{finding.where}: " if finding.where else ""
    return cut(f"{finding.severity} — {where}{finding.what}")


def by_severity(findings: Sequence[Finding], scale: Scale) -> list[str]:
    """Every finding in full under its severity, the worst first; a severity without findings is
    left out.
    """
    lines: list[str] = []
    for severity in sorted(
        {each.severity for each in findings}, key=lambda word: (-weight(word), word)
    ):
        lines += [f"### {scale.read(severity)}", ""]
        for each in findings:
            if each.severity == severity:
                lines += [*_in_full(each, scale), ""]
    return lines[:-1]


def _in_full(finding: Finding, scale: Scale) -> list[str]:
    lines = [
        f"#### [Severity: {scale.read(finding.severity)}] {words(finding.title or finding.what)}",
        "",
        part("What", finding.what),
        part("Where", finding.where),
        *(part(words(key), text) for key, text in finding.notes),
    ]
    if finding.tasks:
        lines.append(part("Affects Tasks", ", ".join(finding.tasks)))
    return [*lines, part("Sources", ", ".join(finding.sources))]


def warnings(data: Data) -> list[str]:
    found = list(data.get("warnings", ()))
    return section("Warnings", listed(found[:MAX_FINDINGS])) if found else []


def worst_of(member: Data, scale: Scale) -> str:
    """The worst a member found. A member without a result found nothing, but that is not a pass."""
    severity = str(member.get("severity", ""))
    lost = member.get("status") == "MISSING" and scale.read(severity) == scale.nothing
    return NOT_SAID if lost else scale.read(severity)


def coverage(members: Mapping[str, Data], scale: Scale) -> list[str]:
    rows = [
        [
            name(each),
            words(data.get("status", "")),
            worst_of(data, scale),
            name(data.get("path", "")),
        ]
        for each, data in members.items()
    ]
    return section("Coverage", table(["Member", "Status", "Worst", "Document"], rows))
