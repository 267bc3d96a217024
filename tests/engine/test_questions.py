"""An agent's question reaches a person as a gate, a bounded number of times, and costs no budget
of failures.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.test_services import World

from podium.agents.protocol import Answer, Failure, Question
from podium.core.run import Status
from podium.engine import questions

WHICH = Question(
    "Which words?", (("all", "every word"), ("new", "only new ones")), recommended="all"
)


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = World.at(tmp_path)
    made.agent.acts["plan"] = [lambda _: Answer(question=WHICH)]
    return made


def test_the_run_rests_with_a_question_gate(world: World) -> None:
    ended = world.go()
    assert (ended.exit_code, ended.stop, ended.gates) == (10, "question", ("plan/question-1",))
    (opened,) = world.events("gate.opened")
    assert (opened["kind"], opened["choices"], opened["subject"]) == (
        "question",
        ["all", "new"],
        {},
    )


def test_the_person_sees_the_question_its_choices_and_what_is_recommended(world: World) -> None:
    assert (
        world.go().reason
        == "Which words?\n  all: every word\n  new: only new ones\n  recommended: all"
    )


def test_without_an_answer_nobody_is_asked_again(world: World) -> None:
    world.go()
    assert world.go().gates == ("plan/question-1",)
    assert len(world.agent.jobs) == 1
    with world.session() as session:
        held = questions.pending(session, "plan")
    assert held is not None
    assert held.gates == ("plan/question-1",)


def test_an_answer_lets_the_same_step_go_on(world: World) -> None:
    world.go()
    world.decide("new", gate="plan/question-1")
    assert world.go().gates == ("approve",)
    assert [each.brief.key for each in world.agent.jobs] == ["plan", "plan"]
    with world.session() as session:
        assert questions.pending(session, "plan") is None


def test_a_question_of_another_step_holds_nobody_up(world: World) -> None:
    world.go()
    with world.session() as session:
        assert questions.pending(session, "plan/2") is None
        assert questions.pending(session, "pla") is None


def test_a_question_uses_up_no_repair(world: World) -> None:
    world.agent.acts["plan"].append(lambda _: Answer("nothing written"))
    world.go()
    world.decide("all", gate="plan/question-1")
    assert world.go().gates == ("approve",)
    assert len(world.agent.jobs) == 3


def test_three_questions_are_answered_and_the_fourth_is_an_unclear_task(world: World) -> None:
    world.agent.acts["plan"] = [lambda _: Answer(question=WHICH)] * 4
    for number in (1, 2, 3):
        assert world.go().gates == (f"plan/question-{number}",)
        world.decide("all", gate=f"plan/question-{number}")
    ended = world.go()
    assert (ended.status, ended.stop, ended.exit_code) == (Status.BLOCKED, "unclear", 20)
    assert "still asking after 3 answers: Which words?" in ended.reason
    (over,) = world.events("step.finished")
    assert (over["key"], over["outcome"], over["stop"]) == ("plan", "fail", "unclear")
    assert over["usage"]["seconds"] >= 0


def test_the_dispatch_with_the_fourth_question_counts_and_the_run_goes_on_when_a_person_says_so(
    world: World,
) -> None:
    world.agent.acts["plan"] = [lambda _: Answer(question=WHICH)] * 4
    for number in (1, 2, 3):
        world.go()
        world.decide("all", gate=f"plan/question-{number}")
    world.go()
    with world.session() as session:
        assert session.history.dispatches() == 4
    assert world.go(because="all words").gates == ("approve",)


def test_an_agent_at_a_prompt_is_parked_and_answerable(tmp_path: Path) -> None:
    world = World.at(tmp_path)
    world.agent.acts["plan"] = [
        lambda _: Answer(failure=Failure("parked", "May I delete everything?"))
    ]
    ended = world.go()
    assert (ended.exit_code, ended.stop, ended.gates, ended.reason) == (
        10,
        "parked",
        ("plan/parked-1",),
        "May I delete everything?",
    )
    assert world.events("gate.opened")[0]["choices"] == ["again"]
    world.decide("again", "no, and go on", gate="plan/parked-1")
    assert world.go().gates == ("approve",)
    assert world.agent.jobs[1].resumed == "no, and go on"
    assert world.agent.jobs[0].resumed == ""


def test_answered_prompts_use_up_no_question(tmp_path: Path) -> None:
    world = World.at(tmp_path)
    parked = Answer(failure=Failure("parked", "May I go on?"))
    world.agent.acts["plan"] = [*[lambda _: parked] * 3, *[lambda _: Answer(question=WHICH)] * 4]
    for gate in ("parked-1", "parked-2", "parked-3", "question-4", "question-5", "question-6"):
        assert world.go().gates == (f"plan/{gate}",)
        world.decide("again" if gate.startswith("parked") else "all", gate=f"plan/{gate}")
    assert world.go().stop == "unclear"


def test_what_the_step_had_done_wrong_is_recorded_with_the_question(tmp_path: Path) -> None:
    world = World.at(tmp_path)
    world.agent.acts["plan"] = [lambda _: Answer(question=WHICH)]
    world.go()
    (scheduled,) = world.events("retry.scheduled")
    assert (scheduled["classification"], scheduled["limit"]) == ("needs_input", questions.MOST)
