"""What a program needs of its own installation is found, and nothing of its owner's."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from podium.agents.confine.installation import installation, located, own_python

ENV = {"PATH": "/usr/bin:/bin"}


def program(path: Path, text: str = "#!/bin/sh\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def test_a_system_program_needs_nothing() -> None:
    assert installation(Path("/bin/sh"), ENV) == []


def test_a_lone_script_needs_itself_and_no_neighbour(tmp_path: Path) -> None:
    script = program(tmp_path / "agent.sh")
    assert installation(script, ENV) == [script]


def test_a_link_is_followed_to_its_target(tmp_path: Path) -> None:
    target = program(tmp_path / "share" / "versions" / "2.1")
    link = tmp_path / "links" / "claude"
    link.parent.mkdir()
    link.symlink_to("../share/versions/2.1")
    assert installation(link, ENV) == [link, target]


def test_node_modules_are_taken_as_a_whole_from_the_outermost(tmp_path: Path) -> None:
    node = program(tmp_path / "node" / "bin" / "node")
    (tmp_path / "node" / "lib").mkdir()
    script = program(tmp_path / "lib/node_modules/a/node_modules/b/cli.js", "#!/usr/bin/env node\n")
    found = installation(script, {"PATH": f"{node.parent}:/usr/bin"})
    assert tmp_path / "lib/node_modules" in found
    assert tmp_path / "node" in found


def test_an_environment_of_python_brings_the_python_it_was_made_from(tmp_path: Path) -> None:
    base = program(tmp_path / "python" / "bin" / "python3", "")
    venv = tmp_path / "venv"
    tool = program(venv / "bin" / "aider", f"#!{venv}/bin/python\n")
    (venv / "bin" / "python").symlink_to(base)
    (venv / "pyvenv.cfg").write_text(f"home = {base.parent}\n")
    found = installation(tool, ENV)
    assert {venv, tmp_path / "python"} <= set(found)


def test_an_environment_behind_a_link_brings_the_folder_that_it_is(tmp_path: Path) -> None:
    base = program(tmp_path / "python" / "bin" / "python3", "")
    venv = tmp_path / "venvs" / "one"
    (venv / "bin").mkdir(parents=True)
    (venv / "bin" / "python").symlink_to(base)
    (venv / "pyvenv.cfg").write_text(f"home = {base.parent}\n")
    (tmp_path / ".venv").symlink_to(venv)
    found = installation(tmp_path / ".venv" / "bin" / "python", ENV)
    assert {tmp_path / ".venv", venv, tmp_path / "python"} <= set(found)


@pytest.mark.parametrize("mark", [".git", "podium.toml"])
def test_a_project_with_bin_and_lib_is_not_taken_for_an_installation(
    tmp_path: Path, mark: str
) -> None:
    script = program(tmp_path / "bin" / "agent")
    (tmp_path / "lib").mkdir()
    (tmp_path / mark).mkdir()
    assert installation(script, ENV) == [script]


def test_a_version_managers_shim_brings_what_it_chooses_from(tmp_path: Path) -> None:
    shim = program(tmp_path / ".pyenv" / "shims" / "python3")
    (tmp_path / ".pyenv" / ".git").mkdir()
    assert installation(shim, ENV) == [tmp_path / ".pyenv", shim]


def test_a_home_is_never_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("bin", ".local/bin"):
        script = program(tmp_path / name / "agent")
        (tmp_path / name / "../lib").resolve().mkdir()
        assert installation(script, ENV) == [script]


def test_links_in_a_circle_come_to_an_end(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    assert installation(tmp_path / "a", ENV) == [tmp_path / "a", tmp_path / "b"]


def test_a_program_is_located_by_path_or_by_name(tmp_path: Path) -> None:
    mine = program(tmp_path / "tool")
    assert located("./tool", ENV, tmp_path) == mine
    assert located("tool", {"PATH": str(tmp_path)}, tmp_path) == mine
    assert located("no-such-tool", ENV, tmp_path) is None
    assert located("./none", ENV, tmp_path) is None


def test_our_own_python_is_the_one_below_any_environment() -> None:
    program, needs = own_python()
    assert os.access(program, os.X_OK)
    assert Path(program).resolve().is_relative_to(Path(sys.base_prefix).resolve())
    assert all(each.is_dir() for each in needs)
