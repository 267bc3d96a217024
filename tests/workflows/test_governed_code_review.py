from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.workflows.governed.payloads.good import good_answer, good_plan
from podium.workflows.governed.payloads.payloads import payload_faults
from podium.workflows.governed.plan.reading import read_object
from podium.workflows.governed.policy.policy import DEFAULT
from podium.workflows.governed.review.code_review import (
    CodeReview,
    decide_review,
    read_code_review,
    review_due,
)


def issue(
    severity: str = "MAJOR",
    validation: str = "confirmed",
    what: str = "it breaks",
    file: str = "a.py",
) -> dict[str, Any]:
    more = {"rejection_reason": "it does not"} if validation == "rejected" else {}
    return {
        "severity": severity,
        "description": what,
        "file": file,
        "validation_status": validation,
        **more,
    }


def listed(severity: str = "MAJOR", what: str = "it breaks", file: str = "a.py") -> dict[str, Any]:
    return {"severity": severity, "description": what, "file": file}


def review(
    status: str = "APPROVED", issues: Any = (), blockers: Any = (), **members: Any
) -> CodeReview:
    classified = (
        {"failure_classification": "fixable"} if status in {"NEEDS_REVISION", "FAILED"} else {}
    )
    data = {
        **good_answer("code-reviewer"),
        "status": status,
        "issues": list(issues),
        "validated_blocking_issues": list(blockers),
        **classified,
        **members,
    }
    assert payload_faults("code-reviewer.verdict", data) == ()
    return read_code_review(data)


@pytest.mark.parametrize(
    ("status", "severity", "validation", "in_list"),
    list(
        product(
            ("APPROVED", "NEEDS_REVISION", "FAILED"),
            ("CRITICAL", "MAJOR", "MINOR"),
            ("confirmed", "rejected", "unvalidated"),
            (False, True),
        )
    ),
)
def test_only_a_confirmed_serious_issue_blocks_whatever_the_headline(
    status: str, severity: str, validation: str, in_list: bool
) -> None:
    blockers = [listed("MAJOR" if severity == "MINOR" else severity)] if in_list else []
    found = review(status, [issue(severity, validation)], blockers)
    blocks = (severity != "MINOR" and validation == "confirmed") or in_list
    assert bool(found.blockers) == blocks
    assert decide_review(found).kind == ("revise" if blocks else "passes")


def test_an_approval_with_a_confirmed_critical_issue_is_a_lie_and_blocks() -> None:
    found = review("APPROVED", [issue("CRITICAL")])
    assert decide_review(found).kind == "revise"
    assert found.contradictions == (
        "not in validated_blocking_issues: CRITICAL a.py: it breaks",
        "APPROVED, but its issues and marks allow FAILED at best",
    )


@pytest.mark.parametrize(
    ("said", "marks", "counts"),
    [
        ("APPROVED", {"correctness": 5, "security": 5}, "APPROVED"),
        ("APPROVED", {"correctness": 3.5}, "NEEDS_REVISION"),
        ("APPROVED", {"correctness": 5, "completeness": 1, "test_quality": 1}, "FAILED"),
        ("FAILED", {"correctness": 5}, "FAILED"),
        ("APPROVED", {}, "APPROVED"),
    ],
)
def test_marks_count_by_their_weights_and_no_headline_is_better_than_they_allow(
    said: str, marks: dict[str, float], counts: str
) -> None:
    dimensions = [{"name": name, "raw_score": mark, "weight": 9} for name, mark in marks.items()]
    claimed = {"dimensions": dimensions, "weighted_sum": 1, "max_possible": 1, "percentage": 100}
    found = review(said, **({"scoring": claimed} if marks else {}))
    assert found.status == counts
    assert bool(found.contradictions) == (said != counts)
    assert decide_review(found).kind == "passes"  # without a confirmed blocker it is advice


def test_a_blocker_of_both_lists_is_one_blocker() -> None:
    found = review("FAILED", [issue(what="It  breaks")], [listed()])
    assert len(found.blockers) == 1
    assert found.contradictions == ()


def test_a_blocker_that_only_the_list_knows_still_blocks() -> None:
    found = review("NEEDS_REVISION", [issue(validation="rejected")], [listed()])
    assert [str(each) for each in found.blockers] == ["MAJOR a.py: it breaks"]
    assert found.contradictions == ("only in validated_blocking_issues: MAJOR a.py: it breaks",)


def test_a_refusal_without_a_blocker_is_advice() -> None:
    decision = decide_review(
        review("FAILED", [issue(validation="unvalidated")], summary="not to my taste")
    )
    assert (decision.kind, decision.reason) == (
        "passes",
        "FAILED without a confirmed blocker is advice",
    )
    assert decision.advice == ("not to my taste", "MAJOR a.py: it breaks")


@pytest.mark.parametrize(
    ("required", "asked_again", "kind"),
    [
        (True, False, "again"),
        (True, True, "ask"),
        (False, False, "passes"),
        (False, True, "passes"),
    ],
)
def test_a_required_reviewer_that_abstains_is_asked_once_more(
    required: bool, asked_again: bool, kind: str
) -> None:
    for found in (
        review("ABSTAIN"),
        review("APPROVED", abstain={"is_abstaining": True, "reasons": []}),
    ):
        assert decide_review(found, required=required, asked_again=asked_again).kind == kind


@pytest.mark.parametrize(
    ("status", "said", "counts"),
    [
        ("FAILED", "needs_replan", "needs_replan"),
        ("NEEDS_REVISION", "escalate", "escalate"),
        ("FAILED", "fixable", "fixable"),
        ("FAILED", "transient", "fixable"),
        ("APPROVED", None, "fixable"),
    ],
)
def test_a_reviewer_may_send_its_blockers_to_the_planner_or_to_a_person(
    status: str, said: str | None, counts: str
) -> None:
    classified = {"failure_classification": said} if said else {}
    assert review(status, [issue()], [listed()], **classified).blocked_as == counts


def test_false_positives_are_counted_among_serious_issues() -> None:
    found = review(
        "APPROVED",
        [
            issue(validation="rejected"),
            issue("CRITICAL", "unvalidated"),
            issue("MINOR", "rejected"),
        ],
    )
    assert found.false_positives == (1, 2)


@pytest.mark.parametrize(
    ("members", "changed", "due"),
    [
        ({}, ["a"], True),
        ({}, [], False),
        ({"phase_type": "read_only"}, ["a"], False),
        ({"phase_type": "modifying"}, ["a"], True),
    ],
)
def test_a_review_is_due_where_something_was_changed(
    members: dict[str, Any], changed: list[str], due: bool
) -> None:
    plan = read_object(good_plan(phases=[members])).plan
    assert plan is not None
    assert review_due(plan.phases[0], "TRIVIAL", changed, DEFAULT) is due


ISSUES = st.lists(
    st.builds(
        issue,
        st.sampled_from(["CRITICAL", "MAJOR", "MINOR"]),
        st.sampled_from(["confirmed", "rejected", "unvalidated"]),
        st.sampled_from(["x", "y"]),
        st.sampled_from(["a", "b"]),
    ),
    max_size=4,
)
LISTED = st.lists(
    st.builds(listed, st.sampled_from(["CRITICAL", "MAJOR"]), st.sampled_from(["x", "y"])),
    max_size=3,
)


@given(st.sampled_from(["APPROVED", "NEEDS_REVISION", "FAILED", "ABSTAIN"]), ISSUES, LISTED)
@settings(max_examples=60, deadline=None)
def test_no_review_with_a_blocker_in_either_list_ever_passes(
    status: str, issues: Any, blockers: Any
) -> None:
    kind = decide_review(review(status, issues, blockers)).kind
    serious = any(
        each["severity"] != "MINOR" and each["validation_status"] == "confirmed" for each in issues
    )
    assert (kind == "revise") == (serious or bool(blockers))
