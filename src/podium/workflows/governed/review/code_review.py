"""A code review as it counts: blockers are computed from the issues, never taken from a headline.

Only confirmed CRITICAL and MAJOR issues block. An issue that only one of the two lists calls a
blocker blocks too. A refusal without a confirmed blocker is advice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from podium.workflows.governed.phase.failures import classify
from podium.workflows.governed.plan.plan import Phase
from podium.workflows.governed.policy.policy import Policy
from podium.workflows.governed.review import scoring
from podium.workflows.governed.terms import BLOCKING_SEVERITIES, FailureClass, Tier

Kind = Literal["passes", "revise", "again", "ask"]
_BY_RIGOUR = (scoring.APPROVED, scoring.REVISION, scoring.FAILED)


@dataclass(frozen=True)
class Issue:
    """One thing that a reviewer found in the code."""

    severity: str
    description: str
    file: str
    line: int | None = None
    validation: str = "unvalidated"

    @property
    def same(self) -> tuple[str, str]:
        """Two reports with the same file and words are about the same issue."""
        return self.file, " ".join(self.description.casefold().split())

    def __str__(self) -> str:
        at = f":{self.line}" if self.line else ""
        return f"{self.severity} {self.file}{at}: {self.description}"


@dataclass(frozen=True)
class CodeReview:
    """One verdict, after the program examined it."""

    status: str
    confidence: float
    summary: str
    issues: tuple[Issue, ...]
    blockers: tuple[Issue, ...]
    contradictions: tuple[str, ...] = ()
    classification: FailureClass = "fixable"
    scope: str = "phase"

    @property
    def abstains(self) -> bool:
        return self.status == "ABSTAIN"

    @property
    def blocked_as(self) -> FailureClass:
        """The class of its blockers: a reviewer may send them to the planner or to a person;
        otherwise they are to be fixed.
        """
        return (
            self.classification
            if self.classification in {"needs_replan", "escalate"}
            else "fixable"
        )

    @property
    def false_positives(self) -> tuple[int, int]:
        """How many of the serious issues the reviewer itself rejected, and how many there were."""
        serious = [each for each in self.issues if each.severity in BLOCKING_SEVERITIES]
        return sum(each.validation == "rejected" for each in serious), len(serious)


@dataclass(frozen=True)
class ReviewDecision:
    """What follows from a review."""

    kind: Kind
    reason: str
    blockers: tuple[Issue, ...] = ()
    advice: tuple[str, ...] = ()
    """Issues and words that were noted and stop nothing."""


def review_due(phase: Phase, tier: Tier, changed: Sequence[str], policy: Policy) -> bool:
    """Whether a phase's code is reviewed: if its tier calls for it and the phase changed
    something.
    """
    return policy.reviews(tier, "code_review") and not phase.read_only and bool(changed)


def read_code_review(data: Mapping[str, Any]) -> CodeReview:
    """The review in an object that its schema accepted."""
    issues = tuple(
        _issue(each, each.get("validation_status", "unvalidated")) for each in data["issues"]
    )
    listed = tuple(_issue(each, "confirmed") for each in data["validated_blocking_issues"])
    confirmed = [
        each
        for each in issues
        if each.severity in BLOCKING_SEVERITIES and each.validation == "confirmed"
    ]
    in_issues, in_list = {each.same for each in confirmed}, {each.same for each in listed}
    blockers = (*confirmed, *(each for each in listed if each.same not in in_issues))
    said = str(data["status"])
    contradictions = [
        f"not in validated_blocking_issues: {each}"
        for each in confirmed
        if each.same not in in_list
    ]
    contradictions += [
        f"only in validated_blocking_issues: {each}"
        for each in listed
        if each.same not in in_issues
    ]
    marks = {
        each["name"]: each["raw_score"] for each in data.get("scoring", {}).get("dimensions", ())
    }
    score = scoring.percentage(marks, scoring.CODE_WEIGHTS) if marks else None
    allowed = scoring.code_verdict(score, [each.severity for each in blockers])
    status = said
    if said in _BY_RIGOUR and _BY_RIGOUR.index(allowed) > _BY_RIGOUR.index(said):
        status = allowed
        contradictions.append(f"{said}, but its issues and marks allow {allowed} at best")
    if data["abstain"]["is_abstaining"]:
        status = "ABSTAIN"
    return CodeReview(
        status,
        data["confidence"],
        data["summary"],
        issues,
        blockers,
        tuple(contradictions),
        classify("", data.get("failure_classification", "fixable")),
        data.get("review_scope", "phase"),
    )


def _issue(data: Mapping[str, Any], validation: str) -> Issue:
    line = data.get("line")
    return Issue(
        data["severity"],
        data["description"],
        data["file"],
        None if line is None else int(line),
        validation,
    )


def decide_review(
    review: CodeReview, *, required: bool = True, asked_again: bool = False
) -> ReviewDecision:
    """What follows: blockers go back, a required reviewer that abstains is asked once more,
    anything else passes.
    """
    advice = tuple(str(each) for each in review.issues if each not in review.blockers)
    if review.blockers:
        return ReviewDecision(
            "revise", f"{len(review.blockers)} confirmed blockers", review.blockers, advice
        )
    if review.abstains and required:
        kind: Kind = "ask" if asked_again else "again"
        return ReviewDecision(
            kind, "the reviewer abstained" + (" twice" if asked_again else ""), advice=advice
        )
    if review.status == scoring.APPROVED:
        return ReviewDecision("passes", "approved", advice=advice)
    return ReviewDecision(
        "passes",
        f"{review.status} without a confirmed blocker is advice",
        advice=(review.summary, *advice),
    )
