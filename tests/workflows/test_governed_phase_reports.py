from __future__ import annotations

from typing import Any

import pytest

from podium.workflows.governed.payloads.good import good_answer
from podium.workflows.governed.phase_reports import read_phase_report


def report(role: str = "code-reviewer", **members: Any) -> Any:
    return read_phase_report({**good_answer(role), **members})


def test_every_other_executor_is_read_by_its_own_words() -> None:
    assert report("core-implementer").status == "COMPLETE"


@pytest.mark.parametrize(
    ("members", "outcome", "classification"),
    [
        ({}, "ok", "fixable"),
        (
            {"status": "NEEDS_REVISION", "failure_classification": "needs_replan"},
            "ok",
            "needs_replan",
        ),
        (
            {
                "status": "FAILED",
                "failure_classification": "needs_replan",
                "validated_blocking_issues": [
                    {"severity": "MAJOR", "description": "it leaks", "file": "a.py"}
                ],
            },
            "revise",
            "needs_replan",
        ),
        (
            {"status": "ABSTAIN", "abstain": {"is_abstaining": True, "reasons": ["too large"]}},
            "abstain",
            "escalate",
        ),
    ],
)
def test_a_reviewers_verdict_is_the_report_of_a_phase_that_reviews(
    members: dict[str, Any], outcome: str, classification: str
) -> None:
    found = report(**members)
    assert (found.outcome, found.classification) == (outcome, classification)


def test_what_a_reviewer_says_of_build_tests_and_lint_is_its_reports_word() -> None:
    gates = {
        "build": {"state": "PASS"},
        "tests": {"state": "FAIL"},
        "lint_problems": {"state": "NOT_AVAILABLE"},
    }
    found = report(verification_gates=gates)
    assert (found.build, found.tests, found.lint) == ("PASS", "FAIL", "NOT_AVAILABLE")
