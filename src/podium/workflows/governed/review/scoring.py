"""Scores as the program computes them: an agent gives raw marks, never weights, sums or
verdicts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

TOP = 5.0
PLAN_WEIGHTS: Mapping[str, float] = {
    "correctness": 3.0,
    "completeness": 2.5,
    "executability": 2.5,
    "tdd_quality": 1.5,
    "security": 1.5,
    "performance": 1.0,
    "code_quality": 0.5,
}
"""Security and performance count only if they were marked: not every plan touches them."""
CODE_WEIGHTS: Mapping[str, float] = {
    "correctness": 3.0,
    "completeness": 2.5,
    "test_quality": 2.0,
    "code_quality": 1.5,
    "security": 1.0,
}
APPROVED, REVISION, REJECTED, FAILED = "APPROVED", "NEEDS_REVISION", "REJECTED", "FAILED"
_APPROVAL, _REVISION = 75.0, 60.0
MOST_MAJOR = 2


@dataclass(frozen=True)
class Ceilings:
    """What other reviewers found; each number caps one mark."""

    mirages: int = 0
    orphans: int = 0
    """Requirements that nothing in the plan meets."""
    blocked_tasks: int = 0

    def caps(self) -> dict[str, float]:
        return {
            "correctness": _by_count(self.mirages),
            "completeness": _by_count(self.orphans),
            "executability": (5.0, 3.0, 1.0)[min(self.blocked_tasks, 2)],
        }


def _by_count(found: int) -> float:
    if found >= 4:
        return 2.0
    return (5.0, 4.0, 3.0, 3.0)[found]


def percentage(
    marks: Mapping[str, float], weights: Mapping[str, float], ceilings: Ceilings | None = None
) -> float:
    """The weighted marks as a percentage; a mark without a weight does not count."""
    caps = (ceilings or Ceilings()).caps()
    counted = [
        (min(_clamped(mark), caps.get(name, TOP)), weights[name])
        for name, mark in marks.items()
        if name in weights
    ]
    most = sum(TOP * weight for _, weight in counted)
    return round(100 * sum(mark * weight for mark, weight in counted) / most, 2) if most else 0.0


def _clamped(mark: float) -> float:
    return max(0.0, min(TOP, mark))


def plan_verdict(score: float | None, severities: Iterable[str]) -> str:
    """The best verdict that score and open findings allow a plan audit."""
    found = list(severities)
    if "CRITICAL" in found or (score is not None and score < _REVISION):
        return REJECTED
    if found.count("MAJOR") > MOST_MAJOR or (score is not None and score < _APPROVAL):
        return REVISION
    return APPROVED


def code_verdict(score: float | None, confirmed: Iterable[str]) -> str:
    """The best verdict that score and confirmed issues allow a code review."""
    found = set(confirmed)
    if "CRITICAL" in found or (score is not None and score < _REVISION):
        return FAILED
    if "MAJOR" in found or (score is not None and score < _APPROVAL):
        return REVISION
    return APPROVED


@dataclass(frozen=True)
class AssumptionCounts:
    """What an assumption check counted."""

    mirages: int = 0
    unverified: int = 0
    missing_error_paths: int = 0
    missing_edge_cases: int = 0
    integration_fantasies: int = 0
    scope_creep: int = 0
    scope_gaps: int = 0
    wrong_dependencies: int = 0
    missing_dependencies: int = 0


def assumption_marks(counts: AssumptionCounts) -> dict[str, float]:
    """The five marks of an assumption check; together at most 25."""
    return {
        "assumption_validity": _clamped(5 - 1.5 * counts.mirages - 0.3 * counts.unverified),
        "error_coverage": _clamped(
            5 - 1.0 * counts.missing_error_paths - 0.5 * counts.missing_edge_cases
        ),
        "integration_reality": _clamped(5 - 2.0 * counts.integration_fantasies),
        "scope_fidelity": _clamped(5 - 1.0 * counts.scope_creep - 1.5 * counts.scope_gaps),
        "dependency_accuracy": _clamped(
            5 - 2.0 * counts.wrong_dependencies - 1.5 * counts.missing_dependencies
        ),
    }


def findings_score(severities: Iterable[str]) -> float:
    """A score for an audit without marks, so that rounds can still be compared."""
    found = list(severities)
    lost = 25 * found.count("CRITICAL") + 10 * found.count("MAJOR") + 2 * found.count("MINOR")
    return float(max(0, 100 - lost))
