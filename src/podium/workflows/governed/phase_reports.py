"""What the executor of a phase reports: an execution report, or a verdict if the phase is a
review.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podium.core.verdict import Outcome
from podium.workflows.governed.phase.reports import ExecutorReport, read_report
from podium.workflows.governed.review.code_review import decide_review, read_code_review


def read_phase_report(data: Mapping[str, Any]) -> ExecutorReport:
    """The report in an object that its executor's schema accepted."""
    return _review(data) if "validated_blocking_issues" in data else read_report(data)


def _review(data: Mapping[str, Any]) -> ExecutorReport:
    """A phase that is a review: its verdict is the report, and counts like every code review."""
    review = read_code_review(data)
    found = decide_review(review)
    gates = {name: str(each["state"]) for name, each in data["verification_gates"].items()}
    outcomes: Mapping[str, Outcome] = {"passes": "ok", "revise": "revise"}
    return ExecutorReport(
        status=review.status,
        outcome=outcomes.get(found.kind, "abstain"),
        confidence=review.confidence,
        files=(),
        build=gates["build"],
        tests=gates["tests"],
        lint=gates["lint_problems"],
        classification="escalate" if review.abstains else review.blocked_as,
        contradictions=review.contradictions,
        advice=found.advice,
    )
