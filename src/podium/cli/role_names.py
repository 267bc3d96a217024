"""The role names that settings and scenarios use, compared with those of the workflows."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection
from pathlib import Path

from podium.cli import catalog
from podium.core.errors import Fault, PodiumError
from podium.core.nearest import nearest
from podium.settings.values import Settings


def everywhere(project: Path) -> set[str]:
    """The roles of every workflow that can be made for the project."""
    found: set[str] = set()
    for each in catalog.names():
        with contextlib.suppress(PodiumError):
            found.update(catalog.workflow(each, project).roles())
    return found


def unknown(settings: Settings, project: Path, known: Collection[str] = ()) -> list[Fault]:
    """Tables `[roles.NAME]` of the project for which no workflow has a role; `known` roles are not
    looked up.

    The user's own file serves other projects too, and those may have stages of their own.
    """
    named = {role: _source(settings, role) for role in settings.roles if role not in known}
    named = {role: source for role, source in named.items() if not os.path.isabs(source)}
    there = everywhere(project) if named else set()
    return [
        Fault(source, f"roles.{role} is not a role of any workflow", _meant(role, there))
        for role, source in named.items()
        if role not in there
    ]


def _source(settings: Settings, role: str) -> str:
    return next(
        (source for name, source in settings.sources.items() if name.startswith(f"roles.{role}.")),
        "podium.toml",
    )


def _meant(role: str, there: Collection[str]) -> str:
    near = nearest(role, there)
    return f"did you mean {near}?" if near else "`podium roles` lists them"
