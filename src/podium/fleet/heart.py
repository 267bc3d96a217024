"""An owner's heartbeat: it keeps the lease, hears of a takeover and of a wish to cancel, and stops in time when cut off."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime

from podium.engine.runs import CANCEL
from podium.fleet.link import Unreachable
from podium.fleet.orders import CODES, Result
from podium.fleet.postgres_journal import PostgresJournal

ALONE = 1.25
"""Beats without an answer after which an owner gives up: sooner than its lease is over."""


class Heart:
    """Two threads: one speaks with the database on a connection of its own, one watches whether that still works."""

    def __init__(self, database: str, run: str, epoch: int, beat_s: float) -> None:
        self._database, self._run, self._epoch, self._beat_s = database, run, epoch, beat_s
        self._over = threading.Event()
        self._last = _clock()
        self._threads = [threading.Thread(target=each, daemon=True) for each in (self._beat, self._watch)]
        self.on_cancel: Callable[[], None] | None = None
        """Called once when somebody wants the run to end."""

    def start(self) -> None:
        for each in self._threads:
            each.start()

    def stop(self) -> None:
        self._over.set()
        for each in self._threads:
            each.join(timeout=5)

    def _beat(self) -> None:
        journal: PostgresJournal | None = None
        while not self._over.is_set():
            now = _clock()
            try:
                journal = journal or PostgresJournal(self._database, _now, beat_s=self._beat_s, patience_s=0)
                if not journal.beat(self._run, self._epoch):
                    _end("another worker has taken the run over, or the lease was over")
                self._last = now
                if self.on_cancel is not None and CANCEL in journal.inbox(self._run):
                    self.on_cancel()
                    self.on_cancel = None
            except Unreachable:
                pass  # the other thread counts
            self._over.wait(self._beat_s / 2)
        if journal is not None:
            journal.link.close()

    def _watch(self) -> None:
        """Whoever can still reach the database may open the run when the lease is over: nothing of ours may be left then."""
        while not self._over.wait(self._beat_s / 10):
            if _clock() - self._last > self._beat_s * ALONE:
                _end("the journal was out of reach for too long")


def _clock() -> float:
    """Also runs while the machine sleeps."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


def _end(why: str) -> None:
    """At once, and without a word to anybody: shims end the agents when this process is gone."""
    sys.stderr.write(f"podium worker: fenced: {why}\n")
    sys.stderr.flush()
    os._exit(CODES[Result.FENCED])


def _now() -> datetime:
    return datetime.now(UTC)
