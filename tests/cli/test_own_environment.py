"""Podium's installation is nobody's but its own: one program on the PATH, and the commands of a
project find the person's Python.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.fakes.project import TASK, Project

from podium.cli.own_environment import leave

ROOT = Path(__file__).parents[2]
USUAL = "/usr/local/bin:/usr/bin:/bin"


def environment(tmp_path: Path, mark: str) -> Path:
    folder = tmp_path / "checkout" / ".venv"
    (folder / "bin").mkdir(parents=True)
    (folder / mark).write_text("")
    return folder


@pytest.mark.parametrize("mark", [".usable", "pipx_metadata.json", "uv-receipt.toml"])
def test_an_environment_of_ours_is_left_whoever_put_it_on_the_path(
    tmp_path: Path, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = environment(tmp_path, mark)
    (tmp_path / "link").symlink_to(own)
    monkeypatch.chdir(tmp_path)
    environ = {
        "PATH": f"{own}/bin:/usr/bin:{tmp_path}/link/bin/:/bin",
        "VIRTUAL_ENV": str(tmp_path / "link"),
        "HOME": "/h",
    }
    leave(environ, str(own))
    assert environ == {"PATH": "/usr/bin:/bin", "HOME": "/h"}


def test_an_environment_that_a_person_made_stays(tmp_path: Path) -> None:
    own = environment(tmp_path, "pyvenv.cfg")
    environ = {"PATH": f"{own}/bin:/usr/bin", "VIRTUAL_ENV": str(own)}
    leave(environ, str(own))
    assert environ == {"PATH": f"{own}/bin:/usr/bin", "VIRTUAL_ENV": str(own)}


def test_a_persons_environment_stays_beside_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, theirs = environment(tmp_path, ".usable"), tmp_path / "theirs"
    monkeypatch.chdir(tmp_path)
    environ = {"PATH": f"{theirs}/bin:{own}/bin:/usr/bin", "VIRTUAL_ENV": str(theirs)}
    leave(environ, str(own))
    assert environ == {"PATH": f"{theirs}/bin:/usr/bin", "VIRTUAL_ENV": str(theirs)}


def test_who_works_on_podium_itself_uses_its_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = environment(tmp_path, ".usable")
    (own.parent / "src").mkdir()
    monkeypatch.chdir(own.parent / "src")
    environ = {"PATH": f"{own}/bin:/usr/bin"}
    leave(environ, str(own))
    assert environ == {"PATH": f"{own}/bin:/usr/bin"}


@pytest.mark.skipif(
    not (ROOT / ".venv" / ".usable").exists(), reason="the environment is not that of make setup"
)
class TestInstalled:
    """As `make install` leaves it."""

    def test_one_program_comes_to_the_path_and_nothing_beside_it(self, tmp_path: Path) -> None:
        self.make(tmp_path / "prefix")
        folder = tmp_path / "prefix" / "bin"
        assert [entry.name for entry in folder.iterdir()] == ["podium"]
        said = subprocess.run(
            ["podium", "--version"],
            env={"PATH": f"{folder}:{USUAL}"},
            capture_output=True,
            text=True,
            check=True,
        )
        assert said.stdout.startswith("podium ")
        assert shutil.which("python3", path=f"{folder}:{USUAL}") == shutil.which(
            "python3", path=USUAL
        )

    def test_a_program_of_another_kind_in_that_place_is_kept(self, tmp_path: Path) -> None:
        place = tmp_path / "bin" / "podium"
        place.parent.mkdir()
        place.write_text("mine")
        ended = self.make(tmp_path, check=False)
        assert ended.returncode != 0
        assert f"{place} is there and is no link" in ended.stderr
        assert place.read_text() == "mine"

    def test_the_commands_of_a_project_find_the_python_of_its_person(self, tmp_path: Path) -> None:
        project = Project.at(tmp_path)
        theirs = tmp_path / "theirs" / "python3"
        theirs.parent.mkdir()
        theirs.write_text("#!/bin/sh\n")
        theirs.chmod(0o755)
        told = f'test "$(command -v python3)" = {theirs} && test -z "$VIRTUAL_ENV"'
        project.write("podium.toml", f"[commands]\ntest = '''{told}'''\n")
        own = Path(sys.prefix) / "bin"
        environ = {
            **project.environ,
            "PATH": f"{own}:{theirs.parent}:{os.environ['PATH']}",
            "VIRTUAL_ENV": sys.prefix,
        }
        words = ("--agent", project.scenario({}), "--yes-i-approve-all-gates", "--json")
        ended = subprocess.run(
            [own / "podium", "run", "harness", TASK, *words],
            cwd=project.root,
            env=environ,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == 0, ended.stdout + ended.stderr

    @staticmethod
    def make(prefix: Path, *, check: bool = True) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["make", "-s", "-C", str(ROOT), "install", f"PREFIX={prefix}"],
            env={**os.environ, "PYTHON": sys.executable},
            capture_output=True,
            text=True,
            check=check,
        )
