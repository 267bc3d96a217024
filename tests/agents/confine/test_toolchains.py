"""What the commands of a project need outside it is visible to them, and nothing more of what its
owner keeps there.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from podium.agents.confine.toolchains import Tools, toolchains

HOME = "home/ada"


def make(top: Path, *paths: str) -> None:
    """Files, executable; a path that ends with a slash is a folder."""
    for path in paths:
        place = top / path
        if path.endswith("/"):
            place.mkdir(parents=True, exist_ok=True)
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("#!/bin/sh\n")
        place.chmod(0o755)


def tools(top: Path, *commands: str, path: str = "", project: str = "work") -> Tools:
    """With HOME in `top`, where `{top}` in a command leads."""
    (top / project).mkdir(parents=True, exist_ok=True)
    search = [*(f"{top}/{name}" for name in path.split(":") if name), "/usr/bin", "/bin"]
    environ = {"HOME": f"{top}/{HOME}", "PATH": ":".join(search)}
    lines = [command.format(top=top) for command in commands]
    return toolchains(environ, top / project, lines)


def relative(top: Path, found: tuple[Path, ...]) -> list[str]:
    return [path.relative_to(top).as_posix() for path in found if path.is_relative_to(top)]


@pytest.mark.parametrize(
    "command",
    [
        "{top}/envs/one/bin/python -m pytest",
        "cd src && {top}/envs/one/bin/python -m pytest",
        "CI=1 env X=1 {top}/envs/one/bin/pytest -q | tail",
        "make build; {top}/envs/one/bin/pytest",
    ],
)
def test_an_environment_that_a_command_names_comes_as_a_whole(tmp_path: Path, command: str) -> None:
    make(tmp_path, "envs/one/bin/python", "envs/one/bin/pytest", "envs/one/lib/", "envs/two/lib/")
    (tmp_path / "envs/one/pyvenv.cfg").write_text("home = /usr/bin\n")
    assert relative(tmp_path, tools(tmp_path, command).folders) == ["envs/one"]


def test_an_environment_comes_with_the_python_that_it_was_made_from(tmp_path: Path) -> None:
    make(tmp_path, "pythons/3.12/bin/python3.12", "pythons/3.12/lib/", "envs/one/bin/", "work/")
    (tmp_path / "envs/one/pyvenv.cfg").write_text(f"home = {tmp_path}/pythons/3.12/bin\n")
    (tmp_path / "envs/one/bin/python").symlink_to(tmp_path / "pythons/3.12/bin/python3.12")
    found = tools(tmp_path, "{top}/envs/one/bin/python -m pytest")
    assert relative(tmp_path, found.folders) == ["envs/one", "pythons/3.12"]


def test_an_environment_on_the_path_comes_with_the_python_that_it_was_made_from(
    tmp_path: Path,
) -> None:
    make(tmp_path, "pythons/3.12/bin/python3.12", "pythons/3.12/lib/", "envs/one/lib/")
    make(tmp_path, "envs/one/bin/pytest")
    (tmp_path / "envs/one/pyvenv.cfg").write_text(f"home = {tmp_path}/pythons/3.12/bin\n")
    found = tools(tmp_path, path="envs/one/bin")
    assert relative(tmp_path, found.folders) == ["envs/one", "pythons/3.12"]


@pytest.mark.parametrize(
    "command",
    [
        "{top}/home/ada/scripts/check.sh --fast",
        "sh {top}/home/ada/scripts/check.sh",
        "~/scripts/check.sh",
        "$HOME/scripts/check.sh",
        "../home/ada/scripts/check.sh",
    ],
)
def test_a_lone_script_comes_without_its_neighbours(tmp_path: Path, command: str) -> None:
    make(tmp_path, f"{HOME}/scripts/check.sh", f"{HOME}/scripts/secret")
    found = tools(tmp_path, command)
    assert relative(tmp_path, found.files) == [f"{HOME}/scripts/check.sh"]
    assert relative(tmp_path, found.folders) == []


@pytest.mark.parametrize(
    "command",
    [
        "{top}/elsewhere/missing",
        "./check.sh",
        "/bin/sh -c true",
        "echo '{top}/elsewhere/other'",
        "an open 'quote",
    ],
)
def test_nothing_comes_for_what_is_missing_in_the_project_or_the_systems(
    tmp_path: Path, command: str
) -> None:
    make(tmp_path, "elsewhere/other", "work/check.sh")
    found = tools(tmp_path, command)
    assert relative(tmp_path, (*found.folders, *found.files)) == []


def test_a_program_in_somebodys_project_comes_without_the_project(tmp_path: Path) -> None:
    make(tmp_path, "theirs/bin/tool", "theirs/lib/", "theirs/.git/")
    found = tools(tmp_path, "{top}/theirs/bin/tool")
    assert relative(tmp_path, found.files) == ["theirs/bin/tool"]
    assert relative(tmp_path, found.folders) == []


def test_neither_home_nor_what_holds_the_project_is_a_toolchain(tmp_path: Path) -> None:
    make(tmp_path, f"{HOME}/bin/tool", f"{HOME}/lib/", "bin/tool", "lib/")
    found = tools(tmp_path, "{top}/bin/tool", path=f"bin:{HOME}/bin")
    assert relative(tmp_path, found.folders) == ["bin", f"{HOME}/bin"]


def test_what_is_in_a_folder_that_comes_anyway_is_not_named_again(tmp_path: Path) -> None:
    make(tmp_path, f"{HOME}/.cargo/bin/cargo", f"{HOME}/.cargo/registry/")
    found = tools(tmp_path, "{top}/home/ada/.cargo/bin/cargo test", path=f"{HOME}/.cargo/bin")
    assert relative(tmp_path, (*found.folders, *found.files)) == [f"{HOME}/.cargo"]
