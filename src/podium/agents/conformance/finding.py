"""From a name to the agent that is tested: as the settings say, except for what a test needs."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from podium.agents.conformance.subject import Subject
from podium.agents.profiles.catalog import PROFILES, version
from podium.agents.profiles.profile import Profile
from podium.agents.protocol import Agent
from podium.agents.registry import resolve
from podium.core.errors import UsageError

MODELS = {"codex": "gpt-5-codex", "gemini": "gemini-2.5-flash", "opencode": "fake-model"}
"""Model names that the programs accept; some are invented."""
_INTERPRETERS = ("python", "python3", "node", "deno", "bun", "sh", "bash", "uvx", "npx")


def subject(
    name: str,
    configured: Mapping[str, Mapping[str, Any]],
    base: Path,
    environ: Mapping[str, str],
    *,
    transport: str = "",
    real: bool = False,
) -> Subject:
    """The agent to test. Raises UsageError or InputError if there is no such agent, or if it
    starts no program.
    """
    table = dict(configured.get(name, {}))
    if transport:
        table["transport"] = transport
    backend = str(table.get("backend") or ("command" if table.get("command") else name))
    profile = PROFILES.get(backend) if not table.get("command") else None
    if not real:
        table = {**table, **_told(backend, profile, table)}
    given = dict(environ) if real else {"PATH": environ.get("PATH", os.defpath)}

    def make(**changes: Any) -> Agent:
        more = {"max_turns" if key == "turns" else key: value for key, value in changes.items()}
        own = {
            key: value for key, value in {**table, **more}.items() if value not in ("", None, ())
        }
        return resolve(
            name, {**configured, name: own} if own else configured, base=base, environ=given
        )

    agent = make()
    if getattr(agent, "actor", "program") != "program":
        raise UsageError(f"{name} starts no program, so there is nothing to verify")
    acp = table.get("transport") == "acp" or backend == "acp"
    missing = getattr(agent, "missing", None)
    program = _program(profile, table, acp=acp)
    return Subject(
        name=f"{name} ({'acp' if acp else 'headless' if profile else 'command'})",
        make=make,
        path=str(given["PATH"]),
        missing=missing(str(given["PATH"])) if missing else "",
        resumes=_resumes(profile, acp=acp),
        schema=profile is not None and profile.stream in {"claude", "codex"} and not acp,
        tools=_takes_tools(profile, table, acp=acp),
        environment=dict(environ) if real else {},
        program=Path(program).name,
        version=_version(profile, table, given),
    )


def _told(backend: str, profile: Profile | None, table: Mapping[str, Any]) -> dict[str, Any]:
    """Without the person's login, and with a model name if the program does not start without
    one.
    """
    told: dict[str, Any] = {"env": ()}
    if profile is not None:
        told["home"] = "private"
        if profile.needs_model or backend in MODELS:
            told["model"] = table.get("model") or MODELS.get(backend, "scripted")
    return told


def _program(profile: Profile | None, table: Mapping[str, Any], *, acp: bool) -> str:
    if profile is not None:
        return (
            profile.acp.program
            if acp and profile.acp
            else str(table.get("program") or profile.program)
        )
    words = table.get("command") or ("",)
    argv = words.split() if isinstance(words, str) else list(words)
    first = Path(argv[0]).name
    named = [each for each in argv[1:] if not each.startswith("-")]
    return (
        str(named[0])
        if named and (first in _INTERPRETERS or first.startswith("python"))
        else str(argv[0])
    )


def _resumes(profile: Profile | None, *, acp: bool) -> bool:
    if profile is None:
        return acp
    return profile.acp.resumes if acp and profile.acp else profile.resumes


def _takes_tools(profile: Profile | None, table: Mapping[str, Any], *, acp: bool) -> bool:
    if table.get("report", "tool") not in {"", "tool"}:
        return False
    if profile is None:
        return acp
    return profile.acp.mcp == "stdio" if acp and profile.acp else profile.takes_tools


def _version(profile: Profile | None, table: Mapping[str, Any], environ: Mapping[str, str]) -> str:
    if profile is None:
        return ""
    path = shutil.which(str(table.get("program") or profile.program), path=environ.get("PATH"))
    return version(path, environ) if path else ""
