"""A blocked run goes on when a person changed something that matters, and says what; else it
stays.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from tests.engine.test_services import World

from podium.agents.protocol import Answer, Failure
from podium.core.effects import Check
from podium.core.run import Run, Status
from podium.core.verdict import Judgement
from podium.core.workflow import Workflow, step
from podium.engine.changes import since_blocked


def crash(_: object) -> Answer:
    return Answer(failure=Failure("crash", "exit 1"))


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Blocked in its first step."""
    made = World.at(tmp_path)
    made.agent.acts["plan"] = [crash]
    assert made.go().status is Status.BLOCKED
    return made


def why(world: World, *, given: bool = False, touched: bool = False) -> str:
    with world.session() as session:
        return since_blocked(session, given=given, touched=touched)


def test_nothing_changed_is_no_reason(world: World) -> None:
    assert why(world) == ""
    ended = world.go()
    assert (ended.exit_code, len(world.agent.jobs)) == (20, 1)
    assert ended.advice[0] == "nothing has changed since it was blocked"


def test_an_edit_of_the_state_is_a_reason(world: World) -> None:
    assert why(world, touched=True) == "its state was edited"


def test_new_agents_or_policy_are_a_reason(world: World) -> None:
    assert why(world, given=True) == "new policy or agents were given"


@pytest.mark.parametrize("path", ["task.md", "style.md"])
def test_an_input_of_the_step_that_was_edited_is_a_reason(world: World, path: str) -> None:
    world.write(path, "another")
    assert why(world) in {f"{path} was edited", "a file it stands on was edited"}
    assert world.go().gates == ("approve",)
    assert len(world.agent.jobs) == 2


def test_a_step_that_goes_on_after_an_edit_is_its_second_run(world: World) -> None:
    world.write("task.md", "another")
    world.go()
    assert [each.brief.key for each in world.agent.jobs] == ["plan", "plan/2"]


def test_an_edit_of_what_the_step_does_not_read_is_none(world: World) -> None:
    world.write("hint.md", "another")
    assert why(world) == ""


def test_changed_commands_are_a_reason(world: World) -> None:
    world.changes["commands"] = {"test": "make test"}
    assert why(world) == "its commands were changed"


def test_a_file_that_an_earlier_step_stands_on_is_a_reason(tmp_path: Path) -> None:
    world = World.at(tmp_path, approve_all="Ada")
    world.agent.acts["report"] = [crash]
    world.go()
    world.write("task.md", "count lines")
    assert why(world) == "a file it stands on was edited"


def test_an_input_that_was_missing_and_is_there_now_is_a_reason(tmp_path: Path) -> None:
    world = World.at(tmp_path)
    (world.root / "style.md").unlink()
    ended = world.go()
    assert (ended.status, ended.stop) == (Status.BLOCKED, "contract")
    assert "style.md is missing" in ended.reason
    assert why(world) == ""
    world.write("style.md", "short")
    assert why(world) == "its inputs are there now"
    assert world.go().gates == ("approve",)


def test_a_persons_word_is_reason_enough_and_goes_with_the_step(world: World) -> None:
    assert world.go(because="the network is back").gates == ("approve",)
    assert "the network is back" in world.agent.jobs[-1].prompt
    assert world.agent.jobs[-1].brief.key == "plan/2"
    assert world.events("run.resumed")[-1]["reason"] == "the network is back"


class Looking(Workflow):
    """A check that stops unless a file says so, and leaves a note in it."""

    name = "looking"
    start = "look"

    @step(
        Check(
            "the file",
            reads=lambda _: ["said.txt"],
            decide=lambda _run, texts, _found: (
                Judgement("ok")
                if texts["said.txt"] == "go"
                else Judgement("fail", "no", writes={"said.txt": "not yet"})
            ),
        ),
        loops=True,
    )
    def look(self, run: Run, outcome: Literal["ok"]) -> Literal["done"]:
        return "done"


def test_a_check_that_stopped_goes_on_once_a_person_edits_what_it_read(tmp_path: Path) -> None:
    world = World.at(tmp_path, Looking())
    world.write("said.txt", "stop")
    assert world.go().status is Status.BLOCKED
    assert world.text("said.txt") == "not yet"
    assert why(world) == ""  # what it wrote itself is nobody's edit
    world.write("said.txt", "go")
    assert why(world) == "said.txt was edited"
    assert world.go().status is Status.COMPLETE
