"""Changing a value of the policy changes what is decided: one row for every value there is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from podium.workflows.governed import contracts, paths
from podium.workflows.governed.approvals import wave_approvals
from podium.workflows.governed.exchange.delegations import model_members, phase
from podium.workflows.governed.memory import memory, notes, session_outcome, task_cache
from podium.workflows.governed.payloads.good import good_plan, risk_review
from podium.workflows.governed.phase import brief as phase_brief
from podium.workflows.governed.phase.failures import PhaseFailure, breaker, route_failure
from podium.workflows.governed.phase.hazards import planned_hazards
from podium.workflows.governed.plan.plan import Plan
from podium.workflows.governed.plan.reading import read_object
from podium.workflows.governed.plan.wave_schedule import first_limit, throttled
from podium.workflows.governed.policy import budgets
from podium.workflows.governed.policy.keys import KEYS
from podium.workflows.governed.policy.policy import Policy, read_policy
from podium.workflows.governed.review.code_review import CodeReview, Issue, review_due
from podium.workflows.governed.review.final_review import decide_final, final_review_due
from podium.workflows.governed.review.plan_audits import Finding, Review
from podium.workflows.governed.review.round import Progress, decide_round
from podium.workflows.governed.review.scope import ReviewScope, review_scope
from podium.workflows.governed.run import GovernedRun
from podium.workflows.governed.terms import TIERS

Seen = Callable[[Policy], Any]


def plan_of(**members: Any) -> Plan:
    plan = read_object(good_plan(**members)).plan
    assert plan is not None
    return plan


def failing(*classes: Any) -> Seen:
    return lambda policy: route_failure([PhaseFailure(each) for each in classes], policy).action


def revising(tier: Any, used: int) -> Seen:
    audit = Review(
        "plan-auditor", "NEEDS_REVISION", "NEEDS_REVISION", 0.9, (Finding("MAJOR", "x"),)
    )
    scope = ReviewScope(("asked",), ("plan-auditor",), required=frozenset({"plan-auditor"}))
    return lambda policy: (
        decide_round(scope, {"plan-auditor": audit}, (), Progress(used), tier, policy).kind
    )


THREE = [{}, {}, {}]
FILES = [{"path": f"f{n}", "action": "modify", "reason": "why"} for n in range(7)]
RISKY = plan_of(phases=[{"steps": ["Run git push --force."]}])
HIGH = plan_of(
    risk_review=risk_review(
        performance={
            "applicability": "applicable",
            "impact": "HIGH",
            "disposition": "open_question",
        }
    )
)
BLOCKED = CodeReview("FAILED", 0.9, "no", (), (Issue("MAJOR", "x", "work/piece-1.txt"),))
OUTCOME = session_outcome.SessionOutcome(
    "p", "2026-01-02", "SMALL", 1, 1, {}, 0, 2, "Converged", "SUCCESS"
)
ENTRY = {
    "subject": "a b",
    "fact": "c d",
    "citations": ["x:1"],
    "reason": "r",
    "category": "project",
}
DONE = [task_cache.Done(f"p{n}", "Piece 1", ("work/piece-1.txt",)) for n in range(12)]


def profiled(name: str, **members: Any) -> Plan:
    return plan_of(resource_profile=name, complexity_tier="SMALL", **members)


def _profile_rows(name: str) -> dict[str, tuple[Any, Seen]]:
    start = f"resource_profiles.{name}."
    plan = profiled(name, phases=[{"files": FILES}])
    first = plan.phases[0]
    strict = name == "small_local"
    return {
        f"{start}max_parallel_agents": (1, lambda policy: first_limit(plan, policy)),
        f"{start}phase_file_limit": (6, lambda policy: phase_brief.oversized(plan, policy)),
        f"{start}max_changed_files_default": (
            6,
            lambda policy: phase_brief.too_many_changes(plan, ["f"] * 7, policy),
        ),
        f"{start}context_packet_required_tiers": (
            [] if strict else ["SMALL"],
            lambda policy: phase(plan, first, policy, task_id="t").faults,
        ),
        f"{start}research_brief_required_for_non_trivial_research": (
            not strict,
            lambda policy: phase_brief.preparations(plan, policy),
        ),
        f"{start}code_context_pack_preferred": (
            not strict,
            lambda policy: phase_brief.preparations(plan, policy),
        ),
        f"{start}require_phase_task_card": (
            not strict,
            lambda policy: "phase_task_card" in phase(plan, first, policy, task_id="t").payload,
        ),
        f"{start}budget_exceeded_classification": (
            "escalate",
            lambda policy: phase_brief.over_budget_class(plan, policy),
        ),
    }


def _review_rows() -> dict[str, tuple[Any, Seen]]:
    rows: dict[str, tuple[Any, Seen]] = {}
    for tier in TIERS:
        plan = plan_of(phases=THREE, complexity_tier=tier)
        for step in ("plan_auditor", "assumption_verifier", "executability_verifier"):
            name = f"review_pipeline_by_tier.{tier}.{step}"
            rows[name] = (
                not KEYS[name].default,
                lambda policy, plan=plan: review_scope(plan, policy).reviewers,
            )
        rows[f"review_pipeline_by_tier.{tier}.code_review"] = (
            False,
            lambda policy, plan=plan: review_due(
                plan.phases[0], plan.complexity_tier, ["a"], policy
            ),
        )
        limit = KEYS[f"max_iterations_by_tier.{tier}"].default
        rows[f"max_iterations_by_tier.{tier}"] = (limit + 1, revising(tier, limit))
    return rows


ROWS: dict[str, tuple[Any, Seen]] = {
    "approval_required_actions": ([], lambda policy: planned_hazards(RISKY.phases[0], policy)),
    **_review_rows(),
    "model_dispatch.default_mode": (
        "deterministic",
        lambda policy: model_members(_served(policy), "planner"),
    ),
    "model_dispatch.auto_mode_allow_outer_model_omission": (
        False,
        lambda policy: model_members(policy, "planner"),
    ),
    "model_dispatch.auto_mode_requires_runtime_marker": (
        False,
        lambda policy: model_members(_served(policy), "planner"),
    ),
    "retry_budgets.max_retries_per_phase": (2, failing("transient", "fixable", "transient")),
    "retry_budgets.transient_max": (0, failing("transient")),
    "retry_budgets.fixable_max": (0, failing("fixable")),
    "retry_budgets.needs_replan_max": (0, failing("needs_replan")),
    "retry_budgets.escalate_max": (1, failing("escalate")),
    "retry_budgets.model_unavailable_max": (0, failing("model_unavailable")),
    "retry_budgets.per_wave_transient_reduction_threshold": (
        3,
        lambda policy: throttled(10, [1, 2], policy).limit,
    ),
    "retry_budgets.per_wave_parallelism_reduction_factor": (
        0.8,
        lambda policy: throttled(10, [1, 2], policy).limit,
    ),
    "stagnation_detection.same_phase_failure_escalation_threshold": (
        2,
        failing("transient", "transient"),
    ),
    "stagnation_detection.same_classification_repeat_escalation": (
        False,
        failing(*["transient"] * 3),
    ),
    "session_telemetry.template": ("x.md", paths.templates),
    "session_telemetry.log_file": (
        "x.md",
        lambda policy: (paths.log_path(policy), session_outcome.archive_path(policy, "2026")),
    ),
    "session_telemetry.archive_threshold_entries": (
        1,
        lambda policy: session_outcome.archived(session_outcome.write_entry(OUTCOME) * 3, policy)[
            1
        ],
    ),
    "tool_output_policy.spill_directory_template": (
        "tmp/<task-slug>/x/",
        lambda policy: paths.spill_folder("t", policy),
    ),
    "tool_output_policy.task_slug_pattern": (
        "^[0-9]+$",
        lambda policy: _raises(lambda: paths.slug("My task", policy)),
    ),
    "tool_output_policy.max_total_mb": (1, paths.most_spilled),
    "plan_review_gate_trigger_conditions.min_phases": (
        4,
        lambda policy: review_scope(plan_of(phases=THREE), policy).triggers,
    ),
    "plan_review_gate_trigger_conditions.confidence_threshold": (
        0.99,
        lambda policy: review_scope(plan_of(), policy).triggers,
    ),
    "plan_review_gate_trigger_conditions.high_risk_scope_triggers_review": (
        False,
        lambda policy: review_scope(RISKY, policy).triggers,
    ),
    "plan_review_gate_trigger_conditions.applicable_high_impact_risk_triggers_review": (
        False,
        lambda policy: review_scope(HIGH, policy).reviewers,
    ),
    "batch_approval.approval_per": (
        "phase",
        lambda policy: len(wave_approvals(1, plan_of(phases=THREE).phases, policy)),
    ),
    "budget_defaults.enabled": (
        True,
        lambda policy: budgets.caps(_plus(policy, "budget_defaults.token_cap", 5)),
    ),
    "budget_defaults.token_cap": (
        5,
        lambda policy: budgets.caps(_plus(policy, "budget_defaults.enabled", True)),
    ),
    "budget_defaults.wall_clock_s": (
        5,
        lambda policy: budgets.caps(_plus(policy, "budget_defaults.enabled", True)),
    ),
    "budget_defaults.cost_usd": (
        5,
        lambda policy: budgets.caps(_plus(policy, "budget_defaults.enabled", True)),
    ),
    "budget_defaults.enable_reflection": (True, budgets.reflects),
    **_profile_rows("default"),
    **_profile_rows("small_local"),
    "final_review_gate.enabled_by_default": (
        True,
        lambda policy: final_review_due(plan_of(), policy, asked=False),
    ),
    "final_review_gate.auto_trigger_tiers": (
        ["TRIVIAL"],
        lambda policy: final_review_due(plan_of(), policy, asked=False),
    ),
    "final_review_gate.allow_user_trigger": (
        False,
        lambda policy: final_review_due(plan_of(), policy, asked=True),
    ),
    "final_review_gate.max_fix_cycles": (
        0,
        lambda policy: decide_final(BLOCKED, plan_of(), 0, policy).kind,
    ),
    "memory_hygiene.notes_md_max_lines": (
        3,
        lambda policy: notes.write_notes(notes.Notes("a", "b"), policy),
    ),
    "memory_hygiene.archive_completed_plans_threshold_days": (
        30,
        lambda policy: memory.archivable("DONE", 20, policy),
    ),
    "memory_hygiene.archive_eligible_statuses": (
        [],
        lambda policy: memory.archivable("DONE", 20, policy),
    ),
    "memory_hygiene.repo_memory_dedup_required": (
        False,
        lambda policy: memory.decide_memory(ENTRY, [ENTRY], policy).kind,
    ),
    "memory_hygiene.memory_content_types": (
        ["x"],
        lambda policy: memory.decide_memory(ENTRY, [], policy).kind,
    ),
    "memory_hygiene.session_notes_template_path": ("x.md", paths.templates),
    "memory_hygiene.stale_memory_freshness_days": (
        3,
        lambda policy: contracts.planning(policy, GovernedRun(step="draft")).payload,
    ),
    "compaction.max_consecutive_failures": (5, lambda policy: breaker(4, policy)),
    "task_cache.enabled": (
        False,
        lambda policy: task_cache.earlier(plan_of().phases[0], DONE, policy),
    ),
    "task_cache.lookback_phases": (
        3,
        lambda policy: task_cache.earlier(plan_of().phases[0], DONE, policy),
    ),
    "task_cache.recommendation_only": (
        False,
        lambda policy: task_cache.earlier(plan_of().phases[0], DONE, policy),
    ),
}
FIXED = {name for name, key in KEYS.items() if key.kind == "choice" and len(key.words) == 1}


def _plus(policy: Policy, name: str, value: Any) -> Policy:
    return Policy({**policy.values, name: value}, policy.generation)


def _served(policy: Policy) -> Policy:
    return replace(policy, models={"planner": "m"})


def _raises(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except ValueError as fault:
        return str(fault)


def test_every_value_of_the_policy_has_a_row() -> None:
    assert set(ROWS) | FIXED == set(KEYS)


@pytest.mark.parametrize("name", ROWS)
def test_a_changed_value_changes_what_is_decided(name: str) -> None:
    value, seen = ROWS[name]
    assert seen(read_policy(None, {name: value})) != seen(read_policy(None))


@pytest.mark.parametrize("name", sorted(FIXED))
def test_a_value_with_one_meaning_has_no_other(name: str) -> None:
    assert not KEYS[name].fits("something_else")
