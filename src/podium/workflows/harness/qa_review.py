"""QA's review as a value, and what it means for the run: the closed sets, contradictions, the
judgement.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from podium.core.verdict import Outcome

# Each from best to worst: if several are found, the last one counts.
RESULTS = ("Pass", "Pass With Minor Issues", "Issues Found", "Blocked")
READINESS = ("Awaiting Approval", "Back to Build", "Blocked")
STATUSES = ("Pass", "N/A", "Deferred", "Warn", "Fail")
SEVERITIES = ("Low", "Medium", "High")
RESULT_TITLE, READINESS_TITLE = "Validation Result", "Approval Readiness"
CRITERIA_TITLE, ISSUES_TITLE = "Acceptance Criteria Review", "Issues Identified"

_READINESS_OF = {
    "Pass": "Awaiting Approval",
    "Pass With Minor Issues": "Awaiting Approval",
    "Issues Found": "Back to Build",
    "Blocked": "Blocked",
}


@dataclass(frozen=True)
class Issue:
    """One problem QA found."""

    description: str
    """In one line."""
    severity: str
    """One of SEVERITIES."""
    blocks: bool
    """Whether QA says that it blocks approval."""


@dataclass(frozen=True)
class QaReview:
    """What QA says, with every value from its closed set."""

    result: str = RESULTS[0]
    """One of RESULTS."""
    readiness: str = READINESS[0]
    """One of READINESS."""
    criteria: Mapping[str, str] = field(default_factory=dict)
    """Criterion to one of STATUSES; a criterion without an id is named by its words."""
    issues: tuple[Issue, ...] = ()
    """In the order of the document."""
    contradictions: tuple[str, ...] = ()
    """In words, where the review says two things."""
    words: str = field(default="", compare=False)
    """QA's own explanation beside the two headline values."""


@dataclass(frozen=True)
class QaJudgement:
    """What a review means for the run."""

    outcome: Outcome
    """`ok`, `revise` (Build runs again) or `fail` (the run is blocked)."""
    word: str
    """The headline that counts."""
    reasons: tuple[str, ...]
    """The exact reasons; empty for `ok`."""


def judge(review: QaReview) -> QaJudgement:
    obstacles = _obstacles(review)
    if "Blocked" in (review.result, review.readiness):
        # The reason is QA's own words and nothing else; its contradictions are recorded separately.
        return QaJudgement(
            "fail",
            "Blocked",
            (review.words,)
            if review.words
            else ("QA says Blocked and gives no reason", *obstacles),
        )
    reasons = [f"{RESULT_TITLE} is Issues Found"] if review.result == "Issues Found" else []
    reasons += (
        [f"{READINESS_TITLE} is Back to Build"] if review.readiness == "Back to Build" else []
    )
    reasons += obstacles
    if reasons:
        return QaJudgement("revise", "Issues Found", (*reasons, *review.contradictions))
    return QaJudgement("ok", review.result, ())


def worse(document: QaReview, verdict: QaReview) -> QaReview:
    """Both combined: the worse of each pair of values counts, and every disagreement is named."""
    criteria = dict(document.criteria)
    for key, status in verdict.criteria.items():
        criteria[key] = worst(STATUSES, (criteria.get(key, status), status))
    issues: dict[str, Issue] = {}
    for issue in (*document.issues, *verdict.issues):
        twin = issues.get(issue.description, issue)
        severity = worst(SEVERITIES, (twin.severity, issue.severity))
        issues[issue.description] = Issue(issue.description, severity, twin.blocks or issue.blocks)
    disagreements = _disagreements(document, verdict)
    return settle(
        QaReview(
            result=worst(RESULTS, (document.result, verdict.result)),
            readiness=worst(READINESS, (document.readiness, verdict.readiness)),
            criteria=criteria,
            issues=tuple(issues.values()),
            contradictions=(*document.contradictions, *verdict.contradictions, *disagreements),
            words=document.words or verdict.words,
        )
    )


def _disagreements(document: QaReview, verdict: QaReview) -> tuple[str, ...]:
    pairs = [
        (RESULT_TITLE, document.result, verdict.result),
        (READINESS_TITLE, document.readiness, verdict.readiness),
    ]
    pairs += [
        (f"criterion {key}", document.criteria[key], status)
        for key, status in verdict.criteria.items()
        if key in document.criteria
    ]
    blocking: dict[str, bool] = {}
    for issue in document.issues:
        blocking[issue.description] = blocking.get(issue.description, False) or issue.blocks
    pairs += [
        (
            f"issue '{issue.description}'",
            _blocks(blocking[issue.description]),
            _blocks(issue.blocks),
        )
        for issue in verdict.issues
        if issue.description in blocking
    ]
    return tuple(
        f"{what}: the document says {ours}, the verdict says {theirs}"
        for what, ours, theirs in pairs
        if ours != theirs
    )


def _blocks(blocks: bool) -> str:
    return "it blocks approval" if blocks else "it does not block approval"


def worst(allowed: Sequence[str], found: Iterable[str]) -> str:
    return max(found, key=allowed.index)


def settle(review: QaReview) -> QaReview:
    """The review with every contradiction between its headline and its body named."""
    found = list(review.contradictions)
    if _READINESS_OF[review.result] != review.readiness:
        found.append(
            f"{RESULT_TITLE} says {review.result}, yet {READINESS_TITLE} says {review.readiness}"
        )
    if review.result.startswith("Pass"):
        found += [
            f"{RESULT_TITLE} says {review.result}, yet {obstacle}"
            for obstacle in _obstacles(review)
        ]
    return replace(review, contradictions=tuple(dict.fromkeys(found)))


def _obstacles(review: QaReview) -> list[str]:
    obstacles = [
        f"criterion {key} is Fail" for key, status in review.criteria.items() if status == "Fail"
    ]
    obstacles += [
        f"issue '{issue.description}' ({issue.severity}) blocks approval"
        for issue in review.issues
        if issue.blocks
    ]
    return obstacles
