"""What people decide from outside: without a running engine, once, and only what the gate
offers.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.engine.test_services import RUN, World

from podium.agents.protocol import Answer, Failure, Question
from podium.core import events
from podium.core.errors import UsageError
from podium.core.records import GateRecord
from podium.core.run import Status
from podium.engine import decisions

APPROVED = {"decision": "approved", "by": "Ada", "note": ""}


def gate(
    key: str = "approve",
    kind: str = "approval",
    choices: tuple[str, ...] = ("approved", "plan"),
    words: bool = False,
) -> GateRecord:
    return GateRecord(key, "approve", kind, "?", choices, {}, "", 1, words)


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A run that waits at its gate."""
    made = World.at(tmp_path)
    made.go()
    return made


def waiting(world: World) -> GateRecord:
    with world.session() as session:
        return session.history.gates["approve"]


def rewind(world: World, to: str) -> list[str]:
    return decisions.rewind(world.services, world.workflow, RUN, to, restore_code=False, by="Ada")


def everything(world: World) -> dict[str, bytes]:
    """Every file of the project and of its runs; the lock says who owned the run last."""
    return {
        str(each): each.read_bytes() for each in world.services.project.rglob("*") if each.is_file()
    }


# -- which gate


def test_one_open_gate_needs_no_name() -> None:
    assert decisions.open_gate(RUN, [gate()], "", question=False).key == "approve"


def test_of_several_gates_one_must_be_named() -> None:
    both = [gate("a"), gate("b/2")]
    with pytest.raises(UsageError, match="several open gates, name one with --gate: a, b/2"):
        decisions.open_gate(RUN, both, "", question=False)
    assert decisions.open_gate(RUN, both, "b", question=False).key == "b/2"


@pytest.mark.parametrize("wanted", ["", "approve"])
def test_a_gate_that_is_not_open_is_not_decided(wanted: str) -> None:
    with pytest.raises(UsageError, match="has no open gate"):
        decisions.open_gate(RUN, [], wanted, question=False)


@pytest.mark.parametrize(
    ("kind", "question"),
    [("approval", True), ("high_risk", True), ("question", False), ("drift", False)],
)
def test_a_question_is_answered_and_an_approval_approved(kind: str, question: bool) -> None:
    with pytest.raises(UsageError, match=f"kind: {kind}"):
        decisions.open_gate(
            RUN, [gate(kind=kind, choices=("keep", "restore"))], "", question=question
        )


@pytest.mark.parametrize("question", [True, False])
def test_an_edit_that_can_be_approved_is_decided_either_way(question: bool) -> None:
    edited = gate(kind="drift", choices=("approved", "restart"))
    assert decisions.open_gate(RUN, [edited], "", question=question) is edited


@pytest.mark.parametrize("kind", ["approval", "high_risk"])
def test_a_choice_that_an_approval_offers_may_be_given_as_an_answer(kind: str) -> None:
    assert (
        decisions.open_gate(RUN, [gate(kind=kind)], "", question=True, choice="plan").key
        == "approve"
    )
    assert decisions.answer(gate(kind=kind), "plan", "") == "plan"


# -- what may be said


@pytest.mark.parametrize(
    ("to", "step"), [("", "rejected"), ("plan", "plan"), ("PLAN", "plan"), ("Planning", "plan")]
)
def test_a_rejection_names_a_stage_as_people_call_it(world: World, to: str, step: str) -> None:
    assert decisions.rejection(world.workflow, gate(), to) == step


@pytest.mark.parametrize("to", ["report", "approved", "approve", "nowhere"])
def test_a_rejection_cannot_go_where_the_gate_does_not_lead(world: World, to: str) -> None:
    with pytest.raises(UsageError, match=f"cannot send back to '{to}'; it can to: Planning"):
        decisions.rejection(world.workflow, gate(), to)


def test_an_answer_is_a_choice_or_words() -> None:
    question = gate(kind="question", choices=("a", "b"), words=True)
    assert decisions.answer(question, "b", "") == "b"
    assert decisions.answer(question, "", "something else") == "answered"
    with pytest.raises(UsageError, match="choose one of: a, b"):
        decisions.answer(question, "c", "")
    with pytest.raises(UsageError, match="needs --choice ID or --text TEXT"):
        decisions.answer(question, "", "")


@pytest.mark.parametrize("text", ["", "please stash it", "a"])
@pytest.mark.parametrize("kind", ["question", "drift"])
def test_words_answer_nothing_where_only_the_choices_lead_on(kind: str, text: str) -> None:
    fixed = gate(kind=kind, choices=("a", "b"))
    with pytest.raises(UsageError, match="is not answered in words; choose one of: a, b"):
        decisions.answer(fixed, "", text)
    assert decisions.answer(fixed, "a", text) == "a"


def test_a_choice_may_be_given_in_the_words_of_the_question() -> None:
    question = replace(
        gate(kind="question", choices=("stash", "commit", "carry")),
        prompt="What now: stash, commit first, or carry along (no change)?",
    )
    assert decisions.answer(question, "commit first", "") == "commit"
    assert decisions.answer(question, "carry along", "") == "carry"
    for wrong in ("commit never", "first", "commit firstly", "what now"):
        with pytest.raises(UsageError, match="choose one of: stash, commit, carry"):
            decisions.answer(question, wrong, "")


# -- leaving a decision


def test_a_decision_is_recorded_at_once_where_nobody_drives_the_run(world: World) -> None:
    assert decisions.post(world.services, world.workflow, RUN, waiting(world), APPROVED) == []
    assert [each["by"] for each in world.events("gate.decided")] == ["Ada"]
    assert len(world.agent.jobs) == 1


def test_a_decision_is_left_in_the_inbox_where_somebody_drives_the_run(world: World) -> None:
    with world.session() as session:
        decisions.post(
            world.services, world.workflow, RUN, session.history.gates["approve"], APPROVED
        )
        assert world.events("gate.decided") == []
    assert world.go().exit_code == 0


def test_a_gate_is_decided_once(world: World) -> None:
    record = waiting(world)
    decisions.post(world.services, world.workflow, RUN, record, APPROVED)
    with pytest.raises(UsageError, match="has already been decided"):
        decisions.post(
            world.services, world.workflow, RUN, record, {**APPROVED, "decision": "rejected"}
        )
    assert [each["decision"] for each in world.events("gate.decided")] == ["approved"]


def test_a_decision_is_about_the_files_as_they_are_and_says_which_have_moved(world: World) -> None:
    record = waiting(world)
    world.write("docs/plan.md", "by hand")
    assert decisions.post(world.services, world.workflow, RUN, record, APPROVED) == ["docs/plan.md"]
    assert world.go().exit_code == 0
    assert world.text("docs/report.md").endswith("by hand")


# -- rewinding


def test_rewinding_marks_a_step_and_all_that_followed_stale_and_runs_nothing(
    tmp_path: Path,
) -> None:
    world = World.at(tmp_path, approve_all="Ada")
    world.go()
    assert rewind(world, "plan") == ["plan", "approve", "report"]
    assert [each["key"] for each in world.events("step.stale")] == ["plan", "report"]
    assert [each["key"] for each in world.events("gate.stale")] == ["approve"]
    assert len(world.agent.jobs) == 2


def test_what_was_rewound_runs_again_under_new_keys(tmp_path: Path) -> None:
    world = World.at(tmp_path, approve_all="Ada")
    world.go()
    rewind(world, "plan")
    assert world.go().exit_code == 0
    assert [each.brief.key for each in world.agent.jobs] == ["plan", "report", "plan/2", "report/2"]


def test_rewinding_to_the_middle_leaves_what_came_before(tmp_path: Path) -> None:
    world = World.at(tmp_path, approve_all="Ada")
    world.go()
    assert rewind(world, "report") == ["report"]
    world.go()
    assert [each.brief.key for each in world.agent.jobs] == ["plan", "report", "report/2"]


def test_rewinding_to_a_gate_asks_for_its_decision_again(tmp_path: Path) -> None:
    world = World.at(tmp_path, approve_all="Ada")
    world.go()
    rewind(world, "approve")
    world.changes.clear()
    assert world.go().gates == ("approve",)


def test_a_step_in_which_the_run_is_blocked_can_be_taken_up_again(tmp_path: Path) -> None:
    world = World.at(tmp_path)
    world.agent.acts["plan"] = [lambda _: Answer(failure=Failure("crash", "exit 1"))]
    world.go()
    assert rewind(world, "plan") == ["plan"]
    assert world.go().gates == ("approve",)


def test_a_step_that_was_not_done_cannot_be_rewound_to(world: World) -> None:
    with pytest.raises(
        UsageError, match="'report' is not a step that this run has taken; it took: plan"
    ):
        rewind(world, "report")


def test_a_rewind_that_is_refused_writes_nothing(world: World) -> None:
    before = everything(world)
    with pytest.raises(UsageError, match="is not a step that this run has taken"):
        rewind(world, "report")
    assert everything(world) == before


def test_who_rewound_is_recorded(world: World) -> None:
    rewind(world, "plan")
    assert world.events("run.edited")[0]["changes"] == ["rewound to plan by Ada"]


# -- cancelling


def test_cancelling_ends_the_run_and_says_why(world: World) -> None:
    decisions.cancel(world.services, world.workflow, RUN, "enough (by Ada)")
    assert world.events("run.cancelled")[0]["reason"] == "enough (by Ada)"
    ended = world.go()
    assert (ended.status, ended.exit_code) == (Status.CANCELLED, 30)


def test_an_open_gate_of_a_cancelled_run_is_void(world: World) -> None:
    decisions.cancel(world.services, world.workflow, RUN, "enough")
    with world.session() as session:
        assert session.history.open_gates() == []


def test_what_has_ended_cannot_be_cancelled(tmp_path: Path) -> None:
    world = World.at(tmp_path, approve_all="Ada")
    world.go()
    with pytest.raises(UsageError, match="has already ended: complete"):
        decisions.cancel(world.services, world.workflow, RUN, "too late")


def test_a_cancel_that_is_refused_writes_nothing(tmp_path: Path) -> None:
    world = World.at(tmp_path, approve_all="Ada")
    world.go()
    before = everything(world)
    with pytest.raises(UsageError, match="has already ended: complete"):
        decisions.cancel(world.services, world.workflow, RUN, "too late")
    assert everything(world) == before


def test_a_second_cancel_writes_nothing_though_an_agent_was_at_work_at_the_first(
    world: World,
) -> None:
    with world.session() as session:
        session.append(events.step_started("report", "report", "dispatch", "reporter", 1, {}))
    decisions.cancel(world.services, world.workflow, RUN, "enough")
    before = everything(world)
    with pytest.raises(UsageError, match="has already ended: cancelled"):
        decisions.cancel(world.services, world.workflow, RUN, "enough")
    assert everything(world) == before


def test_what_an_ended_run_left_is_taken_away_by_a_cancel_that_is_refused(tmp_path: Path) -> None:
    world = World.at(tmp_path, approve_all="Ada")
    world.go()
    (tmp_path / "views" / RUN / "plan").mkdir(parents=True)
    with pytest.raises(UsageError, match="has already ended: complete"):
        decisions.cancel(world.services, world.workflow, RUN, "too late")
    assert not (tmp_path / "views" / RUN).exists()


def test_the_views_of_a_cancelled_run_are_gone(tmp_path: Path) -> None:
    world = World.at(tmp_path)
    world.agent.acts["plan"] = [lambda _: Answer(question=Question("?"))]
    world.go()
    decisions.cancel(world.services, world.workflow, RUN, "enough")
    assert not (tmp_path / "views" / RUN).exists()
