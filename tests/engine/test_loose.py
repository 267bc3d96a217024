"""What will not land is out of the view while commands run, and back afterwards."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from podium.engine.attempts.loose import set_aside
from podium.engine.attempts.view import View
from podium.engine.workspace import Workspace


def left(folder: Path) -> set[str]:
    found = (os.path.relpath(os.path.join(here, name), folder) for here, _, names in os.walk(folder) for name in names)
    return {path for path in found if not path.startswith(".git/")}


@pytest.fixture(params=["", "apps/web"])
def view(request: pytest.FixtureRequest, tmp_path: Path) -> View:
    """A view of a project at the top level of its repository, or below it, in which an agent left this and that."""
    project = tmp_path / "top" / request.param
    project.mkdir(parents=True)
    (project / ".gitignore").write_text("*.log\n__pycache__/\nnotes/\nvendor/\n.venv\n")
    subprocess.run(["git", "init", "-q", tmp_path / "top"], check=True)
    space = Workspace.find(project, project / ".podium")
    code = space.open_view(tmp_path / "views/step", space.checkpoint("before", "2026-01-02T03:04:05+00:00"))
    os.symlink("/opt/venv", code.project / ".venv")
    for path in ("app.py", "a.log", "__pycache__/app.pyc", "notes/plan.md", "notes/own.md", "vendor/kit.php", "spill/long.txt"):
        (code.project / path).parent.mkdir(exist_ok=True)
        (code.project / path).write_text(path)
    space.changes(code)
    return View(code.folder, tmp_path / "scratch", {"notes/plan.md": "d"}, code, spilled=("spill/long.txt",))


def test_ignored_and_spilled_files_are_away_while_commands_run_but_for_documents_and_dependencies(view: View) -> None:
    assert view.code is not None
    before = left(view.folder)
    with set_aside(view):
        assert left(view.code.project) == {".gitignore", ".venv", "app.py", "notes/plan.md", "vendor/kit.php"}
    assert left(view.folder) == before


def test_what_a_command_made_in_its_place_stays(view: View) -> None:
    assert view.code is not None
    with set_aside(view):
        (view.code.project / "a.log").write_text("of the command")
    assert (view.code.project / "a.log").read_text() == "of the command"
    assert not view.folder.with_name("step~aside").exists()


def test_a_folder_with_a_common_name_is_no_dependency_where_the_step_made_it_ignored(view: View) -> None:
    assert view.code is not None
    view.code.audited[f"{os.path.relpath(view.code.project, view.folder)}/.gitignore"] = ("100644", "id")
    with set_aside(view):
        assert left(view.code.project) == {".gitignore", ".venv", "app.py", "notes/plan.md"}
