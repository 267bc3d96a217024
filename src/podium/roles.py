"""Where a role's definition comes from: the project, the user, or built in; and what is wrong
with it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from podium.core.digest import digest
from podium.core.errors import Fault, InputError
from podium.core.workflow import Workflow
from podium.engine.services import Definition
from podium.formats.agent_file import LARGEST, parse
from podium.state.regular import Signature, signature_of
from podium.workflows.catalog import NAMES


class RoleFinder:
    """Finds roles for every dispatch of a run; unchanged files are not read again."""

    def __init__(
        self,
        project: Path,
        configured: Mapping[str, Any],
        environ: Mapping[str, str],
        workflow: str,
    ) -> None:
        self._where = (project, configured, environ, workflow)
        self._known: dict[tuple[str, str], tuple[list[tuple[str, Signature]], Definition]] = {}

    def __call__(self, role: str, path: str) -> Definition:
        looked, found = self._known.get((role, path), ([], None))
        if found is None or any(signature_of(where) != seen for where, seen in looked):
            looked = [(where, signature_of(where)) for _, where in places(role, path, *self._where)]
            found = find_role(role, path, *self._where)
            # Whatever comes after the first existing file does not matter.
            until = next(
                (at for at, (where, _) in enumerate(looked, 1) if os.path.isfile(where)),
                len(looked),
            )
            self._known[role, path] = (looked[:until], found)
        return found


def find_role(
    role: str,
    path: str,
    project: Path,
    configured: Mapping[str, Any],
    environ: Mapping[str, str],
    workflow: str,
) -> Definition:
    """The first definition there is, in order of precedence."""
    for source, where in places(role, path, project, configured, environ, workflow):
        data = _read(source, where)
        if data is not None:
            return _defined(data, source)
    if workflow in NAMES:
        built_in = files(f"podium.workflows.{workflow}") / "scaffold" / "roles" / f"{role}-agent.md"
        if built_in.is_file():
            data = built_in.read_bytes()
            return Definition(data.decode(), "built-in", digest(data))
    text = f"You are the {role} agent."
    return Definition(text, "none", digest(text))


def _read(source: str, where: str) -> bytes | None:
    """The bytes of a file; None if there is none. Reads no more than a definition can have."""
    if not os.path.isfile(where):
        return None
    try:
        with open(where, "rb", buffering=0) as file:
            return file.read(LARGEST + 1)
    except OSError as fault:
        raise InputError(Fault(source, f"cannot be read: {fault.strerror}")) from None


def _defined(data: bytes, source: str) -> Definition:
    found = parse(data, source)
    if not found.body.strip():
        raise InputError(
            Fault(source, "holds no definition", "write it below the head, or delete the file")
        )
    return Definition(found.body, source, digest(data), found.warnings)


def places(
    role: str,
    path: str,
    project: Path,
    configured: Mapping[str, Any],
    environ: Mapping[str, str],
    workflow: str = "",
) -> Iterator[tuple[str, str]]:
    """(name, file) of every place where a definition may be, best first."""
    chosen = configured.get(role)
    if chosen is not None and chosen.definition:
        if not os.path.isfile(os.path.join(project, chosen.definition)):
            what = f"there is no file {chosen.definition}"
            raise InputError(
                Fault(f"[roles.{role}] definition", what, "name one from the project's root")
            )
        yield chosen.definition, os.path.join(project, chosen.definition)
    # Several workflows have a planner; a folder named after the workflow defines the role for that
    # workflow only.
    own = f".podium/roles/{workflow}/{role}.md" if workflow else ""
    shared = (
        f".podium/roles/{role}.md",
        f".github/agents/{role}.agent.md",
        f".github/agents/{role}.md",
        f".claude/agents/{role}.md",
    )
    for name in (path, own, *shared):
        if name:
            yield name, os.path.join(project, name)
    home = environ.get("XDG_CONFIG_HOME") or os.path.join(environ.get("HOME", ""), ".config")
    user = os.path.join(home, "podium", "roles", f"{role}.md")
    yield user, user


def require(
    workflow: Workflow,
    name: str,
    project: Path,
    configured: Mapping[str, Any],
    environ: Mapping[str, str],
) -> None:
    """Every role must have a readable definition, or nothing begins."""
    _, faults = survey(workflow, name, project, configured, environ)
    if faults:
        raise InputError(faults)


def survey(
    workflow: Workflow,
    name: str,
    project: Path,
    configured: Mapping[str, Any],
    environ: Mapping[str, str],
) -> tuple[dict[str, Definition], tuple[Fault, ...]]:
    """The definition of every role of a workflow, and the faults of those that cannot be used."""
    found: dict[str, Definition] = {}
    faults: list[Fault] = []
    for role, path in workflow.roles().items():
        try:
            found[role] = find_role(role, path, project, configured, environ, name)
        except InputError as error:
            faults += error.faults
    return found, tuple(dict.fromkeys(faults))
