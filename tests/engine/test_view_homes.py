"""Folders of document stages are in memory where there is any, found again there after a crash,
and swept.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from tests.engine.test_services import RUN, World

from podium.agents.protocol import Answer, Failure, Job
from podium.core.contract import Contract, Input, Output
from podium.core.digest import digest
from podium.engine import landings
from podium.engine.attempts import view as views
from podium.engine.attempts import view_homes
from podium.engine.step_files import stored_name

CONTRACT = Contract("r", (Input("task", "task.md"),), (Output("out", "out/spec.md"),))
CODE = Contract("r", (Input("task", "task.md"),), (), code="read")


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    """A project's folder in what stands for memory here."""
    (tmp_path / "shm").mkdir()
    found = view_homes.memory_root(tmp_path / "shm", tmp_path / "project", "mark")
    assert found is not None
    return found


@pytest.fixture
def world(tmp_path: Path, memory: Path) -> World:
    return World.at(tmp_path, memory=memory)


def test_a_view_of_documents_is_in_memory_and_private(world: World, memory: Path) -> None:
    with world.session() as session:
        view = views.open_view(session, "k", CONTRACT)
        assert view.folder.is_relative_to(memory)
        assert view.in_memory
        assert (view.folder / "task.md").read_text() == "count words"
    assert stat.S_IMODE(memory.parent.stat().st_mode) == 0o700


def test_scratch_files_are_on_disk_because_nobody_knows_how_large_they_get(
    world: World, memory: Path
) -> None:
    with world.session() as session:
        assert not views.open_view(session, "k", CONTRACT).scratch.is_relative_to(memory)


def test_a_view_with_code_and_one_in_which_a_person_works_are_on_disk(
    world: World, memory: Path
) -> None:
    with world.session() as session:
        assert not views.open_view(session, "k", CONTRACT, lasting=True).folder.is_relative_to(
            memory
        )
        view = views.open_view(session, "c", CODE)
        assert not view.folder.is_relative_to(memory)
        assert not view.in_memory


def test_what_a_crash_left_in_memory_is_gone_from_the_next_view_on_disk(world: World) -> None:
    with world.session() as session:
        (views.open_view(session, "k", CONTRACT).folder / "left").write_text("x")
        again = views.open_view(session, "k", CONTRACT, lasting=True)
        assert not (again.folder / "left").exists()
        assert not os.path.exists(view_homes.memory_of(session, "k"))


def test_without_room_in_memory_it_is_on_disk(
    world: World, memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(view_homes, "ROOM", 1 << 62)
    with world.session() as session:
        assert not views.open_view(session, "k", CONTRACT).folder.is_relative_to(memory)


def test_a_folder_that_others_may_enter_is_not_used(world: World, memory: Path) -> None:
    memory.parent.mkdir(mode=0o755)
    with world.session() as session:
        assert not views.open_view(session, "k", CONTRACT).folder.is_relative_to(memory)


def test_a_link_in_the_place_of_our_folder_is_not_followed(
    world: World, memory: Path, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    memory.parent.symlink_to(tmp_path / "elsewhere")
    with world.session() as session:
        assert not views.open_view(session, "k", CONTRACT).in_memory
    assert os.listdir(tmp_path / "elsewhere") == []


def test_where_there_is_no_memory_file_system_there_is_no_folder_in_it(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    assert view_homes.memory_root(tmp_path / "none", project, "mark") is None
    assert not view_homes.usable(None)
    assert not view_homes.usable(tmp_path / "none" / "podium-0" / "mark")


def test_memory_in_which_anybody_can_move_folders_is_not_used(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    assert view_homes.memory_root(shared, tmp_path / "project", "mark") is None
    shared.chmod(0o1777)
    assert view_homes.memory_root(shared, tmp_path / "project", "mark") is not None


def test_memory_inside_the_project_is_not_used(tmp_path: Path) -> None:
    assert view_homes.memory_root(tmp_path, tmp_path, "mark") is None


def test_recorded_work_is_found_in_memory_after_a_crash(world: World) -> None:
    with world.session() as session:
        view = views.open_view(session, "k", CONTRACT)
        (view.folder / "out/spec.md").write_text("made")
        assert landings.kept(session, "k", "out/spec.md", digest("made")) == b"made"
        (view.folder / "out/spec.md").write_text("changed since")
        assert landings.kept(session, "k", "out/spec.md", digest("made")) is None


def test_dear_work_in_memory_is_on_disk_before_the_journal_names_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(landings, "DEAR_S", -1.0)
    seen: list[bool] = []
    real = type(world.services.journal).append

    def append(journal, opened, seq, facts, **how):  # type: ignore[no-untyped-def]
        for fact in facts:
            if fact["type"] == "step.finished":
                folder = world.root / ".podium" / "runs" / RUN / "steps" / fact["key"]
                seen.extend((folder / stored_name(path)).is_file() for path in fact["outputs"])
        return real(journal, opened, seq, facts, **how)

    monkeypatch.setattr(type(world.services.journal), "append", append)
    world.go()
    assert seen
    assert all(seen)


def test_a_run_that_ended_leaves_nothing_in_memory(world: World, memory: Path) -> None:
    def refuse(job: Job) -> Answer:
        assert job.folder.is_relative_to(memory)
        return Answer(failure=Failure("crash", "no"))

    world.agent.acts = {"draft": [refuse]}
    world.go()
    with world.session() as session:
        views.open_view(session, "k", CONTRACT)
        assert any(memory.iterdir())
        view_homes.sweep(session)
    assert not memory.exists()
