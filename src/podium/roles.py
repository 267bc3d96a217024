"""Where a role's definition comes from: project, then user, then built in."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from podium.core.errors import Fault, InputError
from podium.engine.services import Definition
from podium.state.regular import read_regular


def find_role(
    role: str, path: str, project: Path, configured: Mapping[str, Any], environ: Mapping[str, str], workflow: str
) -> Definition:
    """The first definition there is, in the order of precedence."""
    for source, where in places(role, path, project, configured, environ):
        if not os.path.isfile(where):
            continue
        data = read_regular(where)
        if data is None:
            raise InputError(Fault(source, "cannot be read", "give its owner the right to read it"))
        try:
            return Definition(data.decode().replace("\r\n", "\n").replace("\r", "\n"), source)
        except UnicodeDecodeError as fault:
            raise InputError(Fault(source, "is not UTF-8", "save it as UTF-8")) from fault
    built_in = files(f"podium.workflows.{workflow}") / "scaffold" / "roles" / f"{role}-agent.md"
    if built_in.is_file():
        return Definition(built_in.read_text(encoding="utf-8"), "built-in")
    return Definition(f"You are the {role} agent.", "none")


def places(
    role: str, path: str, project: Path, configured: Mapping[str, Any], environ: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """(name, file) of every place a definition may be in, best first."""
    chosen = configured.get(role)
    if chosen is not None and chosen.definition:
        yield chosen.definition, os.path.join(project, chosen.definition)
    for name in (path, f".podium/roles/{role}.md", f".github/agents/{role}.agent.md", f".claude/agents/{role}.md"):
        if name:
            yield name, os.path.join(project, name)
    home = environ.get("XDG_CONFIG_HOME") or os.path.join(environ.get("HOME", ""), ".config")
    user = os.path.join(home, "podium", "roles", f"{role}.md")
    yield user, user
