"""One outcome moves one run one step, and never touches the run it was given."""

from __future__ import annotations

import copy
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fakes.workflows import Sample, SampleRun, stage

from podium.core.advance import UndeclaredExit, advance, blocked, entered, resting, unblocked
from podium.core.effects import Gate
from podium.core.errors import Blocked
from podium.core.run import DONE, RESTING, Run, Status
from podium.core.workflow import Workflow, step


def at(name: str, **members: Any) -> SampleRun:
    return SampleRun(step=name, visits={name: 1}, **members)


@pytest.mark.parametrize(
    ("run", "outcome", "target", "remediations"),
    [
        (at("planning"), "ok", "approve_build", 0),
        (at("approve_build"), "approved", "build", 0),
        (at("approve_build"), "rejected", "planning", 0),
        (at("build"), "ok", "qa", 0),
        (at("qa"), "ok", DONE, 0),
        (at("qa"), "revise", "build", 1),
        (at("qa", remediations=1), "revise", "build", 2),
        (at("qa", remediations=2), "ok", DONE, 2),
    ],
)
def test_an_outcome_leads_where_the_route_says(
    run: SampleRun, outcome: str, target: str, remediations: int
) -> None:
    after = advance(Sample(), run, outcome)
    assert (after.step, after.remediations) == (target, remediations)  # type: ignore[attr-defined]
    assert after.status is (Status.COMPLETE if target == DONE else Status.ACTIVE)


def test_a_route_that_blocks_stops_the_run_there_with_nothing_else_changed() -> None:
    after = advance(Sample(), at("qa", remediations=2), "revise")
    assert after == at(
        "qa",
        remediations=2,
        status=Status.BLOCKED,
        reason="QA remediation retry limit reached",
        stop="rule",
    )


def test_what_a_result_fixed_stays_known_where_the_route_blocks() -> None:
    after = advance(
        Sample(), at("qa", remediations=2), "revise", {"note": "two tests fail", "stop": "x"}
    )
    assert (after.status, after.note, after.stop) == (Status.BLOCKED, "two tests fail", "rule")


def test_a_route_that_changes_the_run_and_then_blocks_leaves_no_trace_of_the_change() -> None:
    class Halfway(Workflow):
        start = "work"
        run_type = SampleRun

        @step(stage("a"))
        def work(self, run: SampleRun, outcome: Literal["ok"]) -> Literal["done"]:
            run.remediations = 99
            raise Blocked("half way", "budget")

    after = advance(Halfway(), at("work"), "ok")
    assert (after.remediations, after.stop) == (0, "budget")  # type: ignore[attr-defined]


def test_an_outcome_nobody_declared_blocks_with_a_reason() -> None:
    after = advance(Sample(), at("build"), "fail")
    assert (after.step, after.status, after.reason) == (
        "build",
        Status.BLOCKED,
        "build ended with fail",
    )
    assert after.stop
    assert (
        advance(Sample(), at("build"), "fail", reason="the agent crashed").reason
        == "the agent crashed"
    )


def test_a_route_to_where_its_signature_does_not_say_is_a_fault_of_the_workflow() -> None:
    class Liar(Workflow):
        start = "work"

        @step(stage("a"))
        def work(self, run: Run, outcome: Literal["ok"]) -> Literal["done"]:
            return "work"  # type: ignore[return-value]

    with pytest.raises(UndeclaredExit, match="work routed to undeclared 'work'"):
        advance(Liar(), Run(step="work"), "ok")


def test_members_a_result_fixes_are_there_before_the_route_is_asked() -> None:
    after = advance(Sample(), at("qa"), "revise", sets={"remediations": 1})
    assert after.remediations == 2  # type: ignore[attr-defined]
    with pytest.raises(AssertionError, match="unknown member 'remediation'"):
        advance(Sample(), at("qa"), "revise", sets={"remediation": 1})
    with pytest.raises(AssertionError, match="unknown member 'remediation'"):
        advance(Sample(), at("qa"), "nobody declared this", sets={"remediation": 1})


def test_a_note_lasts_until_the_work_it_was_for_is_done() -> None:
    noted = at("approve_build", note="use the new parser")
    rejected = advance(Sample(), noted, "rejected")
    assert rejected.note == "use the new parser"
    assert advance(Sample(), rejected, "ok").note == ""


def test_entering_a_step_opens_a_visit_and_resting_stays_in_it() -> None:
    run = entered(entered(at("build"), "qa"), "build")
    assert run.visits == {"build": 2, "qa": 1}
    assert run.visit() == 2
    assert blocked(run, "stop").visits == run.visits
    assert entered(run, DONE).visits == run.visits


def test_going_on_clears_why_the_run_rested() -> None:
    paused = resting(at("build"), Status.WAITING, "a person must decide", "gate")
    assert (paused.reason, paused.stop) == ("a person must decide", "gate")
    assert entered(paused, "build") == at("build")


def test_a_blocked_run_that_is_sent_on_gets_a_new_visit_and_what_the_workflow_gives_back() -> None:
    class Forgiving(Sample):
        def unblocked(self, run: Run) -> None:
            assert isinstance(run, SampleRun)
            run.remediations = 0

    stopped = advance(Forgiving(), at("qa", remediations=2), "revise")
    again = unblocked(Forgiving(), stopped)
    assert again == at("qa", remediations=0)
    assert again.visit() == 2


@given(
    st.lists(
        st.sampled_from(["ok", "revise", "approved", "rejected", "fail", "nonsense"]), max_size=25
    )
)
def test_no_story_changes_a_run_in_place_or_leaves_the_workflow(outcomes: list[str]) -> None:
    run = Sample().first()
    for outcome in outcomes:
        if run.status in RESTING:
            break
        before = copy.deepcopy(run)
        after = advance(Sample(), run, outcome)
        assert (run, run.visits) == (before, before.visits)
        assert after.step in {*Sample.steps, DONE}
        assert (after.step == DONE) == (after.status is Status.COMPLETE)
        run = after


def test_a_gate_keeps_the_note_whatever_is_decided() -> None:
    assert isinstance(Sample.steps["approve_build"].effect, Gate)
    assert advance(Sample(), at("approve_build", note="fine"), "approved").note == "fine"
