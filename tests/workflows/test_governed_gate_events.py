from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any, get_args

import pytest

from podium.workflows.governed.exchange.gate_events import (
    Decision,
    EventType,
    State,
    gate_event,
    shown_iterations,
    shown_state,
)
from podium.workflows.governed.payloads.payloads import payload_faults
from podium.workflows.governed.policy.policy import DEFAULT, read_policy
from podium.workflows.governed.terms import TIERS

TRACE = "0d4e3c6a-8f7b-4b5e-9c1d-2a3b4c5d6e7f"
EARLIER = replace(DEFAULT, generation="2026-04")


def event(**members: Any) -> dict[str, Any]:
    told = {"trace_id": TRACE, "policy": DEFAULT, **members}
    return gate_event(
        "PLAN_GATE", "PLAN_REVIEW", "GO", "every reviewer approves", "start wave 1", **told
    )


@pytest.mark.parametrize(
    ("kind", "state", "decision", "policy"),
    list(product(get_args(EventType), get_args(State), get_args(Decision), (DEFAULT, EARLIER))),
)
def test_every_decision_in_every_state_is_a_valid_event_of_its_generation(
    kind: Any, state: Any, decision: Any, policy: Any
) -> None:
    found = gate_event(
        kind, state, decision, "because", "go on", trace_id=TRACE, policy=policy, phase_id=2
    )
    assert payload_faults("orchestrator.gate-event", found, policy.generation) == ()
    assert found["workflow_state"] == ("REVIEWING" if state == "PLAN_REVIEW" else state)


def test_plan_review_is_a_state_of_ours_and_shows_as_reviewing() -> None:
    assert shown_state("PLAN_REVIEW") == "REVIEWING"
    assert event()["event_type"] == "PLAN_GATE"
    assert event()["phase_id"] is None


@pytest.mark.parametrize(("said", "held"), [(7.0, 1.0), (-1.0, 0.0), (0.123456, 0.1235)])
def test_confidence_stays_within_its_bounds(said: float, held: float) -> None:
    assert event(confidence=said)["confidence"] == held


def test_an_event_shows_the_tiers_limit_as_far_as_it_can_hold_it() -> None:
    assert [shown_iterations(DEFAULT, tier) for tier in TIERS] == [2, 2, 5, 5]
    assert shown_iterations(read_policy(None, {"max_iterations_by_tier.LARGE": 9}), "LARGE") == 5
    assert event(tier="SMALL", iteration=3)["max_iterations"] == 2
    assert event(tier="SMALL", iteration=3)["iteration_index"] == 3


def test_words_of_the_later_generation_are_left_out_in_the_earlier() -> None:
    diagnosis = {
        "reproduction_steps": "run it",
        "root_cause_hypothesis": "a typo",
        "affected_component": "a.py",
    }
    later = event(rehearsal="ABSTAIN", diagnosis=diagnosis)
    assert later["executability_verifier_status"] == "ABSTAIN"
    assert later["diagnosis_packet"] == diagnosis
    earlier = event(rehearsal="ABSTAIN", diagnosis=diagnosis, policy=EARLIER)
    assert earlier["executability_verifier_status"] == "NOT_RUN"
    assert "diagnosis_packet" not in earlier


def test_reasons_are_one_line_and_neither_too_short_nor_too_long() -> None:
    found = gate_event(
        "PLAN_GATE", "PLANNING", "GO", "", "x\n" * 5000, trace_id=TRACE, policy=DEFAULT
    )
    assert found["reason"] == "none —"
    assert len(found["next_action"]) == 2000
    assert "\n" not in found["next_action"]


@pytest.mark.parametrize(
    "members",
    [
        {"trace_id": "x"},
        {"phase_id": 0},
        {"iteration": -1},
        {"checks": ["guessed"]},
        {"assumptions": "FINE"},
    ],
)
def test_an_event_that_is_not_valid_is_a_fault_of_the_program(members: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="a gate event is not valid"):
        event(**members)
