"""All profiles, and which of the programs are installed here."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from podium.agents.environment import agent_environment
from podium.agents.profiles.claude import CLAUDE
from podium.agents.profiles.codex import CODEX
from podium.agents.profiles.copilot import COPILOT
from podium.agents.profiles.gemini import GEMINI, QWEN
from podium.agents.profiles.kimi import KIMI
from podium.agents.profiles.opencode import OPENCODE
from podium.agents.profiles.plain import AIDER, MINI
from podium.agents.profiles.profile import Profile

PROFILES: Mapping[str, Profile] = {
    each.name: each for each in (CLAUDE, CODEX, GEMINI, OPENCODE, COPILOT, QWEN, KIMI, AIDER, MINI)
}
_VERSION_TIMEOUT_S = 5.0
_NUMBER = re.compile(r"\d+(?:\.\d+)+")


@dataclass(frozen=True)
class Found:
    name: str
    path: str


def discover(which: Callable[[str], str | None] = shutil.which) -> list[Found]:
    """The known programs on this machine, in the order of the table."""
    paths = ((name, which(profile.program)) for name, profile in PROFILES.items())
    return [Found(name, path) for name, path in paths if path]


def untried(profile: Profile, said: str) -> str:
    """The version a program reports, if the profile was not tested with it; otherwise empty."""
    found = _NUMBER.search(said)
    return "" if found is None or found.group() in profile.versions else found.group()


def version(path: str, environ: Mapping[str, str] | None = None) -> str:
    """The first line of `--version`; empty if none comes in time. Its environment contains no
    key.
    """
    import signal  # noqa: PLC0415
    import subprocess  # noqa: PLC0415  # only doctor and agents need it

    env = agent_environment((), os.environ if environ is None else environ, {})
    null = subprocess.DEVNULL
    try:
        process = subprocess.Popen(
            (path, "--version"),
            env=env,
            stdin=null,
            stdout=subprocess.PIPE,
            stderr=null,
            start_new_session=True,
        )
    except OSError:
        return ""
    with process:
        try:
            said, _ = process.communicate(timeout=_VERSION_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return ""
    lines = said.decode(errors="replace").strip().splitlines()
    return lines[0].strip()[:200] if lines and process.returncode == 0 else ""
