"""What a phase's executor is told: the definition in words, and the members of its payload."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from podium.workflows.governed.plan.plan import Phase, Plan
from podium.workflows.governed.policy.policy import Policy
from podium.workflows.governed.terms import WRITING_ACTIONS

_ENVIRONMENT = re.compile(r"\b(production|staging)\b", re.IGNORECASE)
_WALKTHROUGH = re.compile(r"\bwalk-?through\b|\btutorial\b", re.IGNORECASE)


def task_definition(phase: Phase, told: Sequence[str] = ()) -> str:
    """The phase in lines of prose: what, where, how, when it is done, and what earlier tries
    taught.
    """
    lines = [f"{phase.name}. {phase.objective}"]
    for title, items in (
        ("Files", [f"{each.path} ({each.action}): {each.reason}" for each in phase.files]),
        ("Tests", phase.tests),
        ("Steps", phase.steps),
        ("Done when", phase.acceptance_criteria),
        ("Gates", phase.quality_gates),
        ("Know", told),
    ):
        lines += [f"{title}:", *(f"- {each}" for each in items)] if items else []
    return "\n".join(lines)


def environment(phase: Phase) -> str:
    """Where a platform phase works: the most critical environment its words name."""
    said = {
        match.lower()
        for text in (phase.title, phase.objective, *phase.steps)
        for match in _ENVIRONMENT.findall(text)
    }
    return next((each for each in ("production", "staging") if each in said), "development")


def phase_members(
    plan: Plan,
    phase: Phase,
    policy: Policy,
    task_id: str,
    told: Sequence[str],
    hazards: Sequence[str],
    commands: Sequence[str],
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The members of a payload, and faults under the plan's resource profile."""
    text = task_definition(phase, told)
    match phase.executor_agent:
        case "CodeMapper-subagent":
            return {"scope_description": text}, ()
        case "Researcher-subagent":
            return _packed({"research_query": text}, plan, policy)
        case "CodeReviewer-subagent":
            paths = [each.path for each in phase.files]
            asked = {"phase_id": phase.phase_id, "changed_files": paths, "review_scope": "phase"}
            return (asked if policy.generation == "2026-04" else {**asked, "phase_scope": text}), ()
    members: dict[str, Any] = {
        "task_id": task_id,
        "phase_id": phase.phase_id,
        **_own(phase, text, told, hazards),
    }
    if policy.generation == "2026-04":
        return members, ()
    if phase.phase_type:
        members["phase_type"] = phase.phase_type
    members, faults = _packed(members, plan, policy)
    if _profile(plan, policy, "require_phase_task_card"):
        members["phase_task_card"] = task_card(plan, phase, policy, commands)
    return members, faults


def _own(phase: Phase, text: str, told: Sequence[str], hazards: Sequence[str]) -> dict[str, Any]:
    match phase.executor_agent:
        case "PlatformEngineer-subagent":
            return {
                "task_definition": text,
                "environment": environment(phase),
                "requires_approval": bool(hazards),
            }
        case "TechnicalWriter-subagent":
            writes = any(each.action == "create" for each in phase.files)
            kind = (
                "walkthrough"
                if _WALKTHROUGH.search(phase.title)
                else "documentation"
                if writes
                else "update"
            )
            return {
                "task_type": kind,
                "coverage_matrix": [
                    phase.objective,
                    *phase.steps,
                    *phase.acceptance_criteria,
                    *told,
                ],
            }
        case "BrowserTester-subagent":
            expected = "; ".join(phase.acceptance_criteria)
            scenarios = [
                {"scenario": each, "steps": [*phase.steps, *told], "expected_result": expected}
                for each in phase.tests or (phase.objective,)
            ]
            return {"validation_matrix": scenarios}
        case "UIImplementer-subagent":
            return {"task_definition": text}
        case _:
            read = [each.path for each in phase.files if each.action not in WRITING_ACTIONS]
            return {"task_definition": text, **({"context_files": read} if read else {})}


def _profile(plan: Plan, policy: Policy, name: str) -> Any:
    return policy[f"resource_profiles.{plan.resource_profile or 'default'}.{name}"]


def _packed(
    members: dict[str, Any], plan: Plan, policy: Policy
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The members with a reference to the context packet, if there is one; a fault if one is
    required.
    """
    if policy.generation == "2026-04":
        return members, ()
    if plan.context_packet_path:
        return {**members, "context_packet": {"artifact_path": plan.context_packet_path}}, ()
    if plan.complexity_tier in _profile(plan, policy, "context_packet_required_tiers"):
        return members, (
            (
                f"context_packet_path: a {plan.complexity_tier} plan of this resource profile "
                "needs one, got nothing"
            ),
        )
    return members, ()


def task_card(plan: Plan, phase: Phase, policy: Policy, commands: Sequence[str]) -> dict[str, Any]:
    """The short form of a phase, for executors with little context."""
    most = _profile(plan, policy, "max_changed_files_default") or max(1, len(phase.writes))
    card: dict[str, Any] = {
        "objective": phase.objective
        if len(phase.objective) >= 10
        else f"{phase.name}. {phase.objective}",
        "allowed_files": list(phase.writes) or [each.path for each in phase.files] or ["none"],
        "forbidden_areas": ["everything that is not an allowed file"],
        "validation_commands": list(commands)
        or list(phase.tests)
        or ["the project's test command"],
        "acceptance_checks": list(phase.acceptance_criteria),
        "max_changed_files": int(most),
        "escalation_rule": (
            f"stop and report needs_replan before changing more than {int(most)} files or any "
            "other file"
        ),
    }
    return card


def oversized(plan: Plan, policy: Policy) -> tuple[str, ...]:
    """Phases with more files than the plan's resource profile allows; they go back to the
    planner or to a person.
    """
    limit = _profile(plan, policy, "phase_file_limit")
    if limit is None:
        return ()
    return tuple(
        (
            f"phase {each.phase_id} names {len(each.files)} files, {limit} at most in this "
            "resource profile"
        )
        for each in plan.phases
        if len(each.files) > limit
    )


def over_budget_class(plan: Plan, policy: Policy) -> str:
    """The failure class of a phase that changed more files than its profile allows."""
    return str(_profile(plan, policy, "budget_exceeded_classification"))


def too_many_changes(plan: Plan, changed: Sequence[str], policy: Policy) -> str:
    """Why a phase changed too much; empty if it did not."""
    most = _profile(plan, policy, "max_changed_files_default")
    if most is None or len(changed) <= most:
        return ""
    return f"{len(changed)} files were changed, {most} at most in this resource profile"


def preparations(plan: Plan, policy: Policy) -> tuple[str, ...]:
    """What must or should be gathered before a plan of this resource profile is carried out."""
    found = []
    if (
        _profile(plan, policy, "research_brief_required_for_non_trivial_research")
        and plan.complexity_tier != "TRIVIAL"
        and not plan.research_brief_path
    ):
        found.append("research brief")
    if _profile(plan, policy, "code_context_pack_preferred") and not plan.code_context_pack_path:
        found.append("code context pack")
    return tuple(found)
