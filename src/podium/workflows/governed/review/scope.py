"""Whether a plan is reviewed before it is carried out, by whom, and where they look more
closely.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from podium.workflows.governed.phase.hazards import destructive
from podium.workflows.governed.plan.plan import Plan
from podium.workflows.governed.policy.policy import Policy
from podium.workflows.governed.terms import FOCUS

AUDITOR, ASSUMPTIONS, EXECUTABILITY = (
    "plan-auditor",
    "assumption-verifier",
    "executability-verifier",
)
STEPS = {
    AUDITOR: "plan_auditor",
    ASSUMPTIONS: "assumption_verifier",
    EXECUTABILITY: "executability_verifier",
}
"""Reviewers in the order they are asked, and their names in the policy."""
_TRIGGERS = "plan_review_gate_trigger_conditions"


@dataclass(frozen=True)
class ReviewScope:
    """Who reviews a plan, and why."""

    triggers: tuple[str, ...] = ()
    """The conditions that are met, in words."""
    reviewers: tuple[str, ...] = ()
    """Roles, in the order they are asked."""
    override: bool = False
    """Whether an unresolved high risk brought in all three, whatever the tier."""
    focus_areas: tuple[str, ...] = ()
    required: frozenset[str] = frozenset()
    """Reviewers whose verdict is required to continue."""

    @property
    def first(self) -> tuple[str, ...]:
        """Those who are asked at once; the rehearsal waits for their approval."""
        return tuple(role for role in self.reviewers if role != EXECUTABILITY)


def review_scope(
    plan: Plan, policy: Policy, asked: Sequence[str] = (), kept: Sequence[str] = ()
) -> ReviewScope:
    """The review that this plan gets; `asked` are reviewers a person wants in addition to the
    policy's.

    `kept` are the reviewers of the previous version, if a review sent it back: a planner cannot get
    rid of them by calling the new version small.
    """
    triggers = tuple(_triggers(plan, policy))
    override = bool(plan.unresolved_risks) and policy.flag(
        f"{_TRIGGERS}.applicable_high_impact_risk_triggers_review"
    )
    by_policy = [
        role
        for role, step in STEPS.items()
        if override or role in kept or (triggers and policy.reviews(plan.complexity_tier, step))
    ]
    reviewers = tuple(role for role in STEPS if role in by_policy or role in asked)
    focus = (
        {area for risk in plan.unresolved_risks for area in FOCUS[risk.category]}
        if override
        else set()
    )
    return ReviewScope(triggers, reviewers, override, tuple(sorted(focus)), frozenset(by_policy))


def _triggers(plan: Plan, policy: Policy) -> list[str]:
    found = []
    least = policy.integer(f"{_TRIGGERS}.min_phases")
    if len(plan.phases) >= least:
        found.append(f"{len(plan.phases)} phases, {least} or more")
    sure = policy.number(f"{_TRIGGERS}.confidence_threshold")
    if plan.confidence < sure:
        found.append(f"confidence {plan.confidence:g}, below {sure:g}")
    if policy.flag(f"{_TRIGGERS}.high_risk_scope_triggers_review"):
        risky = [str(each.phase_id) for each in plan.phases if destructive(each, policy)]
        if risky:
            found.append(f"high-risk work in phase {', '.join(risky)}")
    if policy.flag(f"{_TRIGGERS}.applicable_high_impact_risk_triggers_review"):
        found += [f"unresolved high risk: {each.category}" for each in plan.unresolved_risks]
    return found
