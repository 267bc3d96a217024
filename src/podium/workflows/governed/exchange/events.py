"""Facts for the journal: a run's decisions, what it hands to agents and what they send back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podium.workflows.governed.exchange.delegations import Delegation
from podium.workflows.governed.exchange.gate_events import (
    JOURNAL,
    Decision,
    EventType,
    State,
    gate_event,
)
from podium.workflows.governed.exchange.observability import event_type_of
from podium.workflows.governed.plan.plan import Phase, from_data
from podium.workflows.governed.policy.policy import Policy
from podium.workflows.governed.roster import BY_NAME

DELEGATION, REPORT, MARKED, FAILURE = (
    "governed.delegation",
    "governed.report",
    "governed.todo",
    "governed.failure",
)
Fact = Mapping[str, Any]


def gate(
    run: Any,
    policy: Policy,
    kind: EventType,
    state: State,
    decision: Any,
    reason: str,
    then: str,
    **more: Any,
) -> Fact:
    """A gate event for the journal; an invalid one would be a bug in this program."""
    known: Decision = decision
    event = gate_event(
        kind,
        state,
        known,
        reason,
        then,
        trace_id=run.trace_id,
        policy=policy,
        tier=run.tier or None,
        **more,
    )
    return {"type": JOURNAL, "event": event}


def exchanged(
    sent: Delegation, answer: Mapping[str, Any], phase: int | None = None
) -> tuple[Fact, ...]:
    """What an agent was handed and what it sent back."""
    return (
        {"type": DELEGATION, "agent": sent.agent, "phase": phase, "payload": dict(sent.payload)},
        *reported(sent.agent, answer, phase),
    )


def reported(agent: str, answer: Mapping[str, Any], phase: int | None = None) -> tuple[Fact, ...]:
    """An agent's object; a question in it is also reported separately."""
    if not answer:
        return ()
    facts: list[Fact] = [
        {
            "type": REPORT,
            "agent": agent,
            "phase": phase,
            "kind": event_type_of(BY_NAME[agent].role),
            "payload": dict(answer),
        }
    ]
    if isinstance(asked := answer.get("clarification_request"), Mapping):
        facts.append(
            {
                "type": REPORT,
                "agent": agent,
                "phase": phase,
                "kind": "clarification_request",
                "payload": dict(asked),
            }
        )
    return tuple(facts)


def phase_of(plan: Mapping[str, Any], number: int) -> Phase:
    return next(each for each in from_data(plan).phases if each.phase_id == number)
