"""A person's own program, told about an event on its standard input; and the one that shows
desktop notices.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from podium.agents.environment import agent_environment
from podium.reach.channel import Undelivered
from podium.reach.notice import Notice

SESSION = (
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "DBUS_SESSION_BUS_ADDRESS",
    "XDG_RUNTIME_DIR",
    "XAUTHORITY",
)
"""What a program needs to find the desktop."""
_SHOWN = 300


@dataclass(frozen=True)
class Hook:
    """`[notify] command`."""

    command: Sequence[str]
    folder: Path
    timeout_s: float
    environ: Mapping[str, str]
    name: str = "command"

    def send(self, notice: Notice) -> None:
        told = json.dumps(notice.body(), sort_keys=True).encode() + b"\n"
        _run(self.command, told, self.folder, self.timeout_s, scrubbed(self.environ))


@dataclass(frozen=True)
class Desktop:
    """`[notify] desktop`: notify-send, or osascript on a Mac."""

    timeout_s: float
    environ: Mapping[str, str]
    platform: str = sys.platform
    name: str = "desktop"

    def send(self, notice: Notice) -> None:
        argv = self._argv(notice.head(), notice.words())
        if not argv:
            raise Undelivered(f"{missing(self.platform)} is not on PATH")
        _run(argv, b"", Path("/"), self.timeout_s, scrubbed(self.environ, SESSION))

    def _argv(self, head: str, words: str) -> list[str]:
        path = self.environ.get("PATH", os.defpath)
        if self.platform == "darwin":
            program = shutil.which("osascript", path=path)
            # Both texts are arguments, not part of the script: nothing in them is executed.
            script = (
                "on run words",
                "display notification (item 2 of words) with title (item 1 of words)",
                "end run",
            )
            return (
                [program, *(part for line in script for part in ("-e", line)), head, words]
                if program
                else []
            )
        program = shutil.which("notify-send", path=path)
        return [program, "--app-name=podium", "--", head, _plain(words)] if program else []


def missing(platform: str = sys.platform) -> str:
    return "osascript" if platform == "darwin" else "notify-send"


def has_desktop(environ: Mapping[str, str], platform: str = sys.platform) -> bool:
    """Whether somebody sits at a screen that can show notices, as far as can be known."""
    path = environ.get("PATH", os.defpath)
    if (
        not shutil.which(missing(platform), path=path)
        or environ.get("CI")
        or environ.get("SSH_CONNECTION")
    ):
        return False
    return platform == "darwin" or bool(environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY"))


def scrubbed(environ: Mapping[str, str], allow: Sequence[str] = ()) -> dict[str, str]:
    """No keys, no tokens, and no mark of an agent: it is a person's program."""
    found = agent_environment(allow, environ, {})
    found.pop("PODIUM_AGENT", None)
    return found


def _plain(words: str) -> str:
    """Escape markup, which some desktops interpret in the body."""
    return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _run(
    argv: Sequence[str], told: bytes, folder: Path, timeout_s: float, environ: Mapping[str, str]
) -> None:
    """Run it in its own process group, which ends with the time limit; its stderr explains a
    failure.
    """
    with tempfile.TemporaryFile() as errors, tempfile.TemporaryFile() as given:
        given.write(told)
        given.seek(0)
        try:
            started = subprocess.Popen(
                argv,
                stdin=given,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                cwd=folder,
                env=environ,
                start_new_session=True,
            )
        except (OSError, ValueError) as fault:
            raise Undelivered(
                f"{argv[0]} cannot be started: {getattr(fault, 'strerror', None) or fault}"
            ) from None
        try:
            code = started.wait(timeout_s)
        except subprocess.TimeoutExpired:
            _end(started)
            raise Undelivered(
                f"{argv[0]} did not end within {timeout_s:g} s and was stopped"
            ) from None
        if code:
            size = errors.seek(0, os.SEEK_END)
            errors.seek(max(size - _SHOWN, 0))
            said = " ".join(errors.read().decode(errors="replace").split())
            raise Undelivered(f"{argv[0]} ended with {code}" + (f": {said}" if said else ""))


def _end(started: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(started.pid, signal.SIGKILL)
    started.wait()
