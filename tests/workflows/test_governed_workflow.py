"""Routes of a governed run and of a phase, one by one, without an engine."""

from __future__ import annotations

from typing import Any

import pytest

from podium.core.advance import advance
from podium.core.effects import Check, FanOut
from podium.core.run import Status
from podium.workflows.governed import closing, moments
from podium.workflows.governed.payloads.good import good_plan
from podium.workflows.governed.phase_workflow import PhaseWork
from podium.workflows.governed.policy.policy import DEFAULT
from podium.workflows.governed.run import GovernedRun, PhaseRun
from podium.workflows.governed.workflow import Governed

RUN, PHASE = Governed(DEFAULT), PhaseWork(DEFAULT)
TRACE = "7c0e3b52-4a3f-4a53-9f0c-0c5b0a4f7d11"


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
        (
            "open_wave",
            "finished",
            {"plan": good_plan(complexity_tier="LARGE"), "touched": ["x"]},
            "final_review",
        ),
        ("approve_risk", "approved", {"approvals": [{"high_risk": True}, {}]}, "approve_wave"),
        ("approve_wave", "approved", {"approvals": [{}]}, "run_wave"),
        ("close_wave", "more", {}, "run_wave"),
        ("close_wave", "replan", {}, "draft"),
        ("close_wave", "replan", {"replans": 1}, "draft"),
        ("close_wave", "escalated", {}, "resolve_wave"),
        ("judge_final", "again", {"final_asked": True}, "resolve_final"),
        ("approve_completion", "draft", {}, "draft"),
    ],
)
def test_a_run_goes_where_its_rules_say(
    step: str, outcome: str, members: dict[str, Any], to: str
) -> None:
    assert after(step, outcome, **members).step == to


@pytest.mark.parametrize(
    ("outcome", "kept"), [("retry", {}), ("replan", {}), ("stop", {"1": [["fixable", "x"]]})]
)
def test_a_person_who_lets_a_phase_go_on_gives_it_fresh_budgets(outcome: str, kept: Any) -> None:
    assert after("resolve_wave", outcome, failed={"1": [["fixable", "x"]]}).failed == kept


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
    ended = {
        "1": {
            "result": "complete",
            "changed": ["a"],
            "transient": False,
            "lessons": [],
            "review": {},
            "summary": "",
            "ran": {},
            "why": "",
            "taught": [],
            "facts": [],
        }
    }
    at = GovernedRun(
        step="approve_plan",
        plan=good_plan(),
        todos=[[1, "Phase 1 — Piece 1", False]],
        ended=ended,
        sent={"x": 1},
    )
    moments.set_back(at)
    assert (at.step, at.complete, at.sent, at.touched) == ("check_plan", [1], {}, ["a"])


def test_todos_follow_the_documents() -> None:
    at = GovernedRun(
        step="open_wave", plan=good_plan(), todos=[[1, "Phase 1 — Piece 1", True]], complete=[1]
    )
    assert moments.reconcile(at, lambda _: "## Phase 1 Complete: Piece 1\n") == ()
    assert moments.reconcile(at, lambda _: None) == (
        "Phase 1 — Piece 1: unmarked, nothing shows that it is done",
    )
    assert at.complete == []


@pytest.mark.parametrize(
    ("step", "to"),
    [
        ("approve_wave", "open_wave"),
        ("run_wave", "open_wave"),
        ("close_wave", "close_wave"),
        ("resolve_wave", "resolve_wave"),
        ("approve_completion", "open_wave"),
        ("draft", "draft"),
    ],
)
def test_a_run_whose_phase_is_open_again_goes_back_to_the_lowest_open_wave(
    step: str, to: str
) -> None:
    at = GovernedRun(
        step=step,
        plan=good_plan(),
        todos=[[1, "Phase 1 — Piece 1", True]],
        complete=[1],
        wave=2,
        approvals=[{}],
    )
    assert moments.reconcile(at, lambda _: None)
    assert (at.step, at.approvals) == (to, [] if to == "open_wave" else [{}])


def test_a_wave_is_not_gone_on_with_while_an_earlier_one_is_open() -> None:
    two = good_plan(phases=[{}, {"wave": 2}, {"wave": 2}])
    todos = [[number, f"Phase {number} — Piece {number}", False] for number in (1, 2, 3)]
    ended = {
        "2": {
            "result": "complete",
            "changed": [],
            "transient": False,
            "lessons": [],
            "taught": [],
            "facts": [],
            "why": "",
        }
    }
    at = GovernedRun(
        step="close_wave",
        plan=two,
        trace_id=TRACE,
        waves=[[1], [2, 3]],
        wave=2,
        todos=todos,
        ended=ended,
    )
    assert closing.close_wave(at, {}, [], DEFAULT).classification == "next"
    at.complete = [1]
    assert closing.close_wave(at, {}, [], DEFAULT).classification == "more"


def test_an_executor_is_not_asked_while_a_todo_of_an_earlier_wave_is_not_marked() -> None:
    two = good_plan(phases=[{}, {}, {"wave": 2}])
    at = GovernedRun(
        step="run_wave",
        plan=two,
        trace_id=TRACE,
        waves=[[1, 2], [3]],
        wave=2,
        complete=[1, 2],
        todos=[
            [1, "Phase 1 — Piece 1", True],
            [2, "Phase 2 — Piece 2", False],
            [3, "Phase 3 — Piece 3", False],
        ],
    )
    effect = RUN.steps["run_wave"].effect
    assert isinstance(effect, FanOut)
    (child,) = effect.items(at)
    check = PHASE.steps["preflect"].effect
    assert isinstance(check, Check)
    found = check.decide(PHASE.first(**child.members), {}, [])
    assert (found.classification, found.reason) == ("ABSTAIN", "Phase 2 — Piece 2 is not marked")


def in_phase(step: str, outcome: str, reason: str = "", stop: str = "", **members: Any) -> Any:
    return advance(
        PHASE, PhaseRun(step=step, plan=good_plan(), **members), outcome, {}, reason, stop
    )


@pytest.mark.parametrize(
    ("step", "outcome", "members", "to", "result"),
    [
        ("preflect", "REPLAN", {}, "done", "replan"),
        ("preflect", "ABSTAIN", {}, "done", "escalated"),
        ("execute", "high_risk", {"hazards": [["rm_rf", "x"]]}, "accept_risk", ""),
        (
            "execute",
            "high_risk",
            {"hazards": [["rm_rf", "x"]], "granted": True},
            "done",
            "escalated",
        ),
        ("clarify", "stop", {}, "done", "escalated"),
        ("evidence", "pass", {"reviewed": False}, "mark", ""),
        ("review", "again", {}, "review", ""),
        ("review", "again", {"asked_again": True}, "done", "escalated"),
        ("mark", "complete", {}, "done", "complete"),
        ("route", "replan", {}, "done", "replan"),
    ],
)
def test_a_phase_goes_where_its_rules_say(
    step: str, outcome: str, members: dict[str, Any], to: str, result: str
) -> None:
    at = in_phase(step, outcome, **members)
    assert (at.step, at.result) == (to, result)


@pytest.mark.parametrize(
    ("stop", "kind"),
    [
        ("contract", "fixable"),
        ("validation", "fixable"),
        ("verification", "transient"),
        ("agent_failed", "transient"),
    ],
)
def test_why_a_dispatch_gave_up_decides_its_class(stop: str, kind: str) -> None:
    assert in_phase("execute", "fail", "it broke", stop).failing == [kind, "it broke"]
