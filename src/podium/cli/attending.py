"""A run with a person at the terminal: it rests at a gate, they decide, and it continues in the
same process.
"""

from __future__ import annotations

import sys
import time
from argparse import Namespace
from collections.abc import Callable
from types import TracebackType
from typing import Self

from podium.cli.in_place import Person, may_ask
from podium.cli.keyboard import Keyboard
from podium.cli.line_desk import LinePerson
from podium.cli.observers import View
from podium.cli.terminal import Terminal
from podium.core.run import Status
from podium.engine.outcome import Ended
from podium.views.gate import Gate
from podium.views.terminal.live import LiveView
from podium.views.terminal.screen import Screen

PATIENCE_S = 1.5


class Attended:
    """The person who can be asked while a view is open; nobody if `person` is None."""

    def __init__(self, person: Person | None, keyboard: Keyboard | None = None) -> None:
        self.person = person
        self._keyboard = keyboard

    def through(
        self, ended: Ended, again: Callable[[str], Ended], catch_up: Callable[[str], None]
    ) -> Ended:
        """Drive the run until it finally rests: at each gate the person is asked, and their
        decision continues it.
        """
        while self.person is not None and ended.status is Status.WAITING and ended.gates:
            if not self.person.settled(ended.run):
                break
            catch_up(ended.run)
            self._free(ended.run)
            self.person.forget(ended.run)
            ended = again(ended.run)
        return ended

    def _free(self, run: str) -> None:
        """Whoever decided elsewhere holds the run for a moment; if they want to drive it, they
        go first.
        """
        person = self.person
        held, end = (
            False,
            time.monotonic()
            + (PATIENCE_S if person is not None and not person.decided_all(run) else 0.0),
        )
        while person is not None and (time.monotonic() < end or held):
            held = bool(person.app.summary(run).holder)
            if held and time.monotonic() > end + PATIENCE_S:
                break
            time.sleep(0.05)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
        /,
    ) -> None:
        if self._keyboard is not None:
            self._keyboard.give_back()


def attended(args: Namespace, out: Terminal, view: View, *, asking: bool = True) -> Attended:
    """The person at this terminal, with the view they look at; nobody if none can be asked."""
    asking = asking and may_ask(args, out)
    if not isinstance(view, LiveView):
        return Attended(LinePerson(args, out.color) if asking else None)
    if not asking:
        return Attended(None, unheard(view.screen))
    person, keyboard = Person(args), Keyboard(sys.stdin.fileno())
    view.desk = person.desk
    board = view.board
    listen(
        view.screen, person, keyboard, lambda: [(board.run, gate) for gate in board.gates.values()]
    )
    return Attended(person, keyboard)


def listen(
    screen: Screen, person: Person, keyboard: Keyboard, gates: Callable[[], list[tuple[str, Gate]]]
) -> None:
    """Between two drawings the screen's own thread takes keys, as long as something is asked."""
    usual = screen.pause

    def pause(seconds: float) -> None:
        with screen.lock:
            person.see(gates())
            asks = bool(person.desk.asked or person.desk.offered)
        if not asks:
            keyboard.hush()
            usual(seconds)
            return
        for key in keyboard.read(seconds):
            act = person.desk.press(key)
            if act is not None:
                person.perform(act)
                with screen.lock:
                    person.see(gates())

    keyboard.hush()  # before the first drawing
    screen.pause, person.check = pause, screen.check


def unheard(screen: Screen) -> Keyboard:
    """The keyboard of a terminal at which nobody is asked: echo is off until it is given back."""
    usual, keyboard = screen.pause, Keyboard(sys.stdout.fileno())

    def pause(seconds: float) -> None:
        keyboard.hush()
        usual(seconds)

    keyboard.hush()  # before the first drawing
    screen.pause = pause
    return keyboard
