"""What each agent is handed: the payload its schema requires, checked before it is sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from podium.workflows.governed.payloads.payloads import payload_faults
from podium.workflows.governed.payloads.schema_store import delegation
from podium.workflows.governed.phase.brief import phase_members, task_definition
from podium.workflows.governed.phase.hazards import planned_hazards
from podium.workflows.governed.plan.plan import Phase, Plan
from podium.workflows.governed.policy.policy import Policy
from podium.workflows.governed.roster import BY_NAME, BY_ROLE

__all__ = [
    "Delegation",
    "Revision",
    "code_review",
    "mapping",
    "phase",
    "plan_review",
    "planning",
    "research",
    "task_definition",
]


@dataclass(frozen=True)
class Delegation:
    """One agent and its payload."""

    agent: str
    payload: Mapping[str, Any]
    faults: tuple[str, ...] = ()
    """Why it cannot be sent; empty if it is valid."""


@dataclass(frozen=True)
class Revision:
    """Why a plan is written again, and how."""

    reason: str
    path: str
    """The plan that is revised or replaced."""
    mode: str = "in_place_update"
    findings: tuple[str, ...] = field(default=())


def _made(agent: str, members: Mapping[str, Any], policy: Policy, profile: str = "") -> Delegation:
    payload = dict(members)
    faults: tuple[str, ...] = ()
    if policy.generation == "2026-06":
        reviewer = BY_NAME[agent].part == "reviewer" or agent == "CodeReviewer-subagent"
        if profile and not reviewer:
            payload["resource_profile"] = profile
        named, faults = model_members(policy, BY_NAME[agent].role)
        payload |= named
    wrong = tuple(
        str(each) for each in payload_faults(delegation(agent), payload, policy.generation)
    )
    return Delegation(
        agent,
        payload,
        (*faults, *(each for each in wrong if not each.startswith("model:") or not faults)),
    )


def unnamed(policy: Policy) -> tuple[str, ...]:
    """Roles that could not be asked, because the policy wants the name of their agent's model
    and there is none.
    """
    if policy.generation != "2026-06":
        return ()
    return tuple(each for each in BY_ROLE if model_members(policy, each)[1])


def model_members(policy: Policy, role: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Which model the role's agent uses, by the policy's mode; a required name that is missing
    is a fault.
    """
    model = policy.models.get(role, "")
    auto = policy.text("model_dispatch.default_mode") == "auto"
    needed = not auto or not policy.flag("model_dispatch.auto_mode_allow_outer_model_omission")
    members: dict[str, Any] = {"model": model} if model else {}
    # The schema allows a payload without a model only if the marker is there.
    if not auto or policy.flag("model_dispatch.auto_mode_requires_runtime_marker") or not model:
        members["runtime_model_mode"] = "auto" if auto else "deterministic"
    if needed and not model:
        return members, (
            (
                "model: expected the model's name, got nothing; the policy wants every dispatch "
                "to name one"
            ),
        )
    return members, ()


def mapping(scope: str, policy: Policy, *, focus: Sequence[str] = ()) -> Delegation:
    members: dict[str, Any] = {"scope_description": _long(scope, 5), "conventions_requested": True}
    return _made("CodeMapper-subagent", _with(members, focus_areas=list(focus)), policy)


def research(query: str, policy: Policy, *, focus: Sequence[str] = ()) -> Delegation:
    return _made(
        "Researcher-subagent",
        _with({"research_query": _long(query, 5)}, focus_areas=list(focus)),
        policy,
    )


def planning(
    request: str,
    policy: Policy,
    *,
    constraints: Sequence[str] = (),
    context: Sequence[str] = (),
    revision: Revision | None = None,
    trace_id: str = "",
    iteration: int = 0,
) -> Delegation:
    """The planner's payload; only the later generation has members for a revision, the earlier
    gets it as constraints.
    """
    wanted = [*constraints, *(revision.findings if revision else ())]
    members = _with(
        {"task_description": _long(request, 10)}, constraints=wanted, context_refs=list(context)
    )
    if revision is not None and policy.generation == "2026-04":
        members["constraints"] = [f"Revise {revision.path}: {revision.reason}", *wanted]
    elif policy.generation == "2026-06":
        members |= _revision(revision, trace_id, iteration)
    return _made("Planner", members, policy)


def _revision(revision: Revision | None, trace_id: str, iteration: int) -> dict[str, Any]:
    told: dict[str, Any] = {"trace_id": trace_id} if trace_id else {}
    if revision is None:
        return {**told, "revision_mode": "initial_create"}
    where = "active_plan_path" if revision.mode == "in_place_update" else "existing_plan_path"
    return {
        **told,
        "iteration_index": iteration,
        "revision_mode": revision.mode,
        "revision_reason": _long(revision.reason, 5),
        where: revision.path,
    }


def plan_review(
    role: str,
    plan: Plan,
    path: str,
    policy: Policy,
    *,
    task_id: str,
    trace_id: str,
    iteration: int,
    focus: Sequence[str] = (),
    retry_attempt: int = 0,
    tree: str = "",
) -> Delegation:
    """The payload of one reviewer of a plan."""
    members: dict[str, Any] = {
        "plan_path": path,
        "plan_summary": _long(plan.summary, 10),
        "trace_id": trace_id,
        "iteration_index": iteration,
    }
    if role == "plan-auditor":
        members = _with(
            {"task_id": task_id, **members}, focus_areas=list(focus), retry_attempt=retry_attempt
        )
    elif role == "assumption-verifier":
        members = _with(members, focus_areas=list(focus))
    else:
        members = _with(members, project_file_tree=tree)
    return _made(BY_ROLE[role].name, members, policy)


def phase(
    plan: Plan,
    phase: Phase,
    policy: Policy,
    *,
    task_id: str,
    told: Sequence[str] = (),
    retry_attempt: int = 0,
    commands: Sequence[str] = (),
) -> Delegation:
    """The payload of a phase's executor; `told` holds hints, answers and findings for a retry."""
    again = (
        [f"This is retry {retry_attempt} of this phase; be sparing with calls that failed."]
        if retry_attempt
        else []
    )
    hazards = planned_hazards(phase, policy)
    members, faults = phase_members(
        plan, phase, policy, task_id, [*again, *told], [each.action for each in hazards], commands
    )
    made = _made(phase.executor_agent, members, policy, plan.resource_profile)
    return Delegation(made.agent, made.payload, (*faults, *made.faults))


def code_review(
    changed: Sequence[str],
    policy: Policy,
    *,
    phase: Phase | None = None,
    report: Mapping[str, Any] | None = None,
    snapshot: Sequence[Mapping[str, Any]] = (),
    prior: Sequence[Mapping[str, Any]] = (),
    security: bool = False,
) -> Delegation:
    """The payload of a code review: of one phase, or of everything if no phase is given."""
    members: dict[str, Any] = {
        "phase_id": phase.phase_id if phase else 0,
        "changed_files": sorted(changed),
        "review_scope": "phase" if phase else "final",
        "security_sensitive": security,
        "review_mode": "security" if security else "standard",
    }
    members = _with(members, plan_phases_snapshot=[dict(each) for each in snapshot])
    if policy.generation == "2026-06":
        scope = f"{phase.name}: {phase.objective}" if phase else ""
        members = _with(
            members,
            prior_phase_findings=[dict(each) for each in prior],
            phase_scope=scope,
            executor_report=dict(report or {}),
        )
    return _made("CodeReviewer-subagent", members, policy)


def _with(members: Mapping[str, Any], **optional: Any) -> dict[str, Any]:
    return {**members, **{name: value for name, value in optional.items() if value}}


def _long(text: str, least: int) -> str:
    """A text long enough for its schema, without inventing anything."""
    plain = " ".join(text.split())
    return plain if len(plain) >= least else f"{plain} (nothing more was said)"
