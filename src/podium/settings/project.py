"""Where a project begins, and where a user's own settings and state are."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

MARKS = ("podium.toml", ".podium", "harness", ".git")
"""What makes a folder a project; the nearest folder upward that has one of these is the project."""


def find_project(start: Path) -> Path:
    """The nearest folder upward that is a project, otherwise the start itself."""
    start = start.resolve()
    for folder in (start, *start.parents):
        if any(_marked(folder, mark) for mark in MARKS):
            return folder
    return start


def _marked(folder: Path, mark: str) -> bool:
    path = folder / mark
    # A worktree's .git is a file; a file called "harness" means nothing.
    return path.is_dir() if mark == "harness" else path.exists()


def project_file(project: Path) -> Path | None:
    """The file with the project's settings, if there is one."""
    own, shared = project / "podium.toml", project / "pyproject.toml"
    if own.is_file():
        return own
    return shared if shared.is_file() and _has_table(shared.read_bytes()) else None


def _has_table(data: bytes) -> bool:
    """Whether a pyproject.toml has settings for Podium: usually under a heading, but TOML can
    write a table in other ways.
    """
    if b"[tool.podium" in data or b"podium" not in data:
        return b"[tool.podium" in data
    import tomllib  # noqa: PLC0415  # showing a run usually does not need it

    try:
        tools = tomllib.loads(data.decode("utf-8-sig")).get("tool", {})
    except ValueError:
        return False  # nothing in it shows that it is meant for Podium
    return isinstance(tools, dict) and "podium" in tools


def user_file(environment: Mapping[str, str], platform: str = sys.platform) -> Path:
    """The user's podium.toml, whether it exists or not."""
    home = _home(environment)
    if configured := environment.get("XDG_CONFIG_HOME"):
        base = Path(configured)
    elif platform == "darwin":
        base = home / "Library" / "Application Support"
    else:
        base = home / ".config"
    return base / "podium" / "podium.toml"


def state_folder(environment: Mapping[str, str]) -> Path:
    """Where Podium keeps what belongs to the user and to no project, whether it exists or not."""
    base = environment.get("XDG_STATE_HOME")
    return (Path(base) if base else _home(environment) / ".local" / "state") / "podium"


def _home(environment: Mapping[str, str]) -> Path:
    return Path(environment.get("HOME") or os.path.expanduser("~"))
