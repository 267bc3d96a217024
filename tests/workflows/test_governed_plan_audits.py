from __future__ import annotations

from typing import Any

import pytest

from podium.workflows.governed.payloads.good import good_answer
from podium.workflows.governed.payloads.payloads import payload_faults
from podium.workflows.governed.review.plan_audits import (
    ABSENCE,
    PATTERNS,
    PRESENCE,
    Finding,
    Review,
    read_review,
    round_score,
)
from podium.workflows.governed.roster import BY_ROLE


def review(role: str, **members: Any) -> Review:
    data = {**good_answer(role), **members}
    assert payload_faults(BY_ROLE[role].schema, data) == ()
    return read_review(role, data)


def finding(severity: str) -> dict[str, Any]:
    return {
        "severity": severity,
        "category": "scope_gap",
        "description": "something is not there",
        "affected_phases": [1],
    }


def mirage(severity: str = "BLOCKING", verdict: str = "MIRAGE", number: int = 1) -> dict[str, Any]:
    name = PATTERNS[number - 1]
    kind = "PRESENCE_MIRAGE" if number <= 10 else "ABSENCE_MIRAGE"
    return {
        "pattern_id": number,
        "pattern_name": name,
        "classification": kind,
        "severity": severity,
        "claim": "app.run exists",
        "verdict": verdict,
    }


def scored(mark: float) -> dict[str, Any]:
    return {
        "dimensions": [{"name": "correctness", "raw_score": mark, "weight": 99}],
        "weighted_sum": 1,
        "max_possible": 1,
        "percentage": 100,
        "verdict_from_score": "APPROVED",
    }


@pytest.mark.parametrize(
    ("said", "findings", "mark", "counts"),
    [
        ("APPROVED", [], 5, "APPROVED"),
        ("APPROVED", ["MAJOR", "MAJOR"], 4, "APPROVED"),
        ("APPROVED", ["MAJOR"] * 3, 5, "NEEDS_REVISION"),
        ("APPROVED", ["CRITICAL"], 5, "REJECTED"),
        ("APPROVED", [], 3, "NEEDS_REVISION"),
        ("APPROVED", [], 2, "REJECTED"),
        ("NEEDS_REVISION", ["CRITICAL"], 5, "REJECTED"),
        ("NEEDS_REVISION", [], 2, "REJECTED"),
        ("NEEDS_REVISION", ["MAJOR"] * 9, 3, "NEEDS_REVISION"),
        ("NEEDS_REVISION", [], 5, "NEEDS_REVISION"),
        ("REJECTED", [], 5, "REJECTED"),
        ("ABSTAIN", [], 5, "ABSTAIN"),
    ],
)
def test_a_verdict_is_no_better_than_its_own_findings_and_marks_allow(
    said: str, findings: list[str], mark: float, counts: str
) -> None:
    found = review(
        "plan-auditor",
        status=said,
        findings=[finding(each) for each in findings],
        scoring=scored(mark),
        failure_classification="fixable",
    )
    assert (found.status, found.said) == (counts, said)
    assert bool(found.contradictions) == (counts != said)


@pytest.mark.parametrize(
    ("role", "status", "confidence", "counts"),
    [
        ("plan-auditor", "APPROVED", 0.7, "APPROVED"),
        ("plan-auditor", "APPROVED", 0.69, "ABSTAIN"),
        ("plan-auditor", "REJECTED", 0.2, "ABSTAIN"),
        ("assumption-verifier", "COMPLETE", 0.69, "ABSTAIN"),
        ("assumption-verifier", "COMPLETE", 0.7, "COMPLETE"),
        ("executability-verifier", "PASS", 0.6, "PASS"),
        ("executability-verifier", "PASS", 0.59, "ABSTAIN"),
    ],
)
def test_a_reviewer_that_is_not_sure_abstains_whatever_it_says(
    role: str, status: str, confidence: float, counts: str
) -> None:
    found = review(role, status=status, confidence=confidence, failure_classification="escalate")
    assert found.status == counts
    assert found.abstains == (counts == "ABSTAIN")


def test_a_reviewer_that_abstains_in_the_object_abstains() -> None:
    found = review("plan-auditor", abstain={"is_abstaining": True, "reasons": ["no access"]})
    assert found.abstains
    assert found.contradictions == ("APPROVED, but abstain says so",)


@pytest.mark.parametrize(
    ("severity", "verdict", "blocks"),
    [
        ("BLOCKING", "MIRAGE", 1),
        ("BLOCKING", "UNVERIFIED", 1),
        ("BLOCKING", "VERIFIED", 0),
        ("IMPORTANT", "MIRAGE", 0),
        ("MINOR", "UNVERIFIED", 0),
    ],
)
def test_only_an_open_blocking_mirage_blocks(severity: str, verdict: str, blocks: int) -> None:
    found = review(
        "assumption-verifier",
        mirage_findings=[mirage(severity, verdict)],
        failure_classification="fixable",
    )
    assert len(found.blocking) == blocks


def test_a_mirage_that_contradicts_its_pattern_is_told() -> None:
    wrong = {**mirage(number=11), "classification": "PRESENCE_MIRAGE"}
    found = review("assumption-verifier", mirage_findings=[wrong], failure_classification="fixable")
    assert found.contradictions[0] == (
        "pattern 11 is missing_error_path, a ABSENCE_MIRAGE, not missing_error_path, a "
        "PRESENCE_MIRAGE"
    )
    assert len(PATTERNS) == 17
    assert len(PRESENCE) == 10
    assert len(ABSENCE) == 7


def test_marks_that_are_better_than_the_findings_allow_are_told() -> None:
    """A missing error path costs error_coverage one mark, a mirage costs assumption_validity one
    and a half.
    """
    found = review(
        "assumption-verifier", mirage_findings=[mirage(number=11)], failure_classification="fixable"
    )
    assert found.contradictions == (
        "assumption_validity is marked 5; the findings allow 3.5",
        "error_coverage is marked 5; the findings allow 4",
    )
    assert review("assumption-verifier").contradictions == ()


def task(verdict: str = "EXECUTABLE", step: str = "CLEAR", clear: bool = True) -> dict[str, Any]:
    good = good_answer("executability-verifier")["tasks_simulated"][0]
    steps = [
        {
            "step": "open_file",
            "status": step,
            **({"blocker_description": "no such file"} if step == "BLOCKED" else {}),
        }
    ]
    checks = {**good["pre_execution_checklist"], "what_clear": clear}
    return {
        **good,
        "task_verdict": verdict,
        "walkthrough_steps": steps,
        "pre_execution_checklist": checks,
    }


@pytest.mark.parametrize(
    ("said", "made", "counts"),
    [
        ("PASS", task(), "PASS"),
        ("PASS", task("BLOCKED"), "FAIL"),
        ("PASS", task(step="BLOCKED"), "FAIL"),
        ("PASS", task("AMBIGUOUS"), "WARN"),
        ("PASS", task(clear=False), "WARN"),
        ("WARN", task(), "WARN"),
        ("FAIL", task(), "FAIL"),
        ("ABSTAIN", task(), "ABSTAIN"),
    ],
)
def test_a_rehearsal_passes_only_if_every_task_can_be_executed(
    said: str, made: dict[str, Any], counts: str
) -> None:
    found = review(
        "executability-verifier",
        status=said,
        tasks_simulated=[made],
        failure_classification="fixable",
    )
    assert found.status == counts


def test_the_score_of_a_round_is_the_auditors_under_the_ceilings_of_the_others() -> None:
    audit = review("plan-auditor", scoring=scored(5))
    assert round_score({"plan-auditor": audit}) == 100.0
    assumptions = review(
        "assumption-verifier", mirage_findings=[mirage()], failure_classification="fixable"
    )
    assert round_score({"plan-auditor": audit, "assumption-verifier": assumptions}) == 80.0


def test_without_marks_the_findings_of_all_make_the_score() -> None:
    audit = review("plan-auditor", findings=[finding("MAJOR")])
    assumptions = review("assumption-verifier", mirage_findings=[mirage("IMPORTANT")])
    assert round_score({"plan-auditor": audit}) == 90.0
    assert round_score({"plan-auditor": audit, "assumption-verifier": assumptions}) == 80.0
    assert str(Finding("MAJOR", "x", "phase 1")) == "MAJOR: x (phase 1)"
