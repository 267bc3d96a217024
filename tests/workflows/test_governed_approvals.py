from __future__ import annotations

from typing import Any

from podium.workflows.governed.approvals import high_risk_prompt, wave_approvals
from podium.workflows.governed.good import good_plan
from podium.workflows.governed.hazards import Hazard
from podium.workflows.governed.plan import Plan
from podium.workflows.governed.plan_reading import read_object
from podium.workflows.governed.policy import DEFAULT, read_policy

RISKY = {"steps": ["Run rm -rf build."]}


def plan_of(*phases: dict[str, Any]) -> Plan:
    plan = read_object(good_plan(phases=list(phases))).plan
    assert plan is not None
    return plan


def test_a_wave_is_approved_as_a_whole_with_one_question() -> None:
    plan = plan_of({}, {"executor_agent": "TechnicalWriter-subagent"}, {})
    [asked] = wave_approvals(2, plan.phases, DEFAULT)
    assert asked.prompt == (
        "Wave 2: 3 phases, agents: [CoreImplementer-subagent, TechnicalWriter-subagent]. Approve all? (y/n/details)"
    )
    assert asked.phases == (1, 2, 3)
    assert not asked.high_risk
    assert asked.details[0] == (
        "Phase 1 — Piece 1 (CoreImplementer-subagent): Make the change that was asked for. "
        "Risk: no high-risk action. Changes: work/piece-1.txt."
    )


def test_a_destructive_phase_makes_every_phase_of_its_wave_a_question_of_its_own() -> None:
    plan = plan_of({}, RISKY)
    first, second = wave_approvals(1, plan.phases, DEFAULT)
    assert (first.phases, first.high_risk) == ((1,), False)
    assert (second.phases, second.high_risk) == ((2,), True)
    assert "It may do what needs a person: rm_rf." in second.prompt


def test_what_the_policy_does_not_list_is_no_exception() -> None:
    policy = read_policy(None, {"approval_required_actions": ["drop_table"]})
    assert len(wave_approvals(1, plan_of({}, RISKY).phases, policy)) == 1


def test_a_policy_may_want_every_phase_approved() -> None:
    policy = read_policy(None, {"batch_approval.approval_per": "phase"})
    assert [each.phases for each in wave_approvals(1, plan_of({}, {}).phases, policy)] == [(1,), (2,)]


def test_what_was_seen_in_the_work_is_shown_to_the_person_who_decides() -> None:
    prompt = high_risk_prompt(plan_of({}).phases[0], [Hazard("rm_rf", "rm -rf build")])
    assert prompt == "Phase 1 — Piece 1 did what needs a person's approval:\n  rm_rf: rm -rf build\nKeep it?"
