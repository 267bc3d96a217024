"""From a name to an agent: `scripted:FILE`, `human`, `command:PROGRAM …`, or a configured name."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from podium.agents.command import CommandAgent
from podium.agents.gateway.providers import beside_keys
from podium.agents.human import Ask, HumanAgent
from podium.agents.profiles.addresses import with_addresses
from podium.agents.profiles.catalog import PROFILES
from podium.agents.profiles.choosing import options_of
from podium.agents.profiles.profile import Profile
from podium.agents.protocol import Agent
from podium.agents.scenario_file import load
from podium.agents.scripted import ScriptedAgent
from podium.core.errors import Fault, InputError, UsageError
from podium.core.nearest import nearest

SILENCE_S = 1800.0
"""Known programs report what they do as they do it; one that is silent for this long hangs or
waits for nobody.
"""
_BACKENDS = ("command", "acp", "scripted", "human", *PROFILES)


def resolve(
    spec: str,
    configured: Mapping[str, Mapping[str, Any]],
    *,
    base: Path,
    environ: Mapping[str, str],
    ask: Ask | None = None,
) -> Agent:
    """The agent for a name; paths are relative to base.

    Raises UsageError for an unknown name, InputError for a bad one.
    """
    kind, colon, rest = spec.partition(":")
    if colon and kind == "scripted":
        return _scripted(spec, rest, base)
    if colon and kind == "command":
        return CommandAgent(spec, _rooted(_split(rest, spec), base), environ=environ)
    if spec in configured:
        return _configured(spec, configured[spec], base, environ, ask)
    if spec == "human":
        return HumanAgent(ask)
    if spec in PROFILES:
        return _known(spec, PROFILES[spec], {}, base, environ)
    raise UsageError(_unknown(spec, configured))


def _unknown(spec: str, configured: Mapping[str, Mapping[str, Any]]) -> str:
    near = nearest(spec, [*configured, *PROFILES, "human", "scripted:FILE"])
    return (
        f"no agent is called {spec!r}"
        + (f" (did you mean {near!r}?)" if near else "")
        + f". Configured: {', '.join(configured) or 'none'}."
        + (
            f" Known programs: {', '.join(PROFILES)}. Always there: human, scripted:FILE, "
            "command:PROGRAM ARGUMENTS."
        )
    )


def _scripted(name: str, file: str, base: Path) -> ScriptedAgent:
    if not file:
        raise UsageError("scripted: needs a scenario, as in scripted:scenario.yaml")
    path = base / file
    return ScriptedAgent(load(path), path.parent, name, path)


def _configured(
    name: str, settings: Mapping[str, Any], base: Path, environ: Mapping[str, str], ask: Ask | None
) -> Agent:
    backend = settings.get("backend", "command" if "command" in settings else name)
    where = f"[agents.{name}]"
    match backend:
        case "human":
            return HumanAgent(ask, name)
        case "scripted":
            file = settings.get("scenario", settings.get("command", ""))
            return _scripted(name, str(file), base)
        case "command":
            return _program(name, settings, base, environ)
        case "acp":
            return _program(name, {**settings, "transport": "acp"}, base, environ)
        case str() if backend in PROFILES:
            return _known(name, PROFILES[backend], settings, base, environ)
    near = nearest(str(backend), _BACKENDS)
    mend = f"did you mean {near!r}?" if near else f"one of {', '.join(_BACKENDS)}"
    raise InputError(Fault(where, f"unknown backend {backend!r}", mend))


def _program(
    name: str,
    settings: Mapping[str, Any],
    base: Path,
    environ: Mapping[str, str],
    keys: Sequence[str] = (),
) -> Agent:
    """Any program, as the settings name it."""
    where = f"[agents.{name}]"
    argv = _rooted(_with_model(_argv(settings.get("command"), where), settings, where), base)
    match settings.get("transport", "command"):
        case "command":
            return CommandAgent(name, argv, environ=environ, **_limits(settings, keys))
        case "acp":
            # most programs do not speak it
            from podium.agents.acp.agent import AcpAgent  # noqa: PLC0415
            from podium.agents.acp.launch import Plain  # noqa: PLC0415

            allowed = {
                each: environ[each]
                for each in (*keys, *beside_keys(settings.get("env", ())))
                if each in environ
            }
            plain = Plain(argv, allowed, str(settings.get("mode", "")), settings.get("max_turns"))
            return AcpAgent(name, plain, **_asked(settings))
    raise InputError(
        Fault(
            where,
            "a command cannot be read as a known program's",
            "leave out command, or set program",
        )
    )


def _known(
    name: str, profile: Profile, settings: Mapping[str, Any], base: Path, environ: Mapping[str, str]
) -> Agent:
    """A known program according to its profile. A configured command replaces everything but the
    names of its keys.
    """
    own = environ if settings.get("upstream") else with_addresses(name, profile, environ, base)
    if "command" in settings:
        return _program(name, settings, base, own, profile.keys)
    where, transport = f"[agents.{name}]", settings.get("transport", "headless")
    if transport == "command":
        raise InputError(
            Fault(
                where,
                'transport = "command" needs a command',
                "set command, or leave out transport",
            )
        )
    options = options_of(name, profile, settings, own, acp=transport == "acp")
    if transport == "acp":
        if profile.acp is None:
            raise InputError(
                Fault(
                    where,
                    f"{profile.title} does not speak the Agent Client Protocol",
                    'transport = "headless"',
                )
            )
        from podium.agents.acp.agent import AcpAgent  # noqa: PLC0415  # only if it is used
        from podium.agents.acp.profiled import Profiled  # noqa: PLC0415

        return AcpAgent(name, Profiled(profile, options), **_asked(settings))
    from podium.agents.headless.agent import HeadlessAgent  # noqa: PLC0415

    return HeadlessAgent(
        name,
        profile,
        options,
        timeout_s=settings.get("timeout_s"),
        silence_s=settings.get("silence_s", SILENCE_S),
    )


def _asked(settings: Mapping[str, Any]) -> dict[str, Any]:
    ask = settings.get("permissions") == "ask"
    limits = {
        "timeout_s": settings.get("timeout_s"),
        "silence_s": settings.get("silence_s", SILENCE_S),
    }
    return {"permissions": "ask" if ask else "policy", **limits}


def _limits(settings: Mapping[str, Any], env: Sequence[str]) -> dict[str, Any]:
    return {
        "env_allow": (*env, *beside_keys(settings.get("env", ()))),
        "timeout_s": settings.get("timeout_s"),
        "silence_s": settings.get("silence_s"),
        "result_file": str(settings.get("result_file", "")),
    }


def _with_model(argv: list[str], settings: Mapping[str, Any], where: str) -> list[str]:
    model = settings.get("model")
    if model is None:
        return argv
    if not any("{model}" in each for each in argv):
        raise InputError(Fault(where, "model is set, but the command has no {model} to put it in"))
    return [each.replace("{model}", str(model)) for each in argv]


def _argv(command: Any, where: str) -> list[str]:
    if isinstance(command, str):
        return _split(command, where)
    if isinstance(command, list) and command and all(isinstance(each, str) for each in command):
        return list(command)
    raise InputError(Fault(where, f"command must be text or a list of texts, not {command!r}"))


def _split(command: str, where: str) -> list[str]:
    try:
        argv = shlex.split(command)
    except ValueError as fault:
        raise InputError(Fault(where, f"the command cannot be split: {fault}")) from None
    if not argv:
        raise InputError(Fault(where, "the command is empty"))
    return argv


def _rooted(argv: list[str], base: Path) -> list[str]:
    """A program given by path is relative to the project: the agent's folder is a view that may
    not contain it.
    """
    program = os.path.expanduser(argv[0])
    return [os.path.join(base.absolute(), program) if os.sep in program else program, *argv[1:]]
