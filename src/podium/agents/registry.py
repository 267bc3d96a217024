"""From what a person names to an agent: `scripted:FILE`, `human`, `command:PROGRAM …`, or a configured name."""

from __future__ import annotations

import difflib
import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from podium.agents.command import CommandAgent
from podium.agents.human import Ask, HumanAgent
from podium.agents.known import KNOWN, Known
from podium.agents.protocol import Agent
from podium.agents.scenario_file import load
from podium.agents.scripted import ScriptedAgent
from podium.core.errors import Fault, InputError, UsageError

_BACKENDS = ("command", "scripted", "human", *KNOWN)


def resolve(
    spec: str,
    configured: Mapping[str, Mapping[str, Any]],
    *,
    base: Path,
    environ: Mapping[str, str],
    ask: Ask | None = None,
) -> Agent:
    """The agent meant; paths are relative to base. Raises UsageError for an unknown name, InputError for a bad one."""
    kind, colon, rest = spec.partition(":")
    if colon and kind == "scripted":
        return _scripted(spec, rest, base)
    if colon and kind == "command":
        return CommandAgent(spec, _rooted(_split(rest, spec), base), environ=environ)
    if spec in configured:
        return _configured(spec, configured[spec], base, environ, ask)
    if spec == "human":
        return HumanAgent(ask)
    if spec in KNOWN:
        return _known(spec, KNOWN[spec], {}, environ)
    raise UsageError(_unknown(spec, configured))


def _unknown(spec: str, configured: Mapping[str, Mapping[str, Any]]) -> str:
    near = difflib.get_close_matches(spec, [*configured, *KNOWN, "human", "scripted:FILE"], 1)
    return (
        f"no agent is called {spec!r}"
        + (f" (did you mean {near[0]!r}?)" if near else "")
        + f". Configured: {', '.join(configured) or 'none'}."
        + f" Known programs: {', '.join(KNOWN)}. Always there: human, scripted:FILE, command:PROGRAM ARGUMENTS."
    )


def _scripted(name: str, file: str, base: Path) -> ScriptedAgent:
    if not file:
        raise UsageError("scripted: needs a scenario, as in scripted:scenario.yaml")
    path = base / file
    return ScriptedAgent(load(path), path.parent, name)


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
            argv = _with_model(_argv(settings.get("command"), where), settings, where)
            return CommandAgent(name, _rooted(argv, base), environ=environ, **_limits(settings, ()))
        case str() if backend in KNOWN:
            return _known(name, KNOWN[backend], settings, environ)
    near = difflib.get_close_matches(str(backend), _BACKENDS, 1)
    mend = f"did you mean {near[0]!r}?" if near else f"one of {', '.join(_BACKENDS)}"
    raise InputError(Fault(where, f"unknown backend {backend!r}", mend))


def _known(name: str, known: Known, settings: Mapping[str, Any], environ: Mapping[str, str]) -> CommandAgent:
    """The table's command; a configured one replaces it, a model is handed on with the program's own flag."""
    argv = _argv(settings["command"], f"[agents.{name}]") if "command" in settings else list(known.argv)
    if model := settings.get("model"):
        argv += [known.model_flag, str(model)]
    return CommandAgent(name, argv, environ=environ, env_set=known.set, **_limits(settings, known.env))


def _limits(settings: Mapping[str, Any], env: Sequence[str]) -> dict[str, Any]:
    return {
        "env_allow": (*env, *settings.get("env", ())),
        "timeout_s": settings.get("timeout_s"),
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
    """A program given by path is meant from the project: the agent's folder is a view that may not hold it."""
    program = os.path.expanduser(argv[0])
    return [os.path.join(base.absolute(), program) if os.sep in program else program, *argv[1:]]
