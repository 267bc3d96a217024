"""Work that a repair goes on with is carried as files, never through links, and nothing outside
the views is touched.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from tests.engine.test_services import World

from podium.core.contract import Contract, Input, Output
from podium.engine.attempts import carrying
from podium.engine.attempts import view as views
from podium.engine.session import Session

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


def carried(session: Session, view: views.View, contract: Contract = CODE) -> Path:
    """The project's folder of the next view, with the work of this one."""
    found = views.audit(session, view, contract)
    assert found.strays == ()
    carrying.keep(session, "k", view, [*found.changed, *views.promised(view)])
    views.close_view(session, view)
    again = views.open_view(session, "k", contract)
    carrying.put(session, "k", again)
    assert views.audit(session, again, contract).changed == found.changed
    return views.work_folder(again)


def only_what_was_there(folder: Path) -> bool:
    return [(each.name, each.read_text()) for each in folder.iterdir()] == [
        ("conf.txt", "precious")
    ]


def test_a_link_that_became_a_file_is_carried_as_one(world: World, tmp_path: Path) -> None:
    with world.session() as session:
        view = views.open_view(session, "k", CODE)
        (view.folder / "conf.txt").unlink()
        (view.folder / "conf.txt").write_text("mine")
        after = carried(session, view)
        assert (after / "conf.txt").read_text() == "mine"
        assert not (after / "conf.txt").is_symlink()
    assert only_what_was_there(tmp_path / "outside")


def test_a_link_that_became_a_folder_is_carried_as_one(world: World, tmp_path: Path) -> None:
    with world.session() as session:
        view = views.open_view(session, "k", CODE)
        (view.folder / "up").unlink()
        (view.folder / "up").mkdir()
        (view.folder / "up/new.py").write_text("mine")
        after = carried(session, view)
        assert not (after / "up").is_symlink()
        assert os.listdir(after / "up") == ["new.py"]
    assert only_what_was_there(tmp_path / "outside")


def test_a_link_that_became_an_empty_folder_is_no_link_afterwards(world: World) -> None:
    with world.session() as session:
        view = views.open_view(session, "k", CODE)
        (view.folder / "up").unlink()
        (view.folder / "up").mkdir()
        assert not os.path.lexists(carried(session, view) / "up")


def test_a_file_that_became_a_folder_and_a_folder_that_became_a_file_are_carried(
    world: World,
) -> None:
    with world.session() as session:
        view = views.open_view(session, "k", CODE)
        shutil.rmtree(view.folder / "lib")
        (view.folder / "lib").write_text("now a file")
        (view.folder / "style.md").unlink()
        (view.folder / "style.md").mkdir()
        (view.folder / "style.md/one").write_text("1")
        after = carried(session, view)
        assert (after / "lib").read_text() == "now a file"
        assert (after / "style.md/one").read_text() == "1"


def test_a_change_of_mode_and_a_deletion_are_carried(world: World) -> None:
    with world.session() as session:
        view = views.open_view(session, "k", CODE)
        (view.folder / "run.sh").write_text("false")
        (view.folder / "lib/a.py").chmod(0o755)
        (view.folder / "style.md").unlink()
        after = carried(session, view)
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
