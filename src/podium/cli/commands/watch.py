"""`podium watch [RUN…]`: shows runs that other processes drive, as the driving command would."""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict

from podium.cli import context, driving, people
from podium.cli.attending import listen, unheard
from podium.cli.following import Followed
from podium.cli.in_place import Person, may_ask
from podium.cli.keyboard import Keyboard
from podium.cli.observers import paints
from podium.cli.terminal import Terminal, terminal
from podium.core.errors import PodiumError
from podium.core.run import ENDED
from podium.views.fitting import columns
from podium.views.gate import Gate
from podium.views.look import Look
from podium.views.style import Style
from podium.views.terminal.several import stacked
from podium.views.terminal.watching import LiveWatch, PlainWatch, QuietWatch, StreamWatch, Watching
from podium.wiring import App
from podium.wiring_values import RunOptions

POLL_S, LOOK_S = 0.25, 1.0
"""How often journals are read, and how often drivers and transcripts are checked."""


def configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "runs", metavar="RUN", nargs="*", help="ids, prefixes, or @; default: all runs in progress"
    )
    parser.add_argument("--once", action="store_true", help="print the current picture and exit")


def run(args: Namespace) -> int:
    out, app = terminal(args), context.app(args)
    runs = list(dict.fromkeys(app.resolve(each) for each in args.runs)) or _live(app)
    if not runs:
        out.answer({"runs": []}, "No run is in progress here. `podium list` names them all.")
        return 0
    if args.once:
        return _once(out, app, runs)
    return Watch(args, out, app, runs, open_end=not args.runs).go()


def _live(app: App) -> list[str]:
    """Runs that somebody drives; if there are none, those that have not ended."""
    known = [each for each in reversed(app.list()) if each.status != "damaged"]
    driven = [each.run for each in known if each.holder]
    return driven or [
        each.run for each in known if each.status not in {status.value for status in ENDED}
    ]


def _once(out: Terminal, app: App, runs: Sequence[str]) -> int:
    if out.json:
        out.data({"runs": [asdict(app.summary(each)) for each in runs]})
        return 0
    followed = [Followed(app, each) for each in runs]
    for each in followed:
        each.listen(PlainWatch(sys.stderr, several=False))
        each.rests(PlainWatch(sys.stderr, several=False))
    width = columns(100)
    live = any(each.board.status == "active" for each in followed)
    lines = stacked(
        [each.board for each in followed], Look(width, now=time.time() if live else None)
    )
    out.say("\n".join(Style(out.color).lines(lines)))
    return 0


class Watch:
    def __init__(
        self, args: Namespace, out: Terminal, app: App, runs: Sequence[str], *, open_end: bool
    ) -> None:
        """`open_end`: runs that start meanwhile are watched too."""
        self._args, self._out, self._app, self._open_end = args, out, app, open_end
        self._known = set(app.journal.runs())
        self._followed = [Followed(app, each, streamed=out.json) for each in runs]
        self._person: Person | None = None
        self._keyboard: Keyboard | None = None
        self._looked = 0.0

    def go(self) -> int:
        view = self._view()
        with ExitStack() as stack:
            if self._keyboard is not None:
                stack.callback(self._keyboard.give_back)
            stack.enter_context(view)
            for each in self._followed:
                view.begin(each.board)
            while not all(each.over for each in self._followed):
                self._step(view)
                if self._person is not None:
                    self._person.check()
                if (
                    chosen := next((run for run, yes in self._going().items() if yes), "")
                ) and isinstance(view, LiveWatch):
                    view.goes_on = chosen
                    break
                time.sleep(POLL_S)
        if isinstance(view, LiveWatch) and view.goes_on:
            who = people.person(context.project(self._args))
            return driving.resume(self._args, self._out, view.goes_on, RunOptions(by=who))
        return max(each.exit_code for each in self._followed)

    def _going(self) -> dict[str, bool]:
        return self._person.going if self._person is not None else {}

    def _view(self) -> Watching:
        if self._out.json:
            return StreamWatch(sys.stdout)
        if self._out.quiet:
            return QuietWatch(sys.stdout)
        ui = context.settings(self._args).ui
        if not (ui.live and paints()):
            return PlainWatch(sys.stdout, several=len(self._followed) > 1 or self._open_end)
        view = LiveWatch(sys.stdout, self._out.color and ui.color)
        if may_ask(self._args, self._out):
            self._person, self._keyboard = Person(self._args), Keyboard(sys.stdin.fileno())
            view.desk = self._person.desk
            view.desk.several = len(self._followed) > 1 or self._open_end
            listen(view.screen, self._person, self._keyboard, self._gates)
        else:
            self._keyboard = unheard(view.screen)
        return view

    def _gates(self) -> list[tuple[str, Gate]]:
        return [(each.run, gate) for each in self._followed for gate in each.board.gates.values()]

    def _step(self, view: Watching) -> None:
        for each in self._followed:
            each.more(view)
        if time.monotonic() - self._looked < LOOK_S and not all(
            each.over or each.board.status not in {"", "active"} for each in self._followed
        ):
            return
        self._looked = time.monotonic()
        self._join(view)
        for each in self._followed:
            each.listen(view)
            if not each.over and each.rests(view) and self._left(each):
                each.over = True
                view.leave(each.board)

    def _left(self, each: Followed) -> bool:
        """Whether a run at rest can be left; a person who can be asked is asked first."""
        person = self._person
        if person is None or each.board.status != "waiting":
            return True
        waiting = person.waiting(each.run)
        if waiting:
            return person.put_off(waiting)
        if each.elsewhere:
            return False  # its workers process the decision and continue
        if each.run not in person.going:
            person.desk.offer(each.run)
        return person.going.get(each.run) is False

    def _join(self, view: Watching) -> None:
        fresh = (
            [each for each in self._app.journal.runs() if each not in self._known]
            if self._open_end
            else []
        )
        self._known |= set(fresh)
        for run in fresh:
            try:
                found = Followed(self._app, run, streamed=self._out.json)
            except PodiumError:
                continue  # it is still being created
            self._followed.append(found)
            view.begin(found.board)
