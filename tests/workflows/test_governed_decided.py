"""What people decide at gates is told in the family's own words, too."""

from __future__ import annotations

from typing import Any

import pytest

from podium.core.effects import Gate
from podium.workflows.governed.decided import KINDS
from podium.workflows.governed.payloads.payloads import payload_faults
from podium.workflows.governed.payloads.schema_store import GATE_EVENT
from podium.workflows.governed.phase_workflow import PhaseWork
from podium.workflows.governed.policy.policy import DEFAULT
from podium.workflows.governed.run import GovernedRun, PhaseRun
from podium.workflows.governed.workflow import Governed

TRACE = "502ec4a4-93d4-4c56-abfa-bf4270d5c5d1"
GATES = {
    name: each.effect
    for workflow in (Governed(DEFAULT), PhaseWork(DEFAULT))
    for name, each in workflow.steps.items()
    if isinstance(each.effect, Gate)
}


def told(name: str, outcome: str, **members: Any) -> dict[str, Any]:
    kind = PhaseRun if name in {"clarify", "accept_risk"} else GovernedRun
    (fact,) = GATES[name].tells(kind(step=name, trace_id=TRACE, **members), outcome, "Ada")
    assert fact["type"] == "governed.gate_event"
    event: dict[str, Any] = fact["event"]
    return event


def test_every_gate_but_that_of_memory_tells_what_was_decided() -> None:
    assert set(GATES) - set(KINDS) == {"settle_memory"}


@pytest.mark.parametrize(
    ("name", "outcome"), [(name, outcome) for name in KINDS for outcome in GATES[name].choices]
)
def test_every_decision_is_a_valid_event_that_asks_nobody_any_more(name: str, outcome: str) -> None:
    event = told(name, outcome)
    assert payload_faults(GATE_EVENT, event) == ()
    assert event["event_type"] == KINDS[name]
    assert event["requires_human_approval"] is False
    assert event["reason"].startswith("Ada decided ")


@pytest.mark.parametrize(
    ("name", "outcome", "decision", "state"),
    [
        ("approve_plan", "approved", "GO", "WAITING_APPROVAL"),
        ("approve_plan", "draft", "REPLAN", "WAITING_APPROVAL"),
        ("resolve_plan", "stop", "BLOCKED", "WAITING_APPROVAL"),
        ("resolve_wave", "retry", "GO", "WAITING_APPROVAL"),
        ("accept_risk", "stop", "BLOCKED", "WAITING_APPROVAL"),
        ("approve_completion", "approved", "GO", "COMPLETE"),
        ("approve_completion", "draft", "REPLAN", "WAITING_APPROVAL"),
    ],
)
def test_the_decision_is_in_the_words_of_the_schema(
    name: str, outcome: str, decision: str, state: str
) -> None:
    event = told(name, outcome)
    assert (event["decision"], event["workflow_state"]) == (decision, state)


def test_an_approval_of_one_phase_names_it() -> None:
    assert told("approve_wave", "approved", approvals=[{"phases": [3]}])["phase_id"] == 3
    assert told("approve_wave", "approved", approvals=[{"phases": [1, 2]}])["phase_id"] is None
    assert told("accept_risk", "approved", phase_id=2)["phase_id"] == 2
