"""The review of everything at the end: when it is due, who fixes what it finds, and when a
person decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from podium.workflows.governed.plan.plan import Phase, Plan
from podium.workflows.governed.policy.policy import Policy
from podium.workflows.governed.review.code_review import CodeReview, Issue, decide_review
from podium.workflows.governed.roster import READ_ONLY

Kind = Literal["passes", "fix", "again", "ask"]


@dataclass(frozen=True)
class FinalDecision:
    """What follows from a final review."""

    kind: Kind
    reason: str
    fixes: tuple[tuple[int, tuple[Issue, ...]], ...] = ()
    """Phase to the issues that its executor fixes."""
    advice: tuple[str, ...] = ()


def final_review_due(plan: Plan, policy: Policy, *, asked: bool) -> str:
    """Why the whole is reviewed at the end; empty if it is not."""
    if policy.flag("final_review_gate.enabled_by_default"):
        return "the policy always asks for it"
    if plan.complexity_tier in policy.texts("final_review_gate.auto_trigger_tiers"):
        return f"the plan is {plan.complexity_tier}"
    if asked and policy.flag("final_review_gate.allow_user_trigger"):
        return "a person asked for it"
    return ""


def snapshot(plan: Plan) -> list[dict[str, Any]]:
    """Phases and their files, as the reviewer gets them."""
    return [
        {"phase_id": each.phase_id, "files": [file.path for file in each.files]}
        for each in plan.phases
    ]


def planned_and_actual(plan: Plan, changed: Sequence[str]) -> dict[str, Any]:
    """What was planned compared with what was changed, from the program's own list."""
    planned = {path: each.phase_id for each in plan.phases for path in each.writes}
    found = [
        {
            "file": path,
            "planned_phase_id": planned[path],
            "status": "present" if path in changed else "missing",
        }
        for path in sorted(planned)
    ]
    named = {file.path for each in plan.phases for file in each.files}
    extra = sorted(set(changed) - named)
    found += [{"file": path, "status": "extra"} for path in extra]
    return {"planned_vs_actual": found, "out_of_scope_changes": extra}


def owner(file: str, plan: Plan) -> Phase | None:
    """The phase whose executor fixes a file: of those that name it and may write, the one with
    the highest number.
    """
    named = [
        each
        for each in plan.phases
        if each.executor_agent not in READ_ONLY and any(every.path == file for every in each.files)
    ]
    return max(named, key=lambda each: each.phase_id, default=None)


def decide_final(
    review: CodeReview, plan: Plan, fix_cycles: int, policy: Policy, *, asked_again: bool = False
) -> FinalDecision:
    """Blockers are fixed by their owners within the policy's cycles; one without an owner goes
    to a person.
    """
    found = decide_review(review, asked_again=asked_again)
    if found.kind == "passes":
        return FinalDecision("passes", found.reason, advice=found.advice)
    if found.kind in {"again", "ask"}:
        return FinalDecision(
            "again" if found.kind == "again" else "ask", found.reason, advice=found.advice
        )
    most = policy.integer("final_review_gate.max_fix_cycles")
    if fix_cycles >= most:
        return FinalDecision(
            "ask", f"{found.reason} after {fix_cycles} of {most} fix cycles", advice=found.advice
        )
    owned: dict[int, list[Issue]] = {}
    for issue in found.blockers:
        phase = owner(issue.file, plan)
        if phase is None:
            return FinalDecision("ask", f"no phase owns {issue.file}: {issue}", advice=found.advice)
        owned.setdefault(phase.phase_id, []).append(issue)
    fixes = tuple((number, tuple(owned[number])) for number in sorted(owned))
    return FinalDecision("fix", found.reason, fixes, found.advice)


def prior_findings(reviews: Mapping[int, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What earlier reviews said about each phase, as the final reviewer gets it."""
    return [
        {
            "phase_id": number,
            "review_scope": "phase",
            "status": reviews[number]["status"],
            "issues": list(reviews[number]["issues"]),
            "validated_blocking_issues": list(reviews[number]["validated_blocking_issues"]),
        }
        for number in sorted(reviews)
    ]
