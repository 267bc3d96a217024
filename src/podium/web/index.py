"""The entries of the list: at once from the ends of the journals, complete once there was time
to read them.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace

from podium.core.errors import PodiumError
from podium.web.cards import Card, Cards, Signature
from podium.web.pages import runs
from podium.web.pages.frame import Frame
from podium.wiring import App
from podium.wiring_values import Summary, damaged

FEW = 20
"""Up to this many changed runs are read while somebody waits for the list; more are read
afterwards.
"""
PAUSE_S = 0.003
"""Pause between two runs read in the background, so that pages are served meanwhile."""


class Index:
    def __init__(
        self,
        cards: Cards,
        looking: Callable[[str], App],
        driven: Callable[[str], bool],
        far: Callable[[str], bool] = lambda _: False,
    ) -> None:
        """`looking`: the facade for a run; `far`: whether workers of a fleet drive it."""
        self._cards, self._looking, self._driven, self._far = cards, looking, driven, far
        self._full: dict[str, tuple[Signature, runs.Entry]] = {}
        self._light: dict[str, tuple[Signature, runs.Entry]] = {}
        self._lock = threading.Lock()
        self._busy = False
        self._ended = False
        self._owed = False
        """Whether somebody was shown light entries."""
        self.version = 0
        """Grows when more is known about runs than was shown."""

    def entries(self) -> list[runs.Entry]:
        """One entry per run; those that could not be read in time are light, and are read next."""
        cards, now = self._cards.look(), self._cards.signatures()
        old = [each.run for each in cards if not self._is_read(each.run, now)]
        late = len(old) > FEW
        for run in () if late else old:
            self._read(run, now.get(run, ()))
        found = [
            self._full[each.run][1]
            if self._is_read(each.run, now)
            else self._lightly(each, now.get(each.run, ()))
            for each in cards
        ]
        for gone in [run for run in self._full if run not in now]:
            self._full.pop(gone, None)
            self._light.pop(gone, None)
        if late:
            self._owed = True
            self._begin()
        # The files do not say who drives a run: a driver may have started or ended without writing
        # anything.
        told = (replace(each, far=True) if self._far(each.run) else each for each in found)
        return [
            replace(each, driven=self._driven(each.run)) if each.status == "active" else each
            for each in told
        ]

    def whole(self) -> bool:
        """Whether every entry is a full one."""
        now = self._cards.signatures()
        return all(self._is_read(run, now) for run in now)

    def _is_read(self, run: str, now: Mapping[str, Signature]) -> bool:
        known = self._full.get(run)
        return known is not None and known[0] == now.get(run, ())

    def warm(self) -> None:
        """Read the ends of all journals now, the rest in the background; render the page once,
        which takes longest.
        """
        now = self._cards.signatures()
        found = [self._lightly(each, now.get(each.run, ())) for each in self._cards.look()]
        runs.page(Frame("", "", ""), found, runs.Query(), 0.0)
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
            now = self._cards.signatures()
            # The newest first: they are on the first page.
            for run in [each.run for each in self._cards.look()]:
                if self._ended:
                    return
                if not self._is_read(run, now):
                    self._read(run, now.get(run, ()))
                    time.sleep(PAUSE_S)
            if self._owed:
                self._owed, self.version = False, self.version + 1
        finally:
            self._busy = False

    def _read(self, run: str, mark: Signature) -> runs.Entry:
        app = self._looking(run)
        try:
            entry = runs.entry(app.summary(run), app.events(run), app.workflow(run).steps.values())
        except (PodiumError, OSError) as fault:
            entry = runs.damaged(damaged(run, str(fault)))
        self._full[run] = (mark, entry)
        return entry

    def _lightly(self, card: Card, mark: Signature) -> runs.Entry:
        known = self._light.get(card.run)
        if known is not None and known[0] == mark:
            return known[1]
        words = (
            card.workflow,
            card.title,
            card.status,
            card.step,
            card.reason,
            card.stop,
            card.started,
            card.updated,
        )
        summary = Summary(card.run, *words, outcome=card.outcome)
        entry = runs.damaged(summary) if card.status == "damaged" else runs.entry(summary, ())
        self._light[card.run] = (mark, entry)
        return entry
