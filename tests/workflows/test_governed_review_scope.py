from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from podium.workflows.governed.payloads.good import good_plan, risk_review
from podium.workflows.governed.plan.plan import Plan
from podium.workflows.governed.plan.reading import read_object
from podium.workflows.governed.policy.policy import DEFAULT, read_policy
from podium.workflows.governed.review.scope import ASSUMPTIONS, AUDITOR, EXECUTABILITY, review_scope
from podium.workflows.governed.terms import FOCUS, RISKS, TIERS

ALL = (AUDITOR, ASSUMPTIONS, EXECUTABILITY)
BY_TIER = {"TRIVIAL": (), "SMALL": (AUDITOR,), "MEDIUM": (AUDITOR, ASSUMPTIONS), "LARGE": ALL}
HIGH = {"applicability": "applicable", "impact": "HIGH", "disposition": "open_question"}


def plan_of(**members: Any) -> Plan:
    found = read_object(good_plan(**members))
    assert found.plan is not None, found.faults
    return found.plan


def test_a_reviewer_who_asked_for_a_revision_stays_whatever_the_new_version_says_of_itself() -> (
    None
):
    scope = review_scope(plan_of(complexity_tier="TRIVIAL"), DEFAULT, kept=(ASSUMPTIONS,))
    assert scope.reviewers == (ASSUMPTIONS,)
    assert scope.required == {ASSUMPTIONS}


@pytest.mark.parametrize(
    ("tier", "phases", "confidence", "risky"),
    list(product(TIERS, (1, 3), (0.95, 0.85), (False, True))),
)
def test_the_tier_names_the_reviewers_once_anything_asks_for_a_review(
    tier: Any, phases: int, confidence: float, risky: bool
) -> None:
    step = {"steps": ["Run git reset --hard."]} if risky else {}
    plan = plan_of(complexity_tier=tier, confidence=confidence, phases=[step] * phases)
    scope = review_scope(plan, DEFAULT)
    asked = phases >= 3 or confidence < 0.9 or risky
    assert scope.reviewers == (BY_TIER[tier] if asked else ())
    assert len(scope.triggers) == (phases >= 3) + (confidence < 0.9) + risky
    assert not scope.override
    assert scope.focus_areas == ()
    assert scope.required == frozenset(scope.reviewers)


@pytest.mark.parametrize(("tier", "risk"), list(product(TIERS, RISKS)))
def test_an_unresolved_high_risk_brings_all_three_whatever_the_tier(tier: Any, risk: str) -> None:
    scope = review_scope(
        plan_of(complexity_tier=tier, risk_review=risk_review(**{risk: HIGH})), DEFAULT
    )
    assert scope.override
    assert scope.reviewers == ALL
    assert scope.first == (AUDITOR, ASSUMPTIONS)
    assert set(scope.focus_areas) == set(FOCUS[risk])
    assert scope.triggers == (f"unresolved high risk: {risk}",)


@pytest.mark.parametrize(
    "less",
    [
        {"applicability": "uncertain"},
        {"applicability": "not_applicable"},
        {"impact": "MEDIUM"},
        {"impact": "UNKNOWN"},
        {"disposition": "resolved"},
    ],
)
def test_a_risk_that_is_not_all_three_overrides_nothing(less: dict[str, str]) -> None:
    scope = review_scope(plan_of(risk_review=risk_review(performance={**HIGH, **less})), DEFAULT)
    assert not scope.override
    assert scope.reviewers == ()


@pytest.mark.parametrize("disposition", ["open_question", "research_phase_added", "not_applicable"])
def test_only_a_resolved_risk_is_resolved(disposition: str) -> None:
    scope = review_scope(
        plan_of(risk_review=risk_review(dependency={**HIGH, "disposition": disposition})), DEFAULT
    )
    assert scope.reviewers == ALL


def test_several_risks_bring_their_focus_areas_together() -> None:
    scope = review_scope(
        plan_of(
            risk_review=risk_review(data_volume=HIGH, migration_rollback=HIGH, operability=HIGH)
        ),
        DEFAULT,
    )
    assert scope.focus_areas == ("destructive_risk", "missing_rollback", "performance", "scope_gap")


def test_a_risk_that_the_policy_does_not_look_at_overrides_nothing() -> None:
    policy = read_policy(
        None,
        {"plan_review_gate_trigger_conditions.applicable_high_impact_risk_triggers_review": False},
    )
    assert review_scope(plan_of(risk_review=risk_review(performance=HIGH)), policy).reviewers == ()


def test_a_reviewer_that_a_person_adds_is_asked_and_not_required() -> None:
    scope = review_scope(plan_of(), DEFAULT, asked=[EXECUTABILITY])
    assert scope.reviewers == (EXECUTABILITY,)
    assert scope.required == frozenset()
    assert scope.first == ()
