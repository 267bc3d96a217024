"""The same desk where nothing may be painted: a question in lines, an answer in one line."""

from __future__ import annotations

import contextlib
import os
import sys
import termios
from argparse import Namespace
from collections.abc import Sequence

from podium.agents.human import PAUSED
from podium.cli.in_place import Ident, Person
from podium.views.look import Line
from podium.views.style import Style
from podium.views.terminal.painter import terminal_size
from podium.views.terminal.reader import Reader

LONG = 400
"""How many lines of a document are printed."""


class LinePerson(Person):
    """Asked only while the run rests; at other times a person who plays a role is asked by their
    agent.
    """

    def __init__(self, args: Namespace, color: bool = False) -> None:
        super().__init__(args)
        self._style = Style(color)

    def waiting(self, run: str) -> list[Ident]:
        """Somebody who has just paused their own work is not asked about it."""
        found = super().waiting(run)
        paused = {
            (run, gate.key, gate.opened)
            for gate in self._resting[run]
            if gate.kind == "question" and f"({PAUSED})" in gate.prompt
        }
        self._later |= paused
        return found

    def wait(self) -> None:
        """One question and one answer; the end of the input leaves everything for later."""
        self.see(())
        desk = self.desk
        if desk.now is None:
            return
        _forget_typed(sys.stdin.fileno())
        self._print(desk.lines(terminal_size(sys.stdout)[0], None))
        sys.stdout.write(" > ")
        sys.stdout.flush()
        said = _line(sys.stdin.fileno())
        typing = desk.mode in {"note", "text", "number"}
        for key in [*said, "enter"] if typing else [said[:1] or "enter"]:
            if (act := desk.press(key)) is not None:
                self.perform(act)
        if desk.reader is not None:
            self._read(desk.reader)
            desk.reader = None

    def _read(self, reader: Reader) -> None:
        width = terminal_size(sys.stdout)[0]
        self._print(reader.page(width, LONG)[:-1])

    def _print(self, lines: Sequence[Line]) -> None:
        text = "\n".join(self._style.lines(lines)).rstrip()
        encoding = sys.stdout.encoding or "utf-8"
        sys.stdout.write(text.encode(encoding, "replace").decode(encoding) + "\n")


def _forget_typed(descriptor: int) -> None:
    """Discard what was typed before the question; once it is shown, every key counts."""
    with contextlib.suppress(termios.error):
        termios.tcflush(descriptor, termios.TCIFLUSH)


def _line(descriptor: int) -> str:
    """The next line, read the same way as for a person who plays a role, so that neither takes
    the other's input.
    """
    data = os.read(descriptor, 65536)
    if not data:
        raise KeyboardInterrupt
    return data.decode(errors="replace").strip()
