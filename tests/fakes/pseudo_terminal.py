"""A person at a terminal of their own: sees a screen, presses keys."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import pyte

SOURCE = str(Path(__file__).parents[2] / "src")
PATIENCE_S = 30


def environment(**more: str) -> dict[str, str]:
    """Nothing of whoever runs the tests."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PODIUM_", "GIT_")) and name not in {"NO_COLOR", "COLUMNS", "LINES"}
    }
    return {**kept, "TERM": "xterm-256color", "PYTHONPATH": SOURCE, "PODIUM_USER": "Ada", **more}


class PseudoTerminal:
    def __init__(
        self,
        words: Sequence[str],
        cwd: Path,
        *,
        width: int = 100,
        height: int = 30,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self._own, child = pty.openpty()
        self._child = child
        self.resize(width, height, child)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "podium", *words],
            stdin=child,
            stdout=child,
            stderr=child,
            cwd=cwd,
            env=environment(**(env or {})),
            start_new_session=True,
            preexec_fn=_controls,  # noqa: PLW1509 - no threads here
        )
        os.close(child)
        self.screen = pyte.Screen(width, height)
        self._stream = pyte.ByteStream(self.screen)
        self.data = b""

    def resize(self, width: int, height: int, descriptor: int | None = None) -> None:
        fcntl.ioctl(
            self._own if descriptor is None else descriptor,
            termios.TIOCSWINSZ,
            struct.pack("HHHH", height, width, 0, 0),
        )
        if descriptor is None:
            self.screen.resize(height, width)

    @property
    def lines(self) -> list[str]:
        return [line.rstrip() for line in self.screen.display]

    @property
    def text(self) -> str:
        return "\n".join(self.lines).rstrip()

    def see(self, pattern: str, patience: float = PATIENCE_S) -> str:
        """Wait until the screen shows it."""
        end = time.monotonic() + patience
        while not re.search(pattern, self.text):
            if not self._more(0.1) or time.monotonic() > end:
                break
        assert re.search(pattern, self.text), f"no {pattern!r} on the screen:\n{self.text}"
        return self.text

    def press(self, keys: str, then: str = "") -> str:
        os.write(self._own, keys.encode())
        return self.see(then) if then else self.text

    def insist(self, keys: str, then: str) -> str:
        """Press until it is seen: what comes before the program listens answers nothing, and a
        person presses again.
        """
        for _ in range(5):
            os.write(self._own, keys.encode())
            with contextlib.suppress(AssertionError):
                return self.see(then, PATIENCE_S / 5)
        return self.see(then)

    def ends(self) -> int:
        """The exit code, once all was said."""
        end = time.monotonic() + PATIENCE_S
        while self._more(0.1) and time.monotonic() < end:
            pass
        return self.process.wait(10)

    def close(self) -> None:
        """Whatever a test left there."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(10)
        os.close(self._own)

    def echoes(self) -> bool:
        """Whether the terminal is as a shell left it."""
        usual = termios.ECHO | termios.ICANON
        return termios.tcgetattr(self._own)[3] & usual == usual

    def _more(self, seconds: float) -> bool:
        ready, _, _ = select.select([self._own], [], [], seconds)
        if ready:
            try:
                data = os.read(self._own, 65536)
            except OSError:  # the other end is closed
                return False
            self.data += data
            self._stream.feed(data)
            return bool(data)
        return True


def _controls() -> None:
    """Ctrl-C goes to the processes of this terminal, also where the tests run in the background."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
