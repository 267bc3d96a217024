"""What a step used must be what it was: else the step and all that came after it happen again."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Literal

import pytest
from tests.engine.test_services import Papers, World

from podium.core.contract import Contract, Input, Output
from podium.core.digest import digest
from podium.core.effects import Gate, Stage
from podium.core.run import Run, Status
from podium.core.workflow import Workflow, step
from podium.engine import staleness
from podium.engine.staleness import Stale


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Planned and approved; the report is next."""
    made = World.at(tmp_path)
    made.go()
    made.decide()
    with made.session():
        pass
    return made


def stale(world: World) -> list[Stale]:
    with world.session() as session:
        return staleness.find(session)


def test_nothing_changed_is_nothing_stale(world: World) -> None:
    assert stale(world) == []


def test_a_changed_input_makes_its_step_stale_and_all_that_came_after(tmp_path: Path) -> None:
    world = World.at(tmp_path, approve_all="Ada")
    world.go()
    world.write("task.md", "count lines")
    assert stale(world) == [
        Stale("plan", "plan", ("task changed",), gate=False),
        Stale("approve", "approve", ("plan is stale",), gate=True),
        Stale("report", "report", ("plan is stale",), gate=False),
    ]


def test_a_changed_document_makes_the_step_stale_that_read_it_and_not_the_one_that_wrote_it(
    tmp_path: Path,
) -> None:
    world = World.at(tmp_path, approve_all="Ada")
    world.go()
    world.write("docs/plan.md", "by hand")
    assert [each.key for each in stale(world)] == ["approve", "report"]


def test_an_output_that_is_gone_makes_its_step_stale(world: World) -> None:
    (world.root / "docs/plan.md").unlink()
    assert stale(world)[0] == Stale("plan", "plan", ("docs/plan.md is gone",), gate=False)


def test_an_input_that_does_not_count_makes_nothing_stale(world: World) -> None:
    world.write("style.md", "long")
    assert stale(world) == []


def test_a_file_that_was_touched_or_written_again_as_it_was_makes_nothing_stale(
    world: World,
) -> None:
    world.write("task.md", world.text("task.md"))
    os.utime(world.root / "docs/plan.md", (0, 0))
    assert world.go().exit_code == 0
    assert world.events("step.stale") == world.events("gate.stale") == []


def test_a_change_of_the_same_size_with_the_time_set_back_is_found(world: World) -> None:
    before = (world.root / "task.md").stat()
    world.write("task.md", "COUNT WORDS")
    os.utime(world.root / "task.md", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert stale(world)[0].because == ("task changed",)


def test_the_first_look_of_a_new_process_finds_what_changed_while_nobody_looked(
    world: World,
) -> None:
    world.write("task.md", "count lines")
    world.go()
    assert [each["key"] for each in world.events("step.stale")] == ["plan"]
    assert [each.brief.key for each in world.agent.jobs] == ["plan", "plan/2"]


def test_a_change_while_the_next_step_is_at_work_is_found_before_the_end(world: World) -> None:
    def meanwhile(_: object) -> None:
        world.write("task.md", "count lines")

    world.agent.acts["report"] = [meanwhile]
    ended = world.go()
    assert ended.status is Status.WAITING
    assert "plan" in [each["key"] for each in world.events("step.stale")]
    assert world.events("run.completed") == []


def test_setting_back_names_the_file_its_old_and_its_new_content(world: World) -> None:
    with world.session() as session:
        staleness.check(session)
    world.write("task.md", "count lines")
    with world.session() as session:
        assert staleness.check(session)
        session.append()
    (drifted,) = world.events("document.drifted")
    assert (drifted["path"], drifted["was"], drifted["now"]) == (
        "task.md",
        digest("count words"),
        digest("count lines"),
    )


def test_in_passing_a_look_of_a_moment_ago_counts_and_the_next_one_finds_what_came_since(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staleness, "LOOK_AGAIN_S", 1000.0)
    with world.session() as session:
        assert not staleness.check(session, in_passing=True)
        world.write("task.md", "count lines")
        assert not staleness.check(session, in_passing=True)
        assert staleness.check(session)


def test_what_nobody_looked_at_yet_is_looked_at_also_in_passing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staleness, "LOOK_AGAIN_S", 1000.0)
    with world.session() as session:
        assert not staleness.check(session)
        session.checked.clear()
        world.write("task.md", "count lines")
        assert staleness.check(session, in_passing=True)


def test_what_was_seen_in_passing_for_the_first_time_is_missed_by_no_later_look(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staleness, "LOOK_AGAIN_S", 1000.0)
    with world.session() as session:
        session.looked = time.monotonic()
        assert not staleness.check(session, in_passing=True)
        world.write("task.md", "count lines")
        assert staleness.check(session)


OUTLINE = Contract(
    "planner", (Input("style", "style.md"),), (Output("outline", "docs/outline.md"),)
)


class Outlined(Papers):
    """Between the approval of the plan and the report that needs it something else is done."""

    @step(
        Gate(
            "Write the report?",
            choices=("approved", "plan"),
            subject=lambda _: ["docs/plan.md"],
            default_rejection="plan",
        )
    )
    def approve(self, run: Run, outcome: Literal["approved", "plan"]) -> Literal["outline", "plan"]:
        return "outline" if outcome == "approved" else "plan"

    @step(Stage("planner", lambda _: OUTLINE))
    def outline(self, run: Run, outcome: Literal["ok"]) -> Literal["report"]:
        return "report"


def test_a_step_behind_a_gate_begins_with_a_look_at_everything_however_short_the_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staleness, "LOOK_AGAIN_S", 1000.0)
    world = World.at(tmp_path, Outlined(), approve_all="Ada")
    world.agent.acts["outline"] = [lambda _: world.write("docs/plan.md", "by hand")]
    world.go()
    assert [each["key"] for each in world.events("gate.stale")] == ["approve"]
    assert [each.brief.key for each in world.agent.jobs] == [
        "plan",
        "outline",
        "outline/2",
        "report",
    ]


def test_setting_back_puts_the_pointer_at_the_first_stale_step_as_a_new_visit(world: World) -> None:
    world.write("task.md", "count lines")
    with world.session() as session:
        assert staleness.check(session)
        assert (session.run.step, session.run.status, session.run.visits["plan"]) == (
            "plan",
            Status.ACTIVE,
            2,
        )
        assert session.history.lineage == []


def test_a_stale_gate_is_open_again_under_its_own_key(tmp_path: Path) -> None:
    world = World.at(tmp_path)
    world.go()
    world.decide()
    with world.session() as session:
        from podium.engine import gates  # noqa: PLC0415

        gates.decide(session, session.history.gates["approve"])
        world.write("docs/plan.md", "by hand")
        assert staleness.check(session)
        assert (session.run.step, session.key(session.workflow.steps[session.run.step])) == (
            "approve",
            "approve",
        )
    assert world.events("gate.stale")[0]["because"] == ["docs/plan.md changed"]


def test_gates_are_marked_before_the_pointer_moves_so_that_a_torn_write_leaves_no_approval(
    tmp_path: Path,
) -> None:
    world = World.at(tmp_path, approve_all="Ada")
    world.agent.acts["report"] = [lambda _: world.write("task.md", "count lines")]
    world.changes["approve_all"] = "Ada"
    world.go()
    types = [each["type"] for each in world.events()]
    assert types.index("gate.stale") < types.index("step.stale")


def test_a_run_that_ended_is_never_set_back(tmp_path: Path) -> None:
    world = World.at(tmp_path, approve_all="Ada")
    world.go()
    world.write("task.md", "count lines")
    with world.session() as session:
        assert not staleness.check(session)
    assert world.go().exit_code == 0


def test_a_run_that_has_done_nothing_has_nothing_stale(tmp_path: Path) -> None:
    with World.at(tmp_path).session() as session:
        assert not staleness.check(session)


ESSENCE = Contract(
    "planner",
    (Input("task", "task.md", material=True, essence=str.casefold),),
    (Output("plan", "docs/plan.md"),),
)


class Essential(Papers):
    """Letters of either case are the same task."""

    @step(Stage("planner", lambda _: ESSENCE))
    def plan(self, run: Run, outcome: Literal["ok"]) -> Literal["approve"]:
        return "approve"


def test_where_an_essence_counts_the_rest_may_change(tmp_path: Path) -> None:
    world = World.at(tmp_path, Essential())
    world.go()
    world.write("task.md", "COUNT WORDS")
    assert stale(world) == []
    world.write("task.md", "COUNT LINES")
    assert stale(world)[0].key == "plan"


def test_what_a_step_uses_is_recorded_by_name_with_its_digest(tmp_path: Path) -> None:
    world = World.at(tmp_path, Essential())
    world.go()
    (started,) = world.events("step.started")
    assert started["inputs"]["task"] == digest("count words")


class Looped(Workflow):
    """A draft that is written twice from a text that changes in between: the last version
    counts.
    """

    name = "looped"
    start = "draft"

    @step(
        Stage(
            "writer",
            lambda _: Contract(
                "writer",
                (Input("task", "task.md", material=True),),
                (Output("draft", "docs/draft.md"),),
            ),
        )
    )
    def draft(self, run: Run, outcome: Literal["ok"]) -> Literal["again", "done"]:
        return "again" if run.visits["draft"] == 1 else "done"

    @step(
        Stage(
            "writer",
            lambda _: Contract(
                "writer",
                (Input("draft", "docs/draft.md", material=True),),
                (Output("note", "docs/note.md"),),
            ),
        )
    )
    def again(self, run: Run, outcome: Literal["ok"]) -> Literal["draft"]:
        return "draft"


def test_what_a_step_of_an_earlier_round_made_is_not_compared_any_more(tmp_path: Path) -> None:
    world = World.at(tmp_path, Looped())
    assert world.go().exit_code == 0
    assert [each.brief.key for each in world.agent.jobs] == ["draft", "again", "draft/2"]
    assert world.events("step.stale") == []


class Ticked(Papers):
    """After the approval the plan is worked through twice: the first round ticks it off, the
    second does not touch it.
    """

    name = "ticked"

    @step(
        Stage(
            "worker",
            lambda run: TICKS if run.visit() == 1 else NOTES,
            approved_by=lambda _: "approve",
        )
    )
    def report(self, run: Run, outcome: Literal["ok"]) -> Literal["report", "done"]:
        return "report" if run.visit() < 3 else "done"


TICKS = Contract("worker", (Input("plan", "docs/plan.md"),), (Output("plan", "docs/plan.md"),))
NOTES = Contract("worker", (Input("plan", "docs/plan.md"),), (Output("note", "docs/note.md"),))


def test_what_a_step_made_is_nobodys_edit_also_after_the_run_came_to_that_step_again(
    tmp_path: Path,
) -> None:
    world = World.at(tmp_path, Ticked(), approve_all="Ada")
    assert world.go().exit_code == 0
    assert [each.brief.key for each in world.agent.jobs] == [
        "plan",
        "report",
        "report/2",
        "report/3",
    ]
    assert world.text("docs/plan.md").startswith("report #2")
    assert world.events("gate.stale") == []


def test_an_edit_of_such_a_file_is_still_found(tmp_path: Path) -> None:
    world = World.at(tmp_path, Ticked(), approve_all="Ada", until="report/2")
    world.go()
    world.write("docs/plan.md", "by hand")
    assert [each.key for each in stale(world)] == ["approve"]


def test_what_a_step_made_is_nobodys_edit_also_where_the_clock_was_set_back_before_it(
    tmp_path: Path,
) -> None:
    world = World.at(tmp_path, Ticked(), approve_all="Ada", until="approve")
    world.go()
    world.clock.skip(-3600)
    del world.changes["until"]
    assert world.go().exit_code == 0
    assert world.text("docs/plan.md").startswith("report #2")
    assert world.events("gate.stale") == []
