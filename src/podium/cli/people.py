"""Only people decide; this says who they are."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from podium.core.errors import UsageError
from podium.settings.environment import under_agent


def people_only() -> None:
    """Refuse agents: an agent that could approve would approve itself."""
    if under_agent(os.environ):
        raise UsageError(
            "decisions are for people: this process was started by an agent, and was refused"
        )


def starts_only() -> None:
    """Refuse agents, and commands of a run: what they start would have no gates but their own."""
    if under_agent(os.environ):
        raise UsageError(
            "runs are started and continued by people: this process was started by an agent or a "
            "command of a run, and was refused"
        )


def person(project: Path) -> str:
    """Who decides: $PODIUM_USER, or git's user.name, or the login name."""
    if name := os.environ.get("PODIUM_USER", "").strip():
        return name
    try:
        asked = subprocess.run(
            ["git", "config", "user.name"],
            cwd=project,
            capture_output=True,
            text=True,
            check=False,
            timeout=10,
        )
    except (OSError, subprocess.SubprocessError):
        asked = None
    if asked and asked.stdout.strip():
        return asked.stdout.strip()
    import getpass  # noqa: PLC0415

    try:
        return getpass.getuser()
    except (OSError, KeyError):  # no login name, as in a bare container
        return f"uid {os.getuid()}"
