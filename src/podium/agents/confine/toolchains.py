"""What the commands of a project need outside it on this machine: toolchains, caches, packages,
and the programs that they name, as far as they exist.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from string import Template
from typing import NamedTuple

from podium.agents.confine.installation import installation, located
from podium.agents.confine.system import covered
from podium.project.dependencies import virtual_environment
from podium.project.programs import programs, scripts
from podium.project.toolchain import tool_folders

_PROGRAMS = frozenset({"bin", "sbin", "shims", "Scripts"})
_MARKS = (".git", ".podium", "podium.toml")
"""A folder with one of these is somebody's work, whatever else it looks like."""


class Tools(NamedTuple):
    """Places outside a project, none inside another."""

    folders: tuple[Path, ...] = ()
    files: tuple[Path, ...] = ()
    """Programs that lie alone in a folder of somebody."""


def toolchains(environ: Mapping[str, str], project: Path, commands: Iterable[str] = ()) -> Tools:
    """Each as its own path, outermost first."""
    home = Path(environ.get("HOME") or "/nonexistent")
    known = [home / folder.path for folder in tool_folders(environ)]
    # Shims look up in the folder of their version manager what to run.
    known += [folder.parent for folder in _searched(environ) if folder.name == "shims"]
    found = (*_on_the_path(environ), *_of_virtual_environments(environ, project))
    # A toolchain may be a repository of its own; in other places that is somebody's work.
    places = {*known, *(place for place in found if not _is_work(place))}
    places.update(_of_commands(commands, environ, project))
    kept: list[Path] = []
    for place in sorted({Path(os.path.normpath(place)) for place in places}):
        if not os.path.exists(place) or covered(place) or _too_wide(place, home, project):
            continue
        if not any(place.is_relative_to(other) for other in kept):
            kept.append(place)
    folders = tuple(place for place in kept if place.is_dir())
    return Tools(folders, tuple(place for place in kept if place not in folders))


def _of_commands(
    commands: Iterable[str], environ: Mapping[str, str], project: Path
) -> Iterator[Path]:
    """The installations of programs and scripts that the commands name."""
    home = environ.get("HOME", "")
    for command in commands:
        line = Template(command).safe_substitute(environ)
        named = [(program.name, project / program.folder) for program in programs(line)]
        named += [(path, project) for path in scripts(line)]
        for name, folder in named:
            program = f"{home}{name[1:]}" if home and name.startswith("~/") else name
            file = located(program, environ, folder)
            if file is not None and file.is_file():
                yield from installation(file, environ)


def _searched(environ: Mapping[str, str]) -> list[Path]:
    names = environ.get("PATH", os.defpath).split(os.pathsep)
    return [Path(name) for name in names if os.path.isabs(name)]


def _on_the_path(environ: Mapping[str, str]) -> Iterator[Path]:
    """The folders that are searched for programs, with the rest of their installation."""
    for folder in _searched(environ):
        yield folder
        if folder.name in _PROGRAMS and (folder.parent / "lib").is_dir():
            yield folder.parent
            yield from _bases(folder.parent)
        real = folder.resolve()
        if real != folder:
            yield real.parent if real.name in _PROGRAMS else real


def _of_virtual_environments(environ: Mapping[str, str], project: Path) -> Iterator[Path]:
    """Environments that the project uses from elsewhere, and the Pythons that they were made
    from.
    """
    places = [project / ".venv", project / "venv"]
    if active := environ.get("VIRTUAL_ENV"):
        places.append(Path(active))
    if (project / ".venv").is_file():
        text = (project / ".venv").read_text(encoding="utf-8", errors="replace")
        if named := virtual_environment(text):
            places.append(Path(os.path.expanduser(named)))
    for place in places:
        if not place.is_relative_to(project) and (place / "pyvenv.cfg").is_file():
            yield place
        yield from _bases(place)


def _bases(environment: Path) -> Iterable[Path]:
    try:
        text = (environment / "pyvenv.cfg").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return
    for line in text.splitlines():
        name, _, value = line.partition("=")
        if name.strip() == "home" and os.path.isabs(value.strip()):
            yield Path(value.strip()).parent


def _too_wide(place: Path, home: Path, project: Path) -> bool:
    """Whether a folder holds more than tools: a home, a project, or everything a person keeps."""
    return (
        home.is_relative_to(place)
        or project.is_relative_to(place)
        or place.is_relative_to(project)
        or place == home / ".local"
    )


def _is_work(place: Path) -> bool:
    return any(os.path.lexists(place / mark) for mark in _MARKS)
