"""Keys typed at a terminal on which something is painted: not echoed, and read one by one while
somebody is asked.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import re
import select
import termios
import time
from collections.abc import Callable
from typing import Any

_NAMED = {
    "\r": "enter",
    "\n": "enter",
    "\x7f": "backspace",
    "\x08": "backspace",
    "\t": "tab",
    "\x15": "clear",
    "\x04": "esc",
    "\x1b[A": "up",
    "\x1b[B": "down",
    "\x1bOA": "up",
    "\x1bOB": "down",
    "\x1b[5~": "pgup",
    "\x1b[6~": "pgdn",
    "\x1b[H": "home",
    "\x1b[F": "end",
    "\x1b[1~": "home",
    "\x1b[4~": "end",
    "\x1bOH": "home",
    "\x1bOF": "end",
}
_ONE = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1bO.|\x1b(?![\[O])|.", re.DOTALL)


class Keyboard:
    def __init__(self, descriptor: int) -> None:
        self._fd = descriptor
        self._usual: list[Any] | None = None
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def read(self, seconds: float) -> list[str]:
        """Keys pressed within that many seconds: characters, or names like `enter`, `esc`, `up`."""
        if not self._taken():
            time.sleep(seconds)
            return []
        ready, _, _ = select.select([self._fd], [], [], seconds)
        if not ready:
            return []
        data = os.read(self._fd, 4096)
        if not data:  # the terminal is gone
            time.sleep(seconds)
        return keys(self._decoder.decode(data))

    def hush(self) -> None:
        """Switch echo off while nobody is asked, so that typed text does not end up in the
        picture.
        """
        self._set(_unseen)

    def give_back(self) -> None:
        """Restore whole lines and echo."""
        usual, self._usual = self._usual, None
        if usual is not None and self._ours():
            with contextlib.suppress(termios.error, OSError):
                termios.tcsetattr(self._fd, termios.TCSAFLUSH, usual)

    def _taken(self) -> bool:
        """Switch to single keys; False if impossible. What was typed before the question is
        discarded.
        """
        return self._set(_one_by_one)

    def _set(self, how: Callable[[list[Any]], list[Any]]) -> bool:
        """Change the terminal from its usual settings; False if impossible. A shell switches it
        back after Ctrl-Z.
        """
        if not self._ours():
            return False
        try:
            now = termios.tcgetattr(self._fd)
            self._usual = self._usual or now
            meant = how(self._usual)
            if now[3] != meant[3]:
                termios.tcsetattr(self._fd, termios.TCSAFLUSH, meant)
        except (termios.error, OSError):
            return False
        return True

    def _ours(self) -> bool:
        """Whether we are in the foreground: a background process would be stopped for touching
        the terminal.
        """
        try:
            return os.tcgetpgrp(self._fd) == os.getpgrp()
        except OSError:
            return False


def _unseen(usual: list[Any]) -> list[Any]:
    """Whole lines without echo."""
    meant = [*usual[:6], list(usual[6])]
    meant[3] &= ~termios.ECHO
    return meant


def _one_by_one(usual: list[Any]) -> list[Any]:
    """The same as `tty.setcbreak`."""
    meant = _unseen(usual)
    meant[3] &= ~termios.ICANON
    meant[6][termios.VMIN], meant[6][termios.VTIME] = 1, 0
    return meant


def keys(text: str) -> list[str]:
    """The keys in a text; sequences without a meaning here are dropped."""
    found = []
    for each in _ONE.findall(text):
        name = _NAMED.get(each) or ("esc" if each == "\x1b" else each)
        if len(name) == 1 and not name.isprintable():
            continue
        if not name.startswith("\x1b"):
            found.append(name)
    return found
