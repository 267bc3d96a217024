"""Gates answered where they open: what a person at this terminal does, through the same facade as
everything else.

Every decision is bound to the bytes that were shown. Nobody is asked without a terminal, with
--json or --quiet, under an agent, or if `[ui] ask` is off.
"""

from __future__ import annotations

import os
import sys
import threading
from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import replace

from podium.cli import context, people
from podium.cli.subject_texts import as_it_is, diff_sections, stored_sections, subject_sections
from podium.cli.terminal import Terminal
from podium.core.errors import PodiumError
from podium.engine.decisions import Changed
from podium.settings.environment import under_agent
from podium.views.gate import Gate, gate_from
from podium.views.report.ledger import Ledger
from podium.views.terminal.desk import Act, Asked, Decision, Desk, Go, Later, Show
from podium.wiring import App

Ident = tuple[str, str, str]
POLL_S = 0.5
"""How often a resting run is checked for decisions made elsewhere."""


def may_ask(args: Namespace, out: Terminal) -> bool:
    """Whether a person sits at this terminal."""
    if out.json or out.quiet or under_agent(os.environ):
        return False
    return sys.stdin.isatty() and sys.stdout.isatty() and context.settings(args).ui.ask


class Person:
    """Somebody who decides here: what they were shown, what they decided, what they put off."""

    def __init__(self, args: Namespace, desk: Desk | None = None) -> None:
        self.desk = desk or Desk()
        self.going: dict[str, bool] = {}
        """Whether a run that was offered should continue here."""
        self.check: Callable[[], None] = lambda: None
        """Raises the fault that keeps keys from being read."""
        self._args = args
        self._by = ""
        self._shown: dict[Ident, Asked] = {}
        self._done: dict[Ident, str] = {}
        """What was decided here, in words; also gates that others decided."""
        self._here: set[Ident] = set()
        self._later: set[Ident] = set()
        self._resting: dict[str, list[Gate]] = {}
        self._woken = threading.Event()
        self._deciding = threading.Lock()
        """Held while a decision is being recorded: it opens the run for a moment, which nobody
        else may do then.
        """

    @property
    def app(self) -> App:
        return context.app(self._args)

    def see(self, open_ones: Sequence[tuple[str, Gate]]) -> None:
        """Take over the gates that are open now; for a resting run, those that its summary
        names.
        """
        known = {
            (run, gate.key, gate.opened): (run, gate)
            for run, gate in open_ones
            if run not in self._resting
        }
        known |= {
            (run, gate.key, gate.opened): (run, gate)
            for run, gates in list(self._resting.items())
            for gate in gates
        }
        waiting = [ident for ident in known if ident not in self._done and ident not in self._later]
        for ident in waiting:
            if ident not in self._shown:
                self._shown[ident] = self._as_shown(*known[ident])
        self.desk.aside = any(ident in self._later for ident in known)
        self.desk.answered = [
            f"{ident[1]} {self._done[ident]}" for ident in known if self._done.get(ident)
        ]
        self.desk.put([self._shown[ident] for ident in waiting])

    def perform(self, act: Act) -> None:
        match act:
            case Decision():
                with self._deciding:
                    self._decide(act)
            case Show(asked=asked, what="subject"):
                app = self.app
                if context.elsewhere(app, asked.run):
                    sections = stored_sections(app.folder(asked.run), asked.gate)
                else:
                    sections, marks = subject_sections(app.project, asked.gate)
                    self._mark(asked, marks)
                self.desk.read(f"{asked.gate.key}: what you decide about", sections)
            case Show(asked=asked):
                self.desk.read(
                    f"{asked.gate.key}: what was changed",
                    diff_sections(
                        self.app,
                        asked.run,
                        asked.gate,
                        here=not context.elsewhere(self.app, asked.run),
                    ),
                )
            case Later(asked=asked):
                self._later.add(asked.ident)
            case Go(run=run, yes=yes):
                self.going[run] = yes
                self.desk.offer("")
        self._woken.set()

    def settled(self, run: str) -> bool:
        """Wait until all gates of a resting run are decided, here or elsewhere; False if one is
        left for later.
        """
        try:
            while True:
                self._woken.clear()
                waiting = self.waiting(run)
                if not waiting:
                    return True
                if self.put_off(waiting):
                    return False
                self.check()
                self.wait()
        except KeyboardInterrupt:
            return False
        finally:
            self._resting.pop(run, None)

    def decided_all(self, run: str) -> bool:
        """Whether every gate of the run that was shown here was decided here."""
        return all(ident in self._here for ident in self._shown if ident[0] == run)

    def forget(self, run: str) -> None:
        """Forget what was shown at this rest; the next one asks again."""
        self._shown = {ident: asked for ident, asked in self._shown.items() if ident[0] != run}

    def put_off(self, waiting: Sequence[Ident]) -> bool:
        return all(ident in self._later for ident in waiting)

    def wait(self) -> None:
        """Wait until something was decided, or it is time to look again."""
        self._woken.wait(POLL_S)

    def waiting(self, run: str) -> list[Ident]:
        """The gates of a resting run that nobody has decided, here or elsewhere."""
        with self._deciding:
            gates = [
                gate_from(each, str(each.get("opened", ""))) for each in self.app.summary(run).gates
            ]
        self._resting[run] = gates
        return [
            (run, gate.key, gate.opened)
            for gate in gates
            if (run, gate.key, gate.opened) not in self._done
        ]

    def _decide(self, act: Decision) -> None:
        asked, desk = act.asked, self.desk
        self._by = self._by or people.person(self.app.project)
        gate, note, by, seen = asked.gate.key, act.note, self._by, act.seen
        try:
            if act.verb == "approve":
                self.app.approve(asked.run, gate=gate, note=note, by=by, seen=seen)
            elif act.verb == "reject":
                self.app.reject(asked.run, gate=gate, note=note, to=act.to, by=by, seen=seen)
            else:
                self.app.answer(
                    asked.run,
                    gate=gate,
                    choice=act.choice,
                    text=act.text,
                    note=note,
                    by=by,
                    seen=seen,
                )
        except Changed as fault:
            self._mark(asked, self._marks(asked.run, asked.gate))
            desk.back()
            desk.notice = str(fault)
        except PodiumError as fault:
            desk.back()
            desk.notice = str(fault)
            if said := self._elsewhere(asked):
                self._done[asked.ident], desk.notice = said, ""
        else:
            self._done[asked.ident] = act.said
            self._here.add(asked.ident)
            desk.back()
            desk.notice = ""

    def _elsewhere(self, asked: Asked) -> str:
        """What somebody else has decided about the gate meanwhile, in words; "" if nobody has."""
        found = [
            each
            for each in Ledger(self.app.events(asked.run)).decisions
            if each.key == asked.gate.key
        ]
        return (
            f"was {found[-1].decision} by {found[-1].by} elsewhere"
            if found and found[-1].decision
            else ""
        )

    def _as_shown(self, run: str, gate: Gate) -> Asked:
        marks = self._marks(run, gate)
        return Asked(
            run,
            replace(gate, subject=marks),
            tuple(sorted(path for path in marks if marks[path] != gate.subject[path])),
        )

    def _marks(self, run: str, gate: Gate) -> dict[str, str]:
        """Digests of the current files; for a run of the fleet those of the gate, since its
        files are not here.
        """
        app = self.app
        if context.elsewhere(app, run):
            return dict(gate.subject)
        return {path: as_it_is(app.project / path)[0] for path in gate.subject}

    def _mark(self, asked: Asked, marks: dict[str, str]) -> None:
        """Update what is shown: the person must see it before they press a key."""
        moved = {path for path in marks if marks[path] != asked.gate.subject.get(path)}
        changed = tuple(sorted({*asked.changed, *moved}))
        self._shown[asked.ident] = replace(
            asked, gate=replace(asked.gate, subject=marks), changed=changed
        )
        self.desk.asked = [self._shown.get(each.ident, each) for each in self.desk.asked]
