"""The engine's services for one run, from settings and the run's request. Part of the
composition root.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import podium
from podium.agents import registry
from podium.agents.confine.confinement import Confinement, choose
from podium.agents.confine.toolchains import toolchains
from podium.agents.environment import agent_environment
from podium.agents.gateway.desk import Desk
from podium.agents.gateway.routing import routes, vendor
from podium.agents.process import Supervisor
from podium.agents.protocol import Agent
from podium.core.budget import Caps
from podium.core.errors import UsageError
from podium.core.verdict import NONE
from podium.engine.recorder import Recorder
from podium.engine.services import Services, Surroundings
from podium.engine.views.dependencies import choose as choose_dependencies
from podium.engine.workspace import Workspace
from podium.project.toolchain import for_commands
from podium.roles import RoleFinder
from podium.settings.project import state_folder
from podium.settings.values import Settings
from podium.verify.redact import Redactor
from podium.workflows.entry import Entry

if TYPE_CHECKING:
    from podium.wiring import App
    from podium.wiring_values import RunOptions

EVERYWHERE = ("", "asked", "audited")
"""The minimum assurances that every machine provides."""


def build(app: App, entry: Entry, request: Mapping[str, Any], options: RunOptions) -> Services:
    settings, parts, view = app.settings, app.parts, app.settings.view
    desk = _gateway(app)
    confinement = _confinement(
        app
    )  # first: a level that cannot be enforced is refused before anything is written
    policy = request["policy"]
    requires_proof = policy.get("proof") != "none"
    commands = _commands(settings, request) if requires_proof else {}
    environment = agent_environment((), parts.environ, {})
    environment.pop("PODIUM_AGENT", None)
    return Services(
        project=app.project,
        journal=app.journal,
        disk=parts.disk,
        clock=parts.clock,
        observer=app.observer,
        version=podium.__version__,
        agent_for=_agents(app, request, desk),
        define=RoleFinder(app.project, settings.roles, parts.environ, entry.name),
        workspace=lru_cache(maxsize=1)(
            lambda: Workspace.find(
                app.project,
                app.project / ".podium",
                _views(app),
                wanted_kind=view.kind,
                brings=partial(choose_dependencies, bring=view.bring, leave=view.leave),
            )
        ),
        supervisor=Supervisor,
        confinement=confinement,
        gateway=desk,
        environment=environment,
        vendor_of=lambda role: vendor(settings, spec_for(role, request, settings)),
        apart={name: role.other_than for name, role in settings.roles.items() if role.other_than},
        mutants=settings.proof.mutants,
        test_patterns=(settings.proof.tests, settings.proof.machinery),
        hidden=settings.proof.hidden,
        tests=settings.proof.contract,
        fewer=settings.proof.fewer,
        requires_proof=requires_proof,
        before=settings.proof.before or ("ask" if parts.ask is not None else "same"),
        repeat=settings.proof.repeat,
        surroundings=_surroundings(app, commands),
        dialects={"none": NONE, **entry.dialects()},
        commands=commands,
        retry=entry.retry(policy),
        timeout_s=policy["step_timeout_s"],
        views=_views(app),
        caps=Caps(**vars(settings.budget)).tightened(
            entry.caps(request.get("definition", {}), policy)
        ),
        approve_all=(options.by or "the command line") if options.approve_all else "",
        redact=Redactor(parts.environ),
        until=options.until,
        recorder=Recorder(Path(request["record"]), Redactor(parts.environ))
        if request.get("record")
        else None,
        request={
            **request,
            "commands": {n: c for n, c in request.get("commands", {}).items() if c},
        },
    )


def _confinement(app: App) -> Callable[[], Confinement | None]:
    """How agents are confined, determined once: now if the settings demand a level, otherwise at
    the first program.
    """
    isolation = app.settings.isolation
    paths = {
        name: tuple(app.project / os.path.expanduser(each) for each in getattr(isolation, name))
        for name in ("readable", "writable")
    }
    search = app.parts.environ.get("PATH", os.defpath)
    minimum = "" if isolation.minimum in EVERYWHERE else isolation.minimum
    chosen = cache(partial(choose, isolation.confine, isolation.network, minimum, search, **paths))
    if (
        minimum
        or isolation.confine not in {"auto", "off"}
        or isolation.network in {"none", "model"}
    ):
        chosen()
    return chosen


def _commands(settings: Settings, request: Mapping[str, Any]) -> dict[str, str]:
    """Build, test, lint. Agents may change pyproject.toml, so its values count as they were at
    the start.
    """
    found = dict(vars(settings.commands))
    for name in found:
        if settings.sources.get(f"commands.{name}", "").endswith("pyproject.toml"):
            found[name] = request.get("commands", {}).get(name, "")
    return {name: command for name, command in found.items() if command}


def _gateway(app: App) -> Desk:
    """The way to models; nothing is opened before an agent needs it."""
    kept, environ = app.settings.gateway, app.parts.environ
    return Desk(
        routes(app.settings, environ, app.project),
        record=app.project / os.path.expanduser(kept.record) if kept.record else None,
        replay=app.project / os.path.expanduser(kept.replay) if kept.replay else None,
        redact=Redactor(environ),
        environ=environ,
    )


def spec_for(role: str, request: Mapping[str, Any], settings: Settings) -> str:
    """Who plays the role: as given for the role, for all roles, or by settings; empty if nobody
    does.
    """
    # What the environment said at the start applies to the run, unless it says something now.
    kept = settings.told_agent(role) or request.get("kept", {}).get(role)
    return str(request["roles"].get(role) or request["agent"] or kept or settings.agent_for(role))


def _agents(app: App, request: Mapping[str, Any], desk: Desk) -> Any:
    """Role to agent; each made once."""
    settings, parts = app.settings, app.parts

    @cache
    def agent_for(role: str) -> Agent:
        replaced = parts.agents(role)
        if replaced is not None:
            return replaced
        spec = spec_for(role, request, settings)
        if not spec:
            from podium.agents.profiles.absence import no_agent  # noqa: PLC0415  # searches PATH

            raise UsageError(no_agent(role))
        agent = registry.resolve(
            spec, settings.agent_tables(), base=app.project, environ=parts.environ, ask=parts.ask
        )
        desk.routes(
            agent.name, False
        )  # report an impossible gateway setting before anything begins
        minimum = settings.isolation.minimum
        if minimum not in EVERYWHERE and getattr(agent, "actor", "") == "engine":
            raise UsageError(
                f"{spec} acts inside Podium and cannot be confined, and [isolation] minimum = "
                f"{minimum!r}. "
                f"Take a program or `human` for the role {role}, or a lower minimum."
            )
        return agent

    return agent_for


def _views(app: App) -> Path:
    """Agents work outside the project, so that walking upward from their folder does not lead
    into it.
    """
    if app.settings.store.views:
        return app.project / app.settings.store.views / _mark(app)
    return state_folder(app.parts.environ) / "views" / _mark(app)


def _surroundings(app: App, commands: Mapping[str, str]) -> Surroundings:
    environ = app.parts.environ
    return Surroundings(
        environment=for_commands(environ),
        home=Path(environ.get("HOME") or "/nonexistent"),
        tools=cache(partial(toolchains, environ, app.project, tuple(commands.values()))),
    )


def _mark(app: App) -> str:
    return hashlib.sha256(os.fsencode(app.project.resolve())).hexdigest()[:12]
