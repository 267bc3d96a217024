"""What prevents a run from starting, found before anything is written, since later it would be a
dead end.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from podium.agents.protocol import Agent
from podium.agents.scenario_file import load
from podium.agents.scripted import ScriptedAgent
from podium.core import keys as key_names
from podium.core.effects import Check, Stage
from podium.core.errors import Fault, InputError, UsageError
from podium.core.workflow import Workflow
from podium.engine.services import Services

_HISTORY = {
    "plain": ("is not a git repository", "git init, then a first commit"),
    "unborn": ("has no commit to start from", "make a first commit"),
}


def refuse(services: Services, workflow: Workflow, environ: Mapping[str, str]) -> None:
    """Called before a run begins."""
    refuse_views(services)
    _refuse_agents(services, workflow, workflow.roles(), environ)
    _refuse_without_commands(services, workflow)
    _refuse_same_vendor(services, workflow.roles())
    if any(
        isinstance(each.effect, Check) and each.effect.branch is not None
        for each in workflow.steps.values()
    ):
        _refuse_without_history(services)


def refuse_renewed(
    services: Services, workflow: Workflow, roles: Iterable[str], environ: Mapping[str, str]
) -> None:
    """Called before a run continues. `roles`: those that were given another agent, which the run
    keeps.
    """
    refuse_views(services)
    _refuse_agents(services, workflow, roles, environ)
    _refuse_same_vendor(services, workflow.roles())


def _refuse_same_vendor(services: Services, roles: Iterable[str]) -> None:
    """A reviewer of another vendor is a rule, not a wish."""
    known = set(roles)
    for role, wanted in services.apart.items():
        other = wanted.removesuffix("'s provider").removesuffix("'s vendor").strip()
        if role not in known:
            continue
        where = f"[roles.{role}] not"
        if other not in known:
            raise InputError(Fault(where, f"there is no role {other!r} in this workflow"))
        own, theirs = services.vendor_of(role), services.vendor_of(other)
        if not own or not theirs:
            unknown = role if not own else other
            way_out = "set provider in its [agents] table"
            raise InputError(Fault(where, f"nobody can tell whose models {unknown} asks", way_out))
        if own == theirs:
            what = f"{role} and {other} both ask models of {own}"
            raise InputError(Fault(where, what, f"give {role} an agent of another vendor"))


def _refuse_without_commands(services: Services, workflow: Workflow) -> None:
    """A step that declares proof must not run without any."""
    place, wanted = workflow.declares_proof(), workflow.proven_by(workflow.first())
    configured = any(services.commands.get(name) for name in wanted)
    if place and services.requires_proof and not configured:
        raise InputError(
            Fault(
                place,
                f"declares evidence {', '.join(wanted)}, and none of these commands is configured",
                'set [commands] test = "…" in podium.toml (`podium init` finds it), or '
                f'[policy.{workflow.name}] proof = "none": the run then ends unproven',
            )
        )


def _refuse_agents(
    services: Services, workflow: Workflow, roles: Iterable[str], environ: Mapping[str, str]
) -> None:
    scenarios: dict[Path, list[str]] = {}
    for role in roles:
        agent = services.agent_for(role)
        _refuse_missing(role, agent, environ)
        if isinstance(agent, ScriptedAgent) and agent.file is not None:
            scenarios.setdefault(agent.file, []).append(role)
    for file, players in scenarios.items():
        load(file, partial(_template_fault, workflow, players))


def _template_fault(
    workflow: Workflow,
    roles: Sequence[str],
    part: str,
    name: str,
    template: str,
    member: str,
    value: Any,
) -> str:
    """What a scenario asks of a template in calls that one of these roles will play; other
    workflows have their own templates.
    """
    players = [role for role in roles if _plays(workflow, role, part, name)]
    return next(
        (
            why
            for role in players
            if (why := workflow.template_fault(role, template, member, value))
        ),
        "",
    )


def _plays(workflow: Workflow, role: str, part: str, name: str) -> bool:
    """Whether calls in this place are a role's: its own, the default, or those of a key that
    means one of its steps in one of the first rounds.
    """
    if part != "keys":
        return part == "defaults" or name == role
    steps = (
        each
        for each in workflow.steps.values()
        if isinstance(each.effect, Stage) and each.effect.role == role
    )
    return any(
        key_names.matches(name, f"{each.key_base}/{number}")
        for each in steps
        for number in range(1, 10)
    )


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

        raise UsageError(
            "\n".join(
                [
                    f"{why} (the role {role} is played by {agent.name}). Other ways to go on:",
                    *ways(),
                ]
            )
        )


def _refuse_without_history(services: Services) -> None:
    """A workflow that creates its own branch needs a commit to start from."""
    workspace = services.workspace()
    if said := _HISTORY.get(workspace.kind):
        raise InputError(Fault(str(services.project), *said))
