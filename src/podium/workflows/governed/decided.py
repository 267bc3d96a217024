"""What people decide at the gates of a governed run, each as a gate event."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from podium.core import keys
from podium.core.effects import Effect, Gate
from podium.core.run import Run
from podium.workflows.governed.exchange.events import Fact, gate
from podium.workflows.governed.exchange.gate_events import Decision, EventType, State
from podium.workflows.governed.policy.policy import Policy
from podium.workflows.governed.run import PhaseRun

KINDS: Mapping[str, EventType] = {
    "approve_plan": "PLAN_GATE",
    "resolve_plan": "PLAN_GATE",
    "approve_wave": "PHASE_REVIEW_GATE",
    "approve_risk": "HIGH_RISK_APPROVAL_GATE",
    "resolve_wave": "PHASE_REVIEW_GATE",
    "resolve_final": "COMPLETION_GATE",
    "approve_completion": "COMPLETION_GATE",
    "clarify": "PHASE_REVIEW_GATE",
    "accept_risk": "HIGH_RISK_APPROVAL_GATE",
}
"""Gate steps to the kind of their events; a decision about memory decides nothing about the run."""
_DECISIONS: Mapping[str, Decision] = {"draft": "REPLAN", "replan": "REPLAN", "stop": "BLOCKED"}
_NEXT: Mapping[Decision, str] = {"GO": "go on", "REPLAN": "back to the planner", "BLOCKED": "stop"}


def telling(name: str, effect: Effect, policy: Policy) -> Effect:
    """The gate of that step, extended to record what is decided at it; any other effect
    unchanged.
    """
    if not isinstance(effect, Gate) or name not in KINDS:
        return effect
    return replace(effect, tells=_teller(name, policy))


def _teller(name: str, policy: Policy) -> Callable[[Run, str, str], Sequence[Fact]]:
    def tell(run: Run, outcome: str, by: str) -> Sequence[Fact]:
        return (event_of(name, run, outcome, by, policy),)

    return tell


def event_of(name: str, run: Any, outcome: str, by: str, policy: Policy) -> Fact:
    """The event of one decision; it has been made, so nobody needs to be asked any more."""
    decision = _DECISIONS.get(outcome, "GO")
    state: State = (
        "COMPLETE" if (name, decision) == ("approve_completion", "GO") else "WAITING_APPROVAL"
    )
    then = "the run is complete" if state == "COMPLETE" else _NEXT[decision]
    phases = (
        [run.phase_id]
        if isinstance(run, PhaseRun)
        else _phases(run)
        if name in {"approve_wave", "approve_risk"}
        else []
    )
    said = f"{by or 'a person'} decided {keys.base_of(name)}: {outcome}"
    return gate(
        run,
        policy,
        KINDS[name],
        state,
        decision,
        said,
        then,
        phase_id=phases[0] if len(phases) == 1 else None,
    )


def _phases(run: Any) -> list[int]:
    return list(run.approvals[0]["phases"]) if run.approvals else []
