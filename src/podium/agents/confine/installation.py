"""What a program needs of its own installation, found from its file: the link, its target, its
interpreter.

Only the usual layouts are recognised: a Python environment, a folder of node modules, a prefix with
its own `bin` and
`lib`. If a program needs more, its profile says so, or `[isolation] readable` in podium.toml.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from podium.agents.confine.system import covered

_DEEPEST = 8
"""How many links and interpreters are followed before something must be wrong."""
_PROJECT = (".git", ".podium", "podium.toml")
"""Marks of a folder that holds somebody's work, whatever else it looks like."""


def own_python() -> tuple[str, tuple[Path, ...]]:
    """The interpreter for our own scripts inside a room, and the paths it needs."""
    program = Path(getattr(sys, "_base_executable", "") or sys.executable).resolve()
    prefix = Path(sys.base_prefix)
    return str(program), () if covered(prefix) else (prefix,)


def located(program: str, env: Mapping[str, str], cwd: Path) -> Path | None:
    """The file that would be started."""
    if os.sep in program:
        path = cwd / program
        return path if path.exists() else None
    found = shutil.which(program, path=env.get("PATH", os.defpath))
    return Path(found) if found else None


def installation(program: Path, env: Mapping[str, str]) -> list[Path]:
    """Paths outside the system folders that a program must be able to read, each once."""
    found: dict[Path, None] = {}
    for each in _chain(Path(os.path.abspath(program)), env, _DEEPEST):
        if not covered(each):
            found.setdefault(each)
    return list(found)


def _chain(path: Path, env: Mapping[str, str], left: int) -> Iterator[Path]:
    if not left:
        return
    yield from _around(path)
    yield path
    real = path.parent.resolve() / path.name
    if real != path:  # a folder on the way is a link
        yield from _chain(real, env, left - 1)
        return
    if path.is_symlink():
        yield from _chain(Path(os.path.normpath(path.parent / os.readlink(path))), env, left - 1)
        return
    for interpreter in _interpreters(path, env):
        yield from _chain(Path(os.path.abspath(interpreter)), env, left - 1)


def _around(path: Path) -> Iterator[Path]:
    """The installation that the file belongs to."""
    parts = path.parts
    if "node_modules" in parts:
        # The outermost one: packages find each other from there.
        yield Path(*parts[: parts.index("node_modules") + 1])
    prefix = path.parent.parent
    if path.parent.name == "shims" and not _a_home(prefix):
        yield prefix  # the prefix of a version manager, which looks up there what to run
    if path.parent.name not in {"bin", "sbin", "Scripts"} or _too_wide(prefix):
        return
    if (prefix / "pyvenv.cfg").is_file():
        yield prefix
        yield from _base_of(prefix / "pyvenv.cfg")
    elif (prefix / "lib").is_dir():
        yield prefix


def _too_wide(prefix: Path) -> bool:
    """Whether a folder holds more than an installation: a home, a project, or everything a
    person keeps.
    """
    return _a_home(prefix) or any(os.path.lexists(prefix / mark) for mark in _PROJECT)


def _a_home(prefix: Path) -> bool:
    home = Path(os.path.expanduser("~"))
    return prefix in {Path("/"), home, home / ".local"} or home.is_relative_to(prefix)


def _base_of(settings: Path) -> Iterator[Path]:
    """The Python that an environment was made from."""
    for line in settings.read_text(encoding="utf-8", errors="replace").splitlines():
        name, _, value = line.partition("=")
        if name.strip() == "home" and value.strip():
            base = Path(value.strip()).parent
            if not _too_wide(base):
                yield base


def _interpreters(path: Path, env: Mapping[str, str]) -> Iterator[str]:
    """The program of a `#!` line; with `env`, the program that `env` will find."""
    try:
        with open(path, "rb") as file:
            first = file.readline(256)
    except OSError:
        return
    if not first.startswith(b"#!"):
        return
    words = os.fsdecode(first[2:].strip()).split()
    if not words:
        return
    yield words[0]
    if os.path.basename(words[0]) == "env":
        wanted = next(
            (each for each in words[1:] if not each.startswith("-") and "=" not in each), ""
        )
        found = shutil.which(wanted, path=env.get("PATH", os.defpath)) if wanted else None
        if found:
            yield found
