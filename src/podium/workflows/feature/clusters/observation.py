"""How the program sees one member: the worst of its line, its object and its document."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from podium.core.natural import natural
from podium.core.verdict import Verdict
from podium.workflows.feature.clusters.clusters import Seen, Standing
from podium.workflows.feature.findings.finding import Finding, Reading, cut, merged
from podium.workflows.feature.findings.findings import (
    read_ct,
    read_object,
    read_review,
    read_v_build,
    read_v_feature,
    read_v_tasks,
    read_v_tests,
)
from podium.workflows.feature.findings.severities import scale_of

_READERS: Mapping[str, Callable[[str, str], Reading]] = {
    **dict.fromkeys(
        ("ct-security", "ct-scalability", "ct-maintainability", "ct-strategy"), read_ct
    ),
    **dict.fromkeys(("r-quality", "r-security", "r-testing"), read_review),
    "v-build": read_v_build,
    "v-tests": read_v_tests,
    "v-tasks": read_v_tasks,
    "v-feature": read_v_feature,
}


@dataclass(frozen=True)
class Observed:
    """One member, as the tables and documents need it."""

    seen: Seen
    summary: str = ""
    findings: tuple[Finding, ...] = ()
    tasks: tuple[str, ...] = ()
    """Every task id it names."""
    cross_task: bool = False
    gaps: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def observed(member: str, verdict: Verdict | None, text: str | None) -> Observed:
    """What a member's verdict and document say; None means there is none."""
    scale = scale_of(member)
    reader = _READERS.get(member)
    sent = read_object(verdict.data if verdict else {}, member)
    written = reader(text, member) if reader and text is not None else Reading(scale.nothing)
    findings = merged((*written.findings, *sent.findings))
    tasks = {*written.tasks, *sent.tasks, *(task for each in findings for task in each.tasks)}
    return Observed(
        Seen(member, _standing(verdict, text), scale.highest((written.severity, sent.severity))),
        cut(verdict.reason) if verdict else "no answer that could be read",
        findings,
        tuple(sorted(tasks, key=natural)),
        written.cross_task,
        written.gaps,
        (*written.warnings, *sent.warnings),
    )


def _standing(verdict: Verdict | None, text: str | None) -> Standing:
    if verdict is None or verdict.word not in ("DONE", "NEEDS_REVISION"):
        return "ERROR" if text is not None or verdict is not None else "MISSING"
    if text is None:
        return "MISSING"
    return "DONE" if verdict.word == "DONE" else "NEEDS_REVISION"
