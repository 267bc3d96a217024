from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from podium.workflows.governed.policy.policy import DEFAULT
from podium.workflows.governed.review.plan_audits import Finding, Review
from podium.workflows.governed.review.round import (
    Progress,
    Round,
    RoundDecision,
    best_round,
    convergence,
    decide_round,
    stagnates,
)
from podium.workflows.governed.review.scope import ASSUMPTIONS, AUDITOR, EXECUTABILITY, ReviewScope
from podium.workflows.governed.terms import TIERS

ALL = (AUDITOR, ASSUMPTIONS, EXECUTABILITY)
BLOCK = Finding("BLOCKING", "a mirage", blocks=True)


def scope(*roles: str, optional: tuple[str, ...] = ()) -> ReviewScope:
    return ReviewScope(("asked",), roles, required=frozenset(roles) - frozenset(optional))


def said(role: str, status: str, *findings: Finding) -> Review:
    return Review(role, status, status, 0.9, findings)


def decide(
    asked: ReviewScope,
    *reviews: Review,
    regressions: tuple[Finding, ...] = (),
    progress: Progress | None = None,
    tier: Any = "LARGE",
) -> RoundDecision:
    by_role = {each.role: each for each in reviews}
    return decide_round(asked, by_role, regressions, progress or Progress(), tier, DEFAULT)


AUDITS = ("APPROVED", "NEEDS_REVISION", "REJECTED", "ABSTAIN")
CHECKS = ("COMPLETE", "BLOCKING", "ABSTAIN", "")
REHEARSALS = ("PASS", "WARN", "FAIL", "ABSTAIN", "", "due")


def expected(audit: str, check: str, rehearsal: str) -> str:
    if audit == "REJECTED":
        return "ask"
    if "ABSTAIN" in {audit, check, rehearsal}:
        return "again"
    if audit != "APPROVED" or check == "BLOCKING":
        return "revise"
    return {"PASS": "approved", "": "approved", "due": "rehearse"}.get(rehearsal, "revise")


@pytest.mark.parametrize(("audit", "check", "rehearsal"), list(product(AUDITS, CHECKS, REHEARSALS)))
def test_every_round_has_one_move(audit: str, check: str, rehearsal: str) -> None:
    roles = [AUDITOR, *([ASSUMPTIONS] if check else []), *([EXECUTABILITY] if rehearsal else [])]
    reviews = [said(AUDITOR, audit)]
    if check:
        reviews.append(
            said(
                ASSUMPTIONS,
                "COMPLETE" if check == "BLOCKING" else check,
                *([BLOCK] if check == "BLOCKING" else []),
            )
        )
    if rehearsal not in {"", "due"}:
        reviews.append(said(EXECUTABILITY, rehearsal))
    assert decide(scope(*roles), *reviews).kind == expected(audit, check, rehearsal)


def test_nobody_asked_means_approved() -> None:
    found = decide(ReviewScope())
    assert (found.kind, found.reason) == ("approved", "no review is asked for")


def test_a_round_is_not_decided_before_everybody_answered() -> None:
    with pytest.raises(ValueError, match="assumption-verifier did not answer"):
        decide(scope(AUDITOR, ASSUMPTIONS), said(AUDITOR, "APPROVED"))


def test_a_required_reviewer_that_abstains_is_asked_once_more_and_then_a_person() -> None:
    asked = scope(*ALL)
    silent = said(AUDITOR, "ABSTAIN")
    first = decide(asked, silent, said(ASSUMPTIONS, "COMPLETE"))
    assert (first.kind, first.roles) == ("again", (AUDITOR,))
    second = decide(
        asked,
        silent,
        said(ASSUMPTIONS, "COMPLETE"),
        progress=Progress(asked_again=frozenset({AUDITOR})),
    )
    assert (second.kind, second.rule, second.reason) == (
        "ask",
        "abstained",
        "plan-auditor abstained twice",
    )


def test_one_that_is_not_required_is_noted_and_stops_nothing() -> None:
    found = decide(
        scope(AUDITOR, ASSUMPTIONS, optional=(ASSUMPTIONS,)),
        said(AUDITOR, "APPROVED"),
        said(ASSUMPTIONS, "ABSTAIN"),
    )
    assert found.kind == "approved"
    assert "assumption-verifier abstained and was not required" in found.reason


def test_a_regression_sends_an_approved_plan_back() -> None:
    found = decide(scope(AUDITOR), said(AUDITOR, "APPROVED"), regressions=(BLOCK,))
    assert (found.kind, found.reason) == ("revise", "1 regressions")
    assert found.findings == (BLOCK,)


@pytest.mark.parametrize(
    ("tier", "limit"), [("TRIVIAL", 2), ("SMALL", 2), ("MEDIUM", 5), ("LARGE", 5)]
)
def test_revisions_end_with_the_tiers_limit_and_the_best_version(tier: Any, limit: int) -> None:
    rounds = tuple(Round(number, 10.0 * number, f"v{number}") for number in range(1, limit + 2))
    refuse = said(AUDITOR, "NEEDS_REVISION", Finding("MAJOR", "x"))
    before = decide(scope(AUDITOR), refuse, progress=Progress(limit - 1, rounds[:-1]), tier=tier)
    assert before.kind == "revise"
    after = decide(scope(AUDITOR), refuse, progress=Progress(limit, rounds), tier=tier)
    assert (after.kind, after.rule) == ("ask", "revisions")
    assert after.best == rounds[-1]
    assert after.findings == (Finding("MAJOR", "x"),)
    assert f"all {limit} revisions of a {tier} plan are used" in after.reason


@pytest.mark.parametrize(
    ("scores", "stuck"),
    [
        ([], False),
        ([50], False),
        ([50, 50], False),
        ([50, 50, 50], True),
        ([50, 90, 52], True),
        ([50, 51, 54.9], False),  # less than 5 points, more than 5 percent
        ([98, 98, 102.8], True),
        ([80, 82, 83.9], True),
        ([80, 82, 84], False),
        ([80, 82, 85], False),
        ([50, 60, 55], False),
        ([90, 80, 70], True),
        ([0, 0, 0], True),
        ([0, 0, 1], False),
        ([10, 20, 30, 31, 31], True),
        ([10, 20, 30, 31, 36], False),
    ],
)
def test_a_review_stagnates_when_two_audits_bring_less_than_five(
    scores: list[float], stuck: bool
) -> None:
    assert stagnates(scores) is stuck


def test_stagnation_asks_a_person_before_revisions_are_used_up() -> None:
    rounds = tuple(Round(number, 50.0) for number in (1, 2, 3))
    found = decide(scope(AUDITOR), said(AUDITOR, "NEEDS_REVISION"), progress=Progress(2, rounds))
    assert (found.kind, found.rule) == ("ask", "stagnation")


def test_a_plan_that_is_approved_does_not_stagnate() -> None:
    rounds = tuple(Round(number, 50.0) for number in (1, 2, 3))
    assert (
        decide(scope(AUDITOR), said(AUDITOR, "APPROVED"), progress=Progress(2, rounds)).kind
        == "approved"
    )


def test_the_best_round_has_the_highest_score_and_of_equal_ones_is_the_latest() -> None:
    rounds = [Round(1, 70, "a"), Round(2, 80, "b"), Round(3, 80, "c"), Round(4, 60, "d")]
    assert best_round(rounds) == rounds[2]
    assert best_round([]) is None


@pytest.mark.parametrize(
    ("kind", "rule", "words"),
    [
        ("approved", "", "Converged"),
        ("ask", "stagnation", "Stagnation detected"),
        ("ask", "revisions", "Max iterations reached"),
        ("ask", "rejected", ""),
        ("revise", "", ""),
    ],
)
def test_the_end_of_a_review_has_a_name(kind: str, rule: str, words: str) -> None:
    assert convergence(kind, rule) == words


def test_every_tier_ends_after_a_bounded_number_of_audits() -> None:
    for tier in TIERS:
        progress, audits = Progress(), 0
        while True:
            audits += 1
            rounds = (*progress.rounds, Round(audits, min(100.0, audits * 9.0)))
            found = decide(
                scope(AUDITOR),
                said(AUDITOR, "NEEDS_REVISION"),
                progress=Progress(progress.revisions, rounds),
                tier=tier,
            )
            if found.kind != "revise":
                break
            progress = Progress(progress.revisions + 1, rounds)
        assert found.kind == "ask"
        assert audits == DEFAULT.max_revisions(tier) + 1
