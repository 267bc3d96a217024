"""Agents' folders are found again after a crash, and swept."""

from __future__ import annotations

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


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World.at(tmp_path)


def test_what_a_crash_left_is_gone_from_the_next_view(world: World) -> None:
    with world.session() as session:
        view = views.open_view(session, "k", CONTRACT)
        (view.folder / "left").write_text("x")
        views.beside(view.folder, "scratch").mkdir()
        again = views.open_view(session, "k", CONTRACT)
        assert not (again.folder / "left").exists()
        assert not again.scratch.exists()


def test_recorded_work_is_found_where_it_was_made_after_a_crash(world: World) -> None:
    with world.session() as session:
        view = views.open_view(session, "k", CONTRACT)
        (view.folder / "out/spec.md").write_text("made")
        assert landings.kept(session, "k", "out/spec.md", digest("made")) == b"made"
        (view.folder / "out/spec.md").write_text("changed since")
        assert landings.kept(session, "k", "out/spec.md", digest("made")) is None


def test_dear_work_is_in_the_runs_folder_before_the_journal_names_it(
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


def test_a_run_that_ended_leaves_no_folder(world: World) -> None:
    top = world.services.views

    def refuse(job: Job) -> Answer:
        assert job.folder.is_relative_to(top)
        return Answer(failure=Failure("crash", "no"))

    world.agent.acts = {"draft": [refuse]}
    world.go()
    with world.session() as session:
        views.open_view(session, "k", CONTRACT)
        assert any(top.iterdir())
        view_homes.sweep(session)
        assert not any(top.iterdir())
