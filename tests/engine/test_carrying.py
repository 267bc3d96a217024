"""Work that a repair goes on with is carried as files, never through links, and nothing outside
the views is touched.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from tests.engine.test_services import World
from tests.fakes.mounted import at_work

from podium.core.contract import Contract, Input, Output
from podium.engine.attempts import carrying
from podium.engine.attempts import view as views
from podium.engine.session import Session
from podium.engine.views.code_view import CodeView, Kind

CODE = Contract("r", (Input("task", "task.md"),), (Output("out", "out/spec.md"),), code="write")


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A project with a link to a file outside, one to a folder outside, a folder and a program."""
    made = World.at(tmp_path)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/conf.txt").write_text("precious")
    (made.root / "conf.txt").symlink_to(tmp_path / "outside/conf.txt")
    (made.root / "up").symlink_to(tmp_path / "outside")
    made.write("lib/a.py", "a = 1")
    made.write("run.sh", "true")
    (made.root / "run.sh").chmod(0o755)
    return made


def opened(session: Session, kind: Kind) -> tuple[views.View, CodeView]:
    view = views.open_view(session, "k", CODE, kind=kind)
    assert view.code is not None
    return view, view.code


@contextmanager
def worked_in(session: Session, kind: Kind) -> Iterator[tuple[Path, Callable[[], Path]]]:
    """The project's folder in a view while an agent works there, and what ends that work and
    leads to the same folder in the next view, to which the work was carried.
    """
    with ExitStack() as stack:
        view, code = opened(session, kind)
        work = stack.enter_context(ExitStack())

        def carried() -> Path:
            work.close()
            found = views.audit(session, view, CODE)
            assert found.strays == ()
            carrying.keep(session, "k", view, [*found.changed, *views.promised(view)])
            views.close_view(session, view)
            again, code = opened(session, kind)
            carrying.put(session, "k", again)
            assert views.audit(session, again, CODE).changed == found.changed
            return stack.enter_context(at_work(code))

        yield work.enter_context(at_work(code)), carried


def only_what_was_there(folder: Path) -> bool:
    return [(each.name, each.read_text()) for each in folder.iterdir()] == [
        ("conf.txt", "precious")
    ]


def test_a_link_that_became_a_file_is_carried_as_one(
    world: World, tmp_path: Path, kind: Kind
) -> None:
    with world.session() as session, worked_in(session, kind) as (folder, carried):
        (folder / "conf.txt").unlink()
        (folder / "conf.txt").write_text("mine")
        after = carried()
        assert (after / "conf.txt").read_text() == "mine"
        assert not (after / "conf.txt").is_symlink()
    assert only_what_was_there(tmp_path / "outside")


def test_a_link_that_became_a_folder_is_carried_as_one(
    world: World, tmp_path: Path, kind: Kind
) -> None:
    with world.session() as session, worked_in(session, kind) as (folder, carried):
        (folder / "up").unlink()
        (folder / "up").mkdir()
        (folder / "up/new.py").write_text("mine")
        after = carried()
        assert not (after / "up").is_symlink()
        assert os.listdir(after / "up") == ["new.py"]
    assert only_what_was_there(tmp_path / "outside")


def test_a_link_that_became_an_empty_folder_is_no_link_afterwards(world: World, kind: Kind) -> None:
    with world.session() as session, worked_in(session, kind) as (folder, carried):
        (folder / "up").unlink()
        (folder / "up").mkdir()
        assert not os.path.lexists(carried() / "up")


def test_a_file_that_became_a_folder_and_a_folder_that_became_a_file_are_carried(
    world: World, kind: Kind
) -> None:
    with world.session() as session, worked_in(session, kind) as (folder, carried):
        shutil.rmtree(folder / "lib")
        (folder / "lib").write_text("now a file")
        (folder / "style.md").unlink()
        (folder / "style.md").mkdir()
        (folder / "style.md/one").write_text("1")
        after = carried()
        assert (after / "lib").read_text() == "now a file"
        assert (after / "style.md/one").read_text() == "1"


def test_a_change_of_mode_and_a_deletion_are_carried(world: World, kind: Kind) -> None:
    with world.session() as session, worked_in(session, kind) as (folder, carried):
        (folder / "run.sh").write_text("false")
        (folder / "lib/a.py").chmod(0o755)
        (folder / "style.md").unlink()
        after = carried()
        assert [os.access(after / name, os.X_OK) for name in ("run.sh", "lib/a.py")] == [True, True]
        assert not (after / "style.md").exists()


def test_nothing_outside_comes_in_with_an_output_behind_a_link(
    world: World, tmp_path: Path
) -> None:
    (tmp_path / "outside/spec.md").write_text("secret")
    contract = Contract(
        "r",
        (Input("task", "task.md"),),
        (Output("out", "out/spec.md"), Output("more", "all/*.md", many=True)),
    )
    with world.session() as session:
        view = views.open_view(session, "k", contract)
        for name in ("out", "all"):
            (view.folder / name).rmdir()
            (view.folder / name).symlink_to(tmp_path / "outside")
        carrying.keep(session, "k", view, views.promised(view))
        views.close_view(session, view)
        again = views.open_view(session, "k", contract)
        carrying.put(session, "k", again)
        assert [list((again.folder / name).iterdir()) for name in ("out", "all")] == [[], []]


def test_what_is_deleted_again_behind_a_link_stays(world: World, tmp_path: Path) -> None:
    with world.session() as session:
        view = views.open_view(session, "k", CODE)
        carrying.keep(session, "k", view, ["up/conf.txt"])
        carrying.put(session, "k", view)
    assert only_what_was_there(tmp_path / "outside")
