"""Reading runs without owning them: where one stands, all that happened, and who owns a state
document.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.engine.test_services import RUN, World
from tests.fakes.project import STATE, TASK, Project
from tests.fakes.workflows import EveryKind

from podium.core import events
from podium.core.errors import Busy, Halted, UsageError
from podium.core.run import Run
from podium.engine import decisions, looking


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    for name in [each for each in os.environ if each.startswith(("PODIUM_", "GIT_", "XDG_"))]:
        monkeypatch.delenv(name)
    return Project.at(tmp_path, "plain")


def summary(world: World) -> dict[str, Any]:
    return looking.summary(world.root, world.services.journal, world.workflow, RUN, "a title")


def test_a_summary_says_where_a_run_stands_and_what_to_do(tmp_path: Path) -> None:
    world = World.at(tmp_path)
    world.go()
    found = summary(world)
    assert (found["status"], found["step"], found["stop"], found["title"]) == (
        "waiting",
        "approve",
        "gate",
        "a title",
    )
    assert found["advice"] == (
        f"podium approve {RUN} --go",
        f'podium reject {RUN} --note "why" --go',
    )
    (gate,) = found["gates"]
    assert (gate["key"], gate["choices"], gate["kind"]) == (
        "approve",
        ("approved", "plan"),
        "approval",
    )
    assert found["started"] == world.events()[0]["ts"]
    assert found["updated"] == world.events()[-1]["ts"]


def test_a_run_that_is_not_waiting_shows_no_gate(tmp_path: Path) -> None:
    world = World.at(tmp_path, approve_all="Ada")
    world.go()
    assert (summary(world)["gates"], summary(world)["status"]) == ((), "complete")


def test_a_run_that_was_rewound_has_not_ended(tmp_path: Path) -> None:
    world = World.at(tmp_path, approve_all="Ada")
    world.go()
    assert looking.has_ended(world.events())
    decisions.rewind(world.services, world.workflow, RUN, "report", restore_code=False, by="Ada")
    assert not looking.has_ended(world.events())


def test_an_ended_run_stays_so_whatever_is_noted_after_its_end(tmp_path: Path) -> None:
    world = World.at(tmp_path, approve_all="Ada")
    world.go()
    with world.session() as session:
        session.append(
            *(events.document_saved("notes.md", f"sha256:{number}") for number in range(5))
        )
    assert looking.has_ended(world.events())


def test_only_a_complete_run_says_how_it_ended(tmp_path: Path) -> None:
    world = World.at(tmp_path)
    world.go()
    assert summary(world)["outcome"] == ""
    (tmp_path / "other").mkdir()
    other = World.at(tmp_path / "other", approve_all="Ada")
    other.go()
    assert summary(other)["outcome"] == "complete_unproven"  # documents alone prove nothing


def test_looking_takes_no_lock_and_names_who_holds_it(tmp_path: Path) -> None:
    world = World.at(tmp_path)
    world.go()
    assert summary(world)["holder"] is None
    with world.session():
        holder = summary(world)["holder"]
    assert isinstance(holder, dict)
    assert holder["pid"] == os.getpid()


def test_a_run_under_way_is_watched(tmp_path: Path) -> None:
    world = World.at(tmp_path)
    with world.session():
        assert summary(world)["advice"] == (f"podium watch {RUN}",)
    assert summary(world)["advice"] == (f"podium resume {RUN}",)


def test_looking_writes_nothing(tmp_path: Path) -> None:
    world = World.at(tmp_path)
    world.go()
    before = {path: path.stat().st_mtime_ns for path in world.root.rglob("*") if path.is_file()}
    summary(world)
    looking.all_events(world.root, world.services.journal, RUN)
    assert {
        path: path.stat().st_mtime_ns for path in world.root.rglob("*") if path.is_file()
    } == before


def test_a_state_file_that_lags_behind_is_rolled_forward_in_what_is_shown(tmp_path: Path) -> None:
    world = World.at(tmp_path)
    world.go()
    (world.root / ".podium/runs" / RUN / "state.json").unlink()
    assert summary(world)["step"] == "approve"


def test_child_runs_belong_to_the_family_and_their_events_and_gates_to_the_run(
    tmp_path: Path,
) -> None:
    world = World.at(tmp_path, EveryKind())
    world.create()
    journal = world.services.journal
    child = f"{RUN}/implement/item/1"
    opened = events.gate_opened(
        "implement/item/1/approve-build", "approve_build", "approval", "?", ["approved"], {}
    )
    journal.create(child, [events.run_started(Run(step="planning"), "sample", [], "1"), opened])
    assert looking.family(world.root, RUN) == [RUN, child]
    assert [each.key for each in looking.open_gates(world.root, journal, RUN)] == [
        "implement/item/1/approve-build"
    ]
    found = looking.all_events(world.root, journal, RUN)
    assert [each["run"] for each in found] == [RUN, child, child]
    assert [each["ts"] for each in found] == sorted(each["ts"] for each in found)


def test_starting_a_task_that_waits_says_where_it_stands(project: Project) -> None:
    project.run()
    again = project.run()
    assert (again.run, again.exit_code, again.gates) == ("T001-0001", 10, ("approve-build",))
    assert again.reason.startswith("a run of this task is live already")


def test_starting_a_task_that_was_interrupted_says_how_to_go_on(project: Project) -> None:
    project.run(until="specification")
    with pytest.raises(UsageError, match="podium resume T001-0001"):
        project.run()


def test_another_task_may_not_take_a_live_runs_state_file(project: Project) -> None:
    project.run()
    project.write("harness/tasks/T002.md", project.text(TASK).replace("T001", "T002"))
    with pytest.raises(UsageError, match=r"belongs to run T001-0001 .*--state PATH"):
        project.run(task="harness/tasks/T002.md")


def test_a_run_that_is_being_driven_is_busy(project: Project) -> None:
    project.run()
    app = project.app
    opened = app.journal.open("T001-0001", "somebody")
    try:
        with pytest.raises(Busy, match=f"process {os.getpid()}"):
            project.run()
    finally:
        app.journal.close(opened)


def test_a_task_that_is_complete_is_not_done_again_by_accident(project: Project) -> None:
    project.run()
    for _ in range(2):
        project.approve()
        project.resume()
    assert project.state("Current Status") == "Complete"
    with pytest.raises(
        Halted,
        match=(
            "T001 is already Complete .*`podium rewind T001-0001 --to specification`, or move "
            f"{STATE} away"
        ),
    ):
        project.run(run_id="T001-again")
    shutil.rmtree(project.root / ".podium")
    with pytest.raises(Halted, match=f"To do it again: move {STATE} away"):
        project.run(run_id="T001-again")
    project.path(STATE).unlink()
    assert project.run(run_id="T001-again").gates == ("approve-build",)
