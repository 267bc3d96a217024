"""Which workflows there are, by name, and how one is made for a project."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from podium.core.errors import UsageError
from podium.core.nearest import nearest
from podium.core.workflow import Workflow
from podium.settings.policies import WORKFLOWS
from podium.settings.text_file import text_of
from podium.workflows.catalog import NAMES, entry
from podium.workflows.entry import Entry


def names() -> tuple[str, ...]:
    return NAMES


def checked(name: str) -> str:
    """The name, if there is such a workflow; otherwise an error that says what was probably
    meant.
    """
    if name in NAMES:
        return name
    if name in WORKFLOWS:
        raise UsageError(
            f"the workflow {name} is not part of this version; choose one of: {', '.join(NAMES)}"
        )
    match = nearest(name, NAMES)
    raise UsageError(
        f"there is no workflow {name!r}"
        + (f"; did you mean {match}?" if match else f"; choose one of: {', '.join(NAMES)}")
    )


def found(name: str, project: Path) -> Entry:
    """The workflow of that name or file: a person's own, a package's, or a built-in one."""
    if name in NAMES and not (project / ".podium/workflows").is_dir():
        return entry(name)
    from podium.workflow_sources import find  # noqa: PLC0415 - imports every package's metadata

    return find(name, project, os.environ)


def workflow(name: str, project: Path, overrides: Mapping[str, Any] | None = None) -> Workflow:
    """The workflow as this project has it: with its policy, and its own definition if there is
    one.
    """
    from podium.settings.sources import load  # noqa: PLC0415

    known = found(name, project)
    policy = load(project, os.environ).policy_of(known.name, overrides)

    def read(path: str) -> str | None:
        where = project / path
        return text_of(where, path) if where.is_file() else None

    def scaffold(path: str) -> str | None:
        where = files(f"podium.workflows.{name}") / "scaffold" / path
        return where.read_text(encoding="utf-8") if where.is_file() else None

    return known.sample(policy, read, scaffold)
