"""The review of a plan: revisions, findings, stagnation, abstention, regressions, and approvals
bound to content.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.fakes import governed as g
from tests.fakes.governed import PLAN, Governed

TWO: list[dict[str, Any]] = [{}, {"wave": 2}]
SURE = {"plan_review_gate_trigger_conditions.min_phases": 1}
WELL = {"behave": "well"}


@pytest.fixture
def run(tmp_path: Path) -> Governed:
    return Governed.of(tmp_path)


def small(**members: Any) -> dict[str, Any]:
    return g.plan(*TWO, complexity_tier="SMALL", **members)


def go(
    run: Governed,
    audits: list[Any],
    *,
    plans: list[Any] | None = None,
    policy: Any = None,
    **more: Any,
) -> Any:
    agents = {"planner": plans or [small()], "plan-auditor": audits}
    return run.go({**agents, **more.pop("agents", {})}, policy={**SURE, **(policy or {})}, **more)


def test_findings_go_back_to_the_planner_and_the_new_version_is_approved_anew(
    run: Governed,
) -> None:
    ended = go(
        run,
        [g.audit("NEEDS_REVISION", g.finding()), WELL],
        plans=[small(), small(summary="With a way back.")],
    )
    assert ended.status == "complete"
    assert run.dispatched()[:4] == [
        "plan/1",
        "plan-review/1/plan-auditor",
        "plan/2",
        "plan-review/2/plan-auditor",
    ]
    assert "no way back is planned" in run.prompt("plan/2")
    assert run.started("gate.opened")[:2] == ["approve-plan", "approve-plan/2"]
    assert [each["decision"] for each in run.gates(event_type="PLAN_GATE")] == [
        "GO",
        "REPLAN",
        "GO",
        "GO",
    ]
    assert "**Total review iterations:** `1 / 2`" in run.text(g.OUTCOMES)


def test_a_revision_that_calls_itself_small_is_reviewed_by_those_who_asked_for_it(
    run: Governed,
) -> None:
    three = g.plan({}, {}, {"wave": 2}, complexity_tier="MEDIUM")
    trivial = g.plan({}, complexity_tier="TRIVIAL", summary="Only a little, after all.")
    agents = {
        "planner": [three, trivial],
        "plan-auditor": [g.audit("NEEDS_REVISION", g.finding()), WELL],
    }
    assert run.go(agents).status == "complete"
    both = ["plan-auditor", "assumption-verifier"]
    assert [each for each in run.dispatched() if each.startswith("plan-review/2/")] == [
        f"plan-review/2/{each}" for each in both
    ]
    looked = [
        each for each in run.gates(event_type="PLAN_GATE") if "all look again" in each["reason"]
    ]
    assert [(each["workflow_state"], each["requires_human_approval"]) for each in looked] == [
        ("REVIEWING", False)
    ]


def test_revisions_end_at_the_tiers_limit_and_a_person_sees_the_best_version(run: Governed) -> None:
    bad, worse = g.finding("MAJOR", "no way back is there"), g.finding("MAJOR", "no lock is held")
    audits = [g.audit("NEEDS_REVISION", bad), g.audit("NEEDS_REVISION", bad, worse)]
    ended = go(
        run,
        audits,
        plans=[small(summary="The first try."), small()],
        policy={"max_iterations_by_tier.SMALL": 1},
    )
    assert (ended.status, ended.gates) == ("waiting", ("resolve-plan",))
    assert "plan/3" not in run.dispatched()
    last = run.gates(event_type="PLAN_GATE")[-1]
    assert last["workflow_state"] == "WAITING_APPROVAL"
    assert "(revisions)" in last["reason"]
    assert "The first try." in run.text(f"plans/artifacts/{g.TASK}/best-plan.md")
    run.answer(choice="proceed")
    assert run.on().status == "complete"
    assert "best-plan.md" in run.prompt("wave/1/phase/1/execute/1")


def test_fewer_revisions_are_made_where_the_policy_allows_fewer(run: Governed) -> None:
    ended = go(
        run, [g.audit("NEEDS_REVISION", g.finding())], policy={"max_iterations_by_tier.SMALL": 1}
    )
    assert ended.gates == ("resolve-plan",)
    assert [each for each in run.dispatched() if each.startswith("plan/")] == ["plan/1", "plan/2"]


def test_a_review_that_brings_nothing_stops_before_its_limit(run: Governed) -> None:
    ended = go(
        run, [g.audit("NEEDS_REVISION", g.finding())], policy={"max_iterations_by_tier.SMALL": 5}
    )
    assert ended.gates == ("resolve-plan",)
    assert "(stagnation)" in run.gates(event_type="PLAN_GATE")[-1]["reason"]
    assert [each for each in run.dispatched() if each.startswith("plan/")] == [
        "plan/1",
        "plan/2",
        "plan/3",
    ]
    run.answer(choice="stop")
    ended = run.on()
    assert (ended.status, ended.stop) == ("blocked", "stopped")
    assert "**Convergence:** `Stagnation detected`" in run.text(g.OUTCOMES)
    assert "**Status:** `FAILED`" in run.text(g.OUTCOMES)


def test_a_rejected_plan_waits_for_a_person_who_may_ask_for_another(run: Governed) -> None:
    ended = go(run, [g.audit("REJECTED", g.finding("CRITICAL")), WELL])
    assert (ended.status, ended.gates) == ("waiting", ("resolve-plan",))
    assert "next to nothing" not in run.app.summary(run.run_id).gates[0]["prompt"]
    run.answer(choice="replan", text="smaller steps, please")
    assert run.on().status == "complete"
    assert "smaller steps, please" in run.prompt("plan/2")


def test_a_rejected_plan_that_is_stopped_is_recorded_in_one_of_the_three_words(
    run: Governed,
) -> None:
    go(run, [g.audit("REJECTED", g.finding("CRITICAL"))])
    run.answer(choice="stop")
    run.on()
    assert "**Convergence:** `Stagnation detected`" in run.text(g.OUTCOMES)


def test_a_required_reviewer_that_abstains_is_asked_once_more(run: Governed) -> None:
    assert go(run, [g.audit("ABSTAIN", confidence=0.3), WELL]).status == "complete"
    assert [each for each in run.dispatched() if each.startswith("plan-review")] == [
        "plan-review/1/plan-auditor",
        "plan-review/2/plan-auditor",
    ]
    sent = [
        each["payload"].get("retry_attempt", 0)
        for each in run.events("governed.delegation", agent="PlanAuditor-subagent")
    ]
    assert sent == [0, 1]


def test_twice_abstained_is_for_a_person(run: Governed) -> None:
    ended = go(run, [g.audit("ABSTAIN", confidence=0.3)])
    assert ended.gates == ("resolve-plan",)
    assert "abstained twice" in run.gates(event_type="PLAN_GATE")[-1]["reason"]


def test_only_the_reviewer_that_abstained_is_asked_again(run: Governed) -> None:
    medium = g.plan(*TWO, complexity_tier="MEDIUM")
    assert go(run, [g.audit("ABSTAIN", confidence=0.3), WELL], plans=[medium]).status == "complete"
    asked = sorted(each for each in run.dispatched() if each.startswith("plan-review"))
    assert asked == [
        "plan-review/1/assumption-verifier",
        "plan-review/1/plan-auditor",
        "plan-review/2/plan-auditor",
    ]


@pytest.mark.parametrize("said", ["APPROVED", "NEEDS_REVISION"])
def test_an_open_critical_finding_rejects_the_plan_whatever_the_headline_says(
    run: Governed, said: str
) -> None:
    ended = go(run, [g.audit(said, g.finding("CRITICAL")), WELL])
    assert (ended.status, ended.gates) == ("waiting", ("resolve-plan",))
    last = run.gates(event_type="PLAN_GATE")[-1]
    assert (last["decision"], last["reason"]) == (
        "BLOCKED",
        "the auditor rejects the plan (rejected)",
    )
    assert run.events("verdict.contradicted")
    assert "plan/2" not in run.dispatched()


def test_a_plan_that_fails_its_rehearsal_is_revised(run: Governed) -> None:
    large = g.plan(*TWO, complexity_tier="LARGE")
    task = {
        "task_id": "Phase1-Step1",
        "pre_execution_checklist": dict.fromkeys(
            (
                "what_clear",
                "where_clear",
                "how_clear",
                "inputs_defined",
                "outputs_defined",
                "dependencies_met",
                "verify_command_complete",
                "test_specifics_concrete",
            ),
            True,
        ),
        "walkthrough_steps": [
            {"step": "open_file", "status": "BLOCKED", "blocker_description": "no such file"}
        ],
        "task_verdict": "BLOCKED",
        "checklist_score": 1,
    }
    failing = g.said(
        "executability-verifier",
        status="FAIL",
        tasks_simulated=[task],
        failure_classification="fixable",
    )
    ended = go(run, [WELL], plans=[large], agents={"executability-verifier": [failing, WELL]})
    assert ended.status == "complete"
    assert "no such file" in run.prompt("plan/2")
    assert [
        each["executability_verifier_status"]
        for each in run.gates(event_type="PLAN_GATE")
        if "executability_verifier_status" in each
    ] == ["NOT_RUN", "FAIL", "NOT_RUN", "PASS"]


def test_what_was_mended_and_comes_back_blocks_the_plan(run: Governed) -> None:
    one, other = g.finding("MINOR", "the name is unclear"), g.finding("MAJOR", "no lock is held")
    audits = [
        g.audit("NEEDS_REVISION", one, g.finding()),
        g.audit("NEEDS_REVISION", other),
        g.audit("APPROVED", one),
        WELL,
    ]
    ended = go(run, audits, policy={"max_iterations_by_tier.SMALL": 5})
    assert ended.status == "complete"
    assert "was sound in round 2 and is not: fixed: the name is unclear" in run.prompt("plan/4")
    assert "Sound before" in run.prompt("plan-review/3/plan-auditor")
    assert "| VERIFIED |" in run.text(f"plans/artifacts/{g.TASK}/verified-items.md")


def test_a_claim_that_failed_again_is_cured_by_a_review_that_holds_nothing_against_it(
    run: Governed,
) -> None:
    def checked(verdict: str) -> dict[str, Any]:
        claim = {
            "pattern_id": 1,
            "pattern_name": "phantom_api",
            "classification": "PRESENCE_MIRAGE",
            "severity": "MINOR",
            "claim": "the service has such a call",
            "evidence": "looked at its code",
            "verdict": verdict,
        }
        return g.said("assumption-verifier", mirage_findings=[claim])

    medium = g.plan(*TWO, complexity_tier="MEDIUM")
    claims = {"assumption-verifier": [checked("VERIFIED"), checked("MIRAGE"), WELL]}
    ended = go(run, [g.audit("NEEDS_REVISION", g.finding()), WELL], plans=[medium], agents=claims)
    assert ended.status == "complete"
    assert "was sound in round 1 and is not: the service has such a call" in run.prompt("plan/3")
    assert "plan/4" not in run.dispatched()


def test_a_planner_that_abstains_asks_a_person(run: Governed) -> None:
    silent = g.plan(
        {},
        status="ABSTAIN",
        abstain={"is_abstaining": True, "reasons": ["the request says too little"]},
    )
    ended = run.go({"planner": [silent]})
    assert ended.gates == ("resolve-plan",)
    assert "the request says too little" in run.app.summary(run.run_id).gates[0]["prompt"]


# -- people and the plan


def test_a_plan_edited_after_its_approval_is_read_and_approved_again(run: Governed) -> None:
    run.go({"planner": [small()]}, approve_all=False)
    run.approve("approve-plan")
    run.resume()
    assert run.open_gates() == ["approve-wave/1"]
    run.edit(PLAN, "Part 2", "Another part")
    run.approve("approve-wave/1")
    run.resume()
    assert run.open_gates() == ["approve-plan/2"]
    assert "Another part" in run.app.summary(run.run_id).gates[0]["prompt"]
    assert run.on().status == "complete"
    assert "Another part" in run.text(g.COMPLETE)


def test_a_plan_that_is_sent_back_is_written_anew_with_the_persons_words(run: Governed) -> None:
    run.go({"planner": [small()]}, approve_all=False)
    run.reject(note="two phases are too many")
    assert run.on().status == "complete"
    assert "two phases are too many" in run.prompt("plan/2")


def test_nothing_acts_before_the_plan_is_approved(run: Governed) -> None:
    before = run.snapshot("plans", "NOTES.md", ".git")
    ended = run.go({"planner": [small()]}, approve_all=False)
    assert ended.gates == ("approve-plan",)
    assert run.snapshot("plans", "NOTES.md", ".git") == before
    assert run.roles() == ["planner"]
