"""From a table `[agents.NAME]` to the options of a known program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podium.agents.profiles.profile import Profile
from podium.agents.profiles.staging import Options
from podium.core.errors import Fault, InputError


def options_of(
    name: str,
    profile: Profile,
    settings: Mapping[str, Any],
    environ: Mapping[str, str],
    *,
    acp: bool = False,
) -> Options:
    """The checked options. InputError names what this program cannot do."""
    where, faults = f"[agents.{name}]", []
    permissions, report = settings.get("permissions", ""), settings.get("report", "tool")
    asked = permissions in {"policy", "ask"}
    if asked and not acp:
        faults.append(
            Fault(
                where, f'permissions = "{permissions}" needs a way to ask', 'add transport = "acp"'
            )
        )
    if report == "schema" and profile.stream not in {"claude", "codex"}:
        faults.append(
            Fault(where, f"{profile.title} has no schema output", 'report = "tool" or "file"')
        )
    if settings.get("home") == "user" and not profile.login:
        faults.append(
            Fault(
                where,
                f"{profile.title} has no login to lend",
                'home = "private" with a key in the environment',
            )
        )
    if faults:
        raise InputError(faults)
    return Options(
        program=str(settings.get("program", "")),
        model=str(settings.get("model", "")),
        ambient=bool(settings.get("ambient", False)),
        home=settings.get("home", ""),
        permissions="" if asked else permissions,
        report=report,
        turns=settings.get("max_turns"),
        env=tuple(settings.get("env", ())),
        environ=environ,
    )
