"""Routes of a governed run and of a phase, one by one, without an engine."""

from __future__ import annotations

from typing import Any

import pytest

from podium.core.advance import advance
from podium.core.run import Status
from podium.workflows.governed import moments
from podium.workflows.governed.payloads.good import good_plan
from podium.workflows.governed.phase_workflow import PhaseWork
from podium.workflows.governed.policy.policy import DEFAULT
from podium.workflows.governed.run import GovernedRun, PhaseRun
from podium.workflows.governed.workflow import Governed

RUN, PHASE = Governed(DEFAULT), PhaseWork(DEFAULT)


def after(step: str, outcome: str, **members: Any) -> Any:
    at = GovernedRun(step=step, **{"plan": good_plan(), "reviewers": ["plan-auditor"], **members})
    return advance(RUN, at, outcome)


@pytest.mark.parametrize(
    ("step", "outcome", "members", "to"),
    [
        ("draft", "abstain", {}, "check_plan"),
        ("check_plan", "ok", {}, "approve_plan"),
        ("check_plan", "ok", {"reviewing": True}, "audit"),
        ("check_plan", "ok", {"reviewing": True, "reviewers": []}, "approve_plan"),
        ("check_plan", "replan", {}, "draft"),
        ("check_plan", "replan", {"returned": 1}, "resolve_plan"),
        ("check_plan", "unreadable", {}, "resolve_plan"),
        ("approve_plan", "approved", {}, "audit"),
        ("approve_plan", "approved", {"sound": True}, "open_wave"),
        ("approve_plan", "approved", {"reviewers": []}, "open_wave"),
        ("judge_review", "approved", {"consented": True}, "open_wave"),
        ("judge_review", "approved", {}, "approve_plan"),
        ("judge_review", "again", {}, "audit"),
        ("judge_review", "again", {"rehearsed": True}, "rehearse"),
        ("resolve_plan", "proceed", {"fit": True}, "open_wave"),
        ("resolve_plan", "proceed", {"fit": False}, "draft"),
        ("open_wave", "ask", {"approvals": [{"high_risk": True}]}, "approve_risk"),
        ("open_wave", "finished", {}, "remember"),
        ("open_wave", "finished", {"plan": good_plan(complexity_tier="LARGE"), "touched": ["x"]}, "final_review"),
        ("approve_risk", "approved", {"approvals": [{"high_risk": True}, {}]}, "approve_wave"),
        ("approve_wave", "approved", {"approvals": [{}]}, "run_wave"),
        ("close_wave", "more", {}, "run_wave"),
        ("close_wave", "replan", {}, "draft"),
        ("close_wave", "replan", {"replans": 1}, "resolve_wave"),
        ("judge_final", "again", {"final_asked": True}, "resolve_final"),
        ("approve_completion", "draft", {}, "draft"),
    ],
)
def test_a_run_goes_where_its_rules_say(step: str, outcome: str, members: dict[str, Any], to: str) -> None:
    assert after(step, outcome, **members).step == to


def test_no_approval_survives_a_new_draft() -> None:
    at = after("close_wave", "replan", consented=True, sound=True, fit=True, approvals=[{}], wave=2)
    assert (at.consented, at.sound, at.fit, at.approvals, at.wave) == (False, False, False, [], 0)


def test_a_stopped_run_is_blocked_and_goes_on_where_it_was_when_sent_on() -> None:
    at = after("summarise", "ok", stopped=True, consented=True)
    assert (at.status, at.stop) == (Status.BLOCKED, "stopped")
    moments.sent_on(at)
    assert (at.step, at.stopped) == ("open_wave", False)


def test_a_stop_before_there_is_a_plan_is_a_stop() -> None:
    assert after("resolve_plan", "stop", plan={}).stop == "stopped"


def test_a_plan_that_changed_is_read_again_and_finished_phases_are_kept() -> None:
    ended = {"1": {"result": "complete", "changed": ["a"], "transient": False, "lessons": [], "review": {}, "summary": "", "ran": {}, "why": "", "taught": [], "facts": []}}
    at = GovernedRun(step="approve_plan", plan=good_plan(), todos=[[1, "Phase 1 — Piece 1", False]], ended=ended, sent={"x": 1})
    moments.set_back(at)
    assert (at.step, at.complete, at.sent, at.touched) == ("check_plan", [1], {}, ["a"])


def test_todos_follow_the_documents() -> None:
    at = GovernedRun(step="open_wave", plan=good_plan(), todos=[[1, "Phase 1 — Piece 1", True]], complete=[1])
    assert moments.reconcile(at, lambda _: "## Phase 1 Complete: Piece 1\n") == ()
    assert moments.reconcile(at, lambda _: None) == ("Phase 1 — Piece 1: unmarked, nothing shows that it is done",)
    assert at.complete == []


def in_phase(step: str, outcome: str, reason: str = "", stop: str = "", **members: Any) -> Any:
    return advance(PHASE, PhaseRun(step=step, plan=good_plan(), **members), outcome, {}, reason, stop)


@pytest.mark.parametrize(
    ("step", "outcome", "members", "to", "result"),
    [
        ("preflect", "REPLAN", {}, "done", "replan"),
        ("preflect", "ABSTAIN", {}, "done", "escalated"),
        ("execute", "high_risk", {"hazards": [["rm_rf", "x"]]}, "accept_risk", ""),
        ("execute", "high_risk", {"hazards": [["rm_rf", "x"]], "granted": True}, "done", "escalated"),
        ("clarify", "stop", {}, "done", "escalated"),
        ("evidence", "pass", {"reviewed": False}, "mark", ""),
        ("review", "again", {}, "review", ""),
        ("review", "again", {"asked_again": True}, "done", "escalated"),
        ("mark", "complete", {}, "done", "complete"),
        ("route", "replan", {}, "done", "replan"),
    ],
)
def test_a_phase_goes_where_its_rules_say(step: str, outcome: str, members: dict[str, Any], to: str, result: str) -> None:
    at = in_phase(step, outcome, **members)
    assert (at.step, at.result) == (to, result)


@pytest.mark.parametrize(("stop", "kind"), [("contract", "fixable"), ("validation", "fixable"), ("verification", "transient"), ("agent_failed", "transient")])
def test_why_a_dispatch_gave_up_decides_its_class(stop: str, kind: str) -> None:
    assert in_phase("execute", "fail", "it broke", stop).failing == [kind, "it broke"]
