from __future__ import annotations

from typing import Any

from podium.workflows.governed.approvals import wave_approvals
from podium.workflows.governed.memory.task_cache import Advice, Done
from podium.workflows.governed.payloads.good import good_plan
from podium.workflows.governed.plan.plan import Plan
from podium.workflows.governed.plan.reading import read_object
from podium.workflows.governed.policy.policy import DEFAULT, read_policy

RISKY = {"steps": ["Run rm -rf build."]}


def plan_of(*phases: dict[str, Any]) -> Plan:
    plan = read_object(good_plan(phases=list(phases))).plan
    assert plan is not None
    return plan


def test_a_wave_is_approved_as_a_whole_with_one_question() -> None:
    plan = plan_of({}, {"executor_agent": "TechnicalWriter-subagent"}, {})
    [asked] = wave_approvals(2, plan.phases, DEFAULT)
    assert asked.prompt == (
        "Wave 2: 3 phases, agents: [CoreImplementer-subagent, TechnicalWriter-subagent]. "
        "Approve all? (y/n/details)"
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
    assert [each.phases for each in wave_approvals(1, plan_of({}, {}).phases, policy)] == [
        (1,),
        (2,),
    ]


def test_a_phase_that_looks_done_before_is_told_with_its_approval() -> None:
    like = Advice("remark", Done("old-plan", "Piece 1", ()), 0.9)
    (asked,) = wave_approvals(1, plan_of({}, {}).phases, DEFAULT, {1: like})
    assert asked.details[0].endswith("Looks like 'Piece 1' of old-plan, which was done before.")
    assert "Looks like" not in asked.details[1]


def test_where_more_than_a_remark_is_wanted_each_phase_is_asked_for() -> None:
    like = Advice("question", Done("old-plan", "Piece 1", ()), 0.9)
    assert [
        each.phases for each in wave_approvals(1, plan_of({}, {}).phases, DEFAULT, {1: like})
    ] == [(1,), (2,)]
