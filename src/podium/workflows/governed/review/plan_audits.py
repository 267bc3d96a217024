"""What reviewers of a plan say, as values from which a round is decided.

A verdict is believed only if the reviewer's own findings and numbers support one as good; a worse
verdict is believed at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from podium.workflows.governed.review import scoring

LEAST_CONFIDENCE: Mapping[str, float] = {
    "plan-auditor": 0.7,
    "assumption-verifier": 0.7,
    "executability-verifier": 0.6,
}
"""Below this confidence a reviewer abstains, whatever it says."""
_BY_RIGOUR = (scoring.APPROVED, scoring.REVISION, scoring.REJECTED)
"""What an auditor may say about a plan; the worse of its word and what its findings and marks
allow counts.
"""
PRESENCE = (
    *(
        "phantom_api",
        "version_mismatch",
        "pattern_mismatch",
        "missing_dependency",
        "file_path_hallucination",
    ),
    *("schema_mismatch", "integration_fantasy", "scope_creep", "test_infrastructure_mismatch"),
    "concurrency_blindness",
)
ABSENCE = (
    *("missing_error_path", "missing_validation", "missing_edge_case", "missing_requirement"),
    *("missing_cleanup", "missing_migration", "missing_security_boundary"),
)
PATTERNS: tuple[str, ...] = (*PRESENCE, *ABSENCE)
"""Mirage patterns 1 to 17: first what a plan claims but does not exist, then what it leaves out."""


@dataclass(frozen=True)
class Finding:
    """One objection of a reviewer to a plan."""

    severity: str
    what: str
    where: str = ""
    blocks: bool = False
    """Whether the plan cannot be approved as long as the finding stands."""

    def __str__(self) -> str:
        return f"{self.severity}: {self.what}" + (f" ({self.where})" if self.where else "")


@dataclass(frozen=True)
class Review:
    """One reviewer's answer, after the program examined it."""

    role: str
    status: str
    """The status that counts; `said` is what was sent."""
    said: str
    confidence: float
    findings: tuple[Finding, ...] = ()
    marks: Mapping[str, float] | None = None
    mirages: int = 0
    orphans: int = 0
    blocked_tasks: int = 0
    contradictions: tuple[str, ...] = ()

    @property
    def abstains(self) -> bool:
        return self.status == "ABSTAIN"

    @property
    def blocking(self) -> tuple[Finding, ...]:
        return tuple(each for each in self.findings if each.blocks)


def read_review(role: str, data: Mapping[str, Any]) -> Review:
    """The review in an object that its schema accepted."""
    reader = {"plan-auditor": _audit, "assumption-verifier": _assumptions}.get(role, _rehearsal)
    review = reader(data)
    unsure = review.confidence < LEAST_CONFIDENCE[role]
    if review.abstains or not (unsure or data["abstain"]["is_abstaining"]):
        return review
    why = (
        f"confidence {review.confidence:g} is below {LEAST_CONFIDENCE[role]:g}"
        if unsure
        else "abstain says so"
    )
    return Review(
        role,
        "ABSTAIN",
        review.said,
        review.confidence,
        contradictions=(f"{review.said}, but {why}",),
    )


def _audit(data: Mapping[str, Any]) -> Review:
    findings = tuple(
        Finding(
            each["severity"],
            each["description"],
            _phases(each["affected_phases"]),
            each["severity"] == "CRITICAL",
        )
        for each in data["findings"]
    )
    marks = {
        each["name"]: each["raw_score"] for each in data.get("scoring", {}).get("dimensions", ())
    } or None
    score = scoring.percentage(marks, scoring.PLAN_WEIGHTS) if marks else None
    allowed = scoring.plan_verdict(score, [each.severity for each in findings])
    said = str(data["status"])
    status = said
    contradictions: tuple[str, ...] = ()
    if said in _BY_RIGOUR and _BY_RIGOUR.index(allowed) > _BY_RIGOUR.index(said):
        status = allowed
        contradictions = (f"{said}, but its findings and marks allow {allowed} at best",)
    return Review(
        "plan-auditor",
        status,
        said,
        data["confidence"],
        findings,
        marks,
        contradictions=contradictions,
    )


def _phases(numbers: Sequence[int]) -> str:
    return f"phase {', '.join(map(str, numbers))}"


def _assumptions(data: Mapping[str, Any]) -> Review:
    open_ = [each for each in data["mirage_findings"] if each["verdict"] != "VERIFIED"]
    findings = tuple(
        Finding(
            each["severity"],
            f"{each['pattern_name']}: {each['claim']}",
            each["verdict"],
            each["severity"] == "BLOCKING",
        )
        for each in open_
    )
    wrong = tuple(_misnamed(each) for each in data["mirage_findings"] if _misnamed(each))
    mirages = sum(each["verdict"] == "MIRAGE" for each in open_)
    orphans = sum(each["pattern_name"] in ABSENCE for each in open_)
    said = str(data["status"])
    return Review(
        "assumption-verifier",
        said,
        said,
        data["confidence"],
        findings,
        mirages=mirages,
        orphans=orphans,
        contradictions=(*wrong, *_overmarked(data, open_)),
    )


def _overmarked(data: Mapping[str, Any], found: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Marks that are better than the findings allow: each follows from its counts."""
    verdicts = Counter(each["verdict"] for each in found)
    named = Counter(each["pattern_name"] for each in found)
    allowed = scoring.assumption_marks(
        scoring.AssumptionCounts(
            mirages=verdicts["MIRAGE"],
            unverified=verdicts["UNVERIFIED"],
            missing_error_paths=named["missing_error_path"],
            missing_edge_cases=named["missing_edge_case"],
            integration_fantasies=named["integration_fantasy"],
            scope_creep=named["scope_creep"],
            scope_gaps=named["missing_requirement"],
            wrong_dependencies=named["version_mismatch"],
            missing_dependencies=named["missing_dependency"],
        )
    )
    for each in data.get("scoring", {}).get("dimensions", ()):
        if each["raw_score"] > allowed[each["name"]] + 0.005:
            yield (
                f"{each['name']} is marked {each['raw_score']:g}; the findings allow "
                f"{allowed[each['name']]:g}"
            )


def _misnamed(finding: Mapping[str, Any]) -> str:
    """What is wrong if a pattern's number, name and kind disagree; empty if they agree."""
    number = int(finding["pattern_id"])
    name = PATTERNS[number - 1]
    kind = "PRESENCE_MIRAGE" if name in PRESENCE else "ABSENCE_MIRAGE"
    if finding["pattern_name"] == name and finding["classification"] == kind:
        return ""
    return (
        f"pattern {number} is {name}, a {kind}, not {finding['pattern_name']}, a "
        f"{finding['classification']}"
    )


def _rehearsal(data: Mapping[str, Any]) -> Review:
    findings: list[Finding] = []
    for task in data["tasks_simulated"]:
        missing = [name for name, done in task["pre_execution_checklist"].items() if not done]
        stuck = [each for each in task["walkthrough_steps"] if each["status"] == "BLOCKED"]
        if task["task_verdict"] == "EXECUTABLE" and not missing and not stuck:
            continue
        blocked = task["task_verdict"] == "BLOCKED" or bool(stuck)
        why = (
            [each.get("blocker_description", each["step"]) for each in stuck]
            or missing
            or ["ambiguous"]
        )
        findings.append(
            Finding("BLOCKED" if blocked else "AMBIGUOUS", "; ".join(why), task["task_id"], blocked)
        )
    said = str(data["status"])
    blocked_tasks = sum(each.severity == "BLOCKED" for each in findings)
    status = said
    contradictions: tuple[str, ...] = ()
    if said == "PASS" and findings:
        status = "FAIL" if blocked_tasks else "WARN"
        contradictions = (f"PASS, but {findings[0]}",)
    return Review(
        "executability-verifier",
        status,
        said,
        data["confidence"],
        tuple(findings),
        blocked_tasks=blocked_tasks,
        contradictions=contradictions,
    )


def round_score(reviews: Mapping[str, Review]) -> float:
    """One number for a round: the auditor's marks, capped by what the others found."""
    ceilings = scoring.Ceilings(
        mirages=sum(each.mirages for each in reviews.values()),
        orphans=sum(each.orphans for each in reviews.values()),
        blocked_tasks=sum(each.blocked_tasks for each in reviews.values()),
    )
    audit = reviews.get("plan-auditor")
    if audit is not None and audit.marks:
        return scoring.percentage(audit.marks, scoring.PLAN_WEIGHTS, ceilings)
    worst = {
        "BLOCKING": "CRITICAL",
        "IMPORTANT": "MAJOR",
        "BLOCKED": "CRITICAL",
        "AMBIGUOUS": "MAJOR",
    }
    severities = [
        worst.get(found.severity, found.severity)
        for each in reviews.values()
        for found in each.findings
    ]
    return scoring.findings_score(severities)
