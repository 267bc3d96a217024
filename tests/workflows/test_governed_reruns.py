from __future__ import annotations

from typing import Any

import pytest

from podium.workflows.governed.review.reruns import classified, rerun
from podium.workflows.governed.review.scope import ASSUMPTIONS, AUDITOR, EXECUTABILITY, ReviewScope

SCOPE = ReviewScope(("asked",), (AUDITOR, ASSUMPTIONS, EXECUTABILITY))
AUTHORS = {"reviews/audit.md": AUDITOR, "reviews/assumptions.md": ASSUMPTIONS}


@pytest.mark.parametrize(
    ("touched", "full", "again"),
    [
        ({}, True, SCOPE.reviewers),
        ({"reviews/audit.md": "review_wording"}, False, (AUDITOR, EXECUTABILITY)),
        ({"reviews/audit.md": "evidence_citation"}, False, (AUDITOR, EXECUTABILITY)),
        (
            {"reviews/audit.md": "review_wording", "reviews/assumptions.md": "evidence_citation"},
            False,
            SCOPE.reviewers,
        ),
        ({"reviews/audit.md": "other"}, True, SCOPE.reviewers),
        ({"reviews/audit.md": "review_wording", "plans/x-plan.md": "other"}, True, SCOPE.reviewers),
        ({"plans/x-plan.md": "review_wording"}, True, SCOPE.reviewers),
        ({"governance/runtime-policy.json": "evidence_citation"}, True, SCOPE.reviewers),
        ({"tests/test_x.py": "other"}, True, SCOPE.reviewers),
    ],
)
def test_everything_is_reviewed_again_but_for_wording_of_the_reviews(
    touched: Any, full: bool, again: tuple[str, ...]
) -> None:
    found = rerun(SCOPE, touched, AUTHORS)
    assert (found.full, found.reviewers) == (full, again)


def test_a_selective_rerun_never_leaves_out_a_rehearsal_that_is_in_scope() -> None:
    small = ReviewScope(("asked",), (AUDITOR,))
    assert rerun(small, {"reviews/audit.md": "review_wording"}, AUTHORS).reviewers == (AUDITOR,)
    assert EXECUTABILITY in rerun(SCOPE, {"reviews/audit.md": "review_wording"}, AUTHORS).reviewers


def test_a_change_is_wording_only_if_what_counts_is_the_same() -> None:
    found = classified(
        ["reviews/audit.md", "reviews/assumptions.md", "plans/x-plan.md", "new.md"],
        {
            "reviews/audit.md": "APPROVED",
            "reviews/assumptions.md": "COMPLETE",
            "plans/x-plan.md": "p",
        },
        {
            "reviews/audit.md": "APPROVED",
            "reviews/assumptions.md": "ABSTAIN",
            "plans/x-plan.md": "p",
        },
        set(AUTHORS),
    )
    assert found == {
        "reviews/audit.md": "review_wording",
        "reviews/assumptions.md": "other",
        "plans/x-plan.md": "other",
        "new.md": "other",
    }
