"""Gate events of a run as facts for its journal, and phases by number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podium.workflows.governed.gate_events import JOURNAL, Decision, EventType, State, gate_event
from podium.workflows.governed.plan import Phase, from_data
from podium.workflows.governed.policy import Policy


def gate(run: Any, policy: Policy, kind: EventType, state: State, decision: Any, reason: str, then: str, **more: Any) -> Mapping[str, Any]:
    """A gate event for the journal; it is valid, or this program is wrong."""
    known: Decision = decision
    event = gate_event(kind, state, known, reason, then, trace_id=run.trace_id, policy=policy, tier=run.tier or None, **more)
    return {"type": JOURNAL, "event": event}


def phase_of(plan: Mapping[str, Any], number: int) -> Phase:
    return next(each for each in from_data(plan).phases if each.phase_id == number)
