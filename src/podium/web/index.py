"""The entries of the list: at once from the ends of the journals, in full as soon as there was time to read them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace

from podium.core.errors import PodiumError
from podium.web.cards import Card, Cards, Signature
from podium.web.pages import runs
from podium.wiring import App, Summary

AT_ONCE_S = 0.2
"""How long somebody who asks for the list waits for full entries."""
PAUSE_S = 0.003
"""Between two runs that are read in the background, so that pages are served meanwhile."""


class Index:
    def __init__(self, cards: Cards, app: Callable[[], App], driven: Callable[[str], bool]) -> None:
        self._cards, self._app, self._driven = cards, app, driven
        self._full: dict[str, tuple[Signature, runs.Entry]] = {}
        self._light: dict[str, tuple[Signature, runs.Entry]] = {}
        self._lock = threading.Lock()
        self._busy = False
        self._ended = False

    def entries(self) -> list[runs.Entry]:
        """One for each run; those that could not be read in time are light, and read next."""
        cards, now = self._cards.look(), self._cards.signatures()
        until = time.monotonic() + AT_ONCE_S
        found: list[runs.Entry] = []
        late = False
        for each in cards:
            mark = now.get(each.run, ())
            known = self._full.get(each.run)
            if known is not None and known[0] == mark:
                found.append(known[1])
            elif time.monotonic() < until:
                found.append(self._read(each.run, mark))
            else:
                late = True
                found.append(self._lightly(each, mark))
        for gone in [run for run in self._full if run not in now]:
            self._full.pop(gone, None)
            self._light.pop(gone, None)
        if late:
            self._begin()
        # Who drives a run is not in its files: it may have begun or ended without a word there.
        return [replace(each, driven=self._driven(each.run)) if each.status == "active" else each for each in found]

    def whole(self) -> bool:
        """Whether every entry is a full one."""
        return all(self._full.get(run, ((), None))[0] == mark for run, mark in self._cards.signatures().items())

    def warm(self) -> None:
        """Read the ends of all journals now, and the rest in the background."""
        for each in self._cards.look():
            self._lightly(each, self._cards.signatures().get(each.run, ()))
        self._begin()

    def end(self) -> None:
        self._ended = True

    def _begin(self) -> None:
        with self._lock:
            if self._busy:
                return
            self._busy = True
        threading.Thread(target=self._catch_up, name="podium-index", daemon=True).start()

    def _catch_up(self) -> None:
        try:
            for run, mark in self._cards.signatures().items():
                if self._ended:
                    return
                if self._full.get(run, ((), None))[0] != mark:
                    self._read(run, mark)
                    time.sleep(PAUSE_S)
        finally:
            self._busy = False

    def _read(self, run: str, mark: Signature) -> runs.Entry:
        app = self._app()
        try:
            entry = runs.entry(app.summary(run), app.events(run), app.workflow(run).steps.values())
        except (PodiumError, OSError) as fault:
            way_out = f"look at .podium/runs/{run}; move that folder away if the run is not needed"
            entry = runs.damaged(Summary(run, "?", "", "damaged", "", str(fault), "damaged", "", "", advice=(way_out,)))
        self._full[run] = (mark, entry)
        return entry

    def _lightly(self, card: Card, mark: Signature) -> runs.Entry:
        known = self._light.get(card.run)
        if known is not None and known[0] == mark:
            return known[1]
        words = (card.workflow, card.title, card.status, card.step, card.reason, card.stop, card.started, card.updated)
        summary = Summary(card.run, *words)
        entry = runs.damaged(summary) if card.status == "damaged" else runs.entry(summary, ())
        self._light[card.run] = (mark, entry)
        return entry
