"""What prevents a run from starting, found before anything is written, since later it would be a dead end."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from podium.agents.protocol import Agent
from podium.core.effects import Check
from podium.core.errors import Fault, InputError, UsageError
from podium.core.workflow import Workflow
from podium.engine.services import Services

_HISTORY = {"plain": ("is not a git repository", "git init, then a first commit"), "unborn": ("has no commit to start from", "make a first commit")}


def refuse(services: Services, workflow: Workflow, environ: Mapping[str, str]) -> None:
    """Called before a run begins."""
    refuse_views(services)
    for role in workflow.roles():
        _refuse_missing(role, services.agent_for(role), environ)
    if any(isinstance(each.effect, Check) and each.effect.branch is not None for each in workflow.steps.values()):
        _refuse_without_history(services)


def refuse_renewed(services: Services, roles: Iterable[str], environ: Mapping[str, str]) -> None:
    """Called before a run continues. `roles`: those that were given another agent, which the run keeps."""
    refuse_views(services)
    for role in roles:
        _refuse_missing(role, services.agent_for(role), environ)


def refuse_views(services: Services) -> None:
    """Called before a run is driven: agents' folders are created while it runs."""
    if why := unusable(services.views):
        raise InputError(Fault("[store] views", why, "name a folder that can be made and written"))


def unusable(folder: Path) -> str:
    """Why a folder cannot be created or written; empty if it can, as far as looking tells."""
    there = next(each for each in (folder, *folder.parents) if os.path.lexists(each))
    if not there.is_dir():
        return f"{there} is not a folder"
    if os.statvfs(there).f_flag & os.ST_RDONLY:
        return ""  # a failing disk is reported as such, wherever it fails
    return "" if os.access(there, os.W_OK | os.X_OK) else f"{there} cannot be written"


def _refuse_missing(role: str, agent: Agent, environ: Mapping[str, str]) -> None:
    """Refuse a program that is not installed, and name the ways to continue."""
    told = getattr(agent, "missing", None)
    if told is not None and (why := told(environ.get("PATH", os.defpath))):
        from podium.agents.profiles.absence import ways  # noqa: PLC0415  # searches PATH

        raise UsageError("\n".join([f"{why} (the role {role} is played by {agent.name}). Other ways to go on:", *ways()]))


def _refuse_without_history(services: Services) -> None:
    """A workflow that creates its own branch needs a commit to start from."""
    workspace = services.workspace()
    if said := _HISTORY.get(workspace.kind):
        raise InputError(Fault(str(services.project), *said))
