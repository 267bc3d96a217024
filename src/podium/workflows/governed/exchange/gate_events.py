"""Every decision as a gate event: one closed object that fits its schema, or this program has a
bug.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from podium.workflows.governed.payloads.payloads import payload_faults
from podium.workflows.governed.payloads.schema_store import GATE_EVENT
from podium.workflows.governed.policy.policy import Policy
from podium.workflows.governed.terms import Tier

State = Literal["PLANNING", "PLAN_REVIEW", "ACTING", "REVIEWING", "WAITING_APPROVAL", "COMPLETE"]
EventType = Literal[
    "PLAN_GATE", "PREFLECT_GATE", "PHASE_REVIEW_GATE", "HIGH_RISK_APPROVAL_GATE", "COMPLETION_GATE"
]
Decision = Literal["GO", "REPLAN", "ABSTAIN", "BLOCKED"]
JOURNAL = "governed.gate_event"
"""The type under which a run's journal keeps them."""
MOST_ITERATIONS = 5
LONGEST = 2000


def shown_state(state: State) -> str:
    """The state as events name it: plan review exists only here and is shown as reviewing."""
    return "REVIEWING" if state == "PLAN_REVIEW" else state


def shown_iterations(policy: Policy, tier: Tier | None) -> int:
    """The limit as events can show it; the policy's own number still decides."""
    most = policy.max_revisions(tier) if tier else MOST_ITERATIONS
    return max(1, min(MOST_ITERATIONS, most))


def gate_event(
    event_type: EventType,
    state: State,
    decision: Decision,
    reason: str,
    next_action: str,
    *,
    trace_id: str,
    policy: Policy,
    tier: Tier | None = None,
    iteration: int = 0,
    confidence: float = 1.0,
    phase_id: int | None = None,
    needs_person: bool = False,
    checks: Sequence[str] = (),
    assumptions: str = "",
    rehearsal: str = "",
    diagnosis: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The event, valid in the policy's generation; a ValueError means a bug in this program."""
    event: dict[str, Any] = {
        "schema_version": "1.1.0",
        "agent": "Orchestrator",
        "event_type": event_type,
        "workflow_state": shown_state(state),
        "phase_id": phase_id,
        "decision": decision,
        "confidence": round(min(1.0, max(0.0, confidence)), 4),
        "requires_human_approval": needs_person,
        "reason": _said(reason),
        "next_action": _said(next_action),
        "trace_id": trace_id,
        "iteration_index": iteration,
        "max_iterations": shown_iterations(policy, tier),
    }
    if checks:
        event["safety_checks"] = list(checks)
    if assumptions:
        event["assumption_verifier_status"] = assumptions
    if rehearsal:
        earlier = policy.generation == "2026-04" and rehearsal == "ABSTAIN"
        event["executability_verifier_status"] = "NOT_RUN" if earlier else rehearsal
    if diagnosis and policy.generation != "2026-04":
        event["diagnosis_packet"] = dict(diagnosis)
    if faults := payload_faults(GATE_EVENT, event, policy.generation):
        raise ValueError(f"a gate event is not valid: {faults[0]}")
    return event


def _said(text: str) -> str:
    plain = " ".join(text.split())
    return plain[:LONGEST] if len(plain) >= 3 else f"{plain or 'none'} —"
