"""An owner's heartbeat: keeps the lease, notices takeovers and cancellations, and stops in time
when cut off.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime

from podium.core.history import CANCEL
from podium.fleet.journal.link import Unreachable
from podium.fleet.journal.postgres_journal import PostgresJournal
from podium.fleet.orders import CODES, Result

ALONE = 1.25
"""Beats without an answer after which an owner gives up, before its lease expires."""
HELD = 1.35
"""Beats after which the leash kills an owner that did not even do that."""
_LEASH = os.path.join(os.path.dirname(__file__), "leash.py")


class Heart:
    """Two threads: one talks to the database on its own connection, the other checks that this
    still works.
    """

    def __init__(self, database: str, run: str, epoch: int, beat_s: float, since: float) -> None:
        """`since`: when this owner asked for the run, by `clock`; the lease is not older."""
        self._database, self._run, self._epoch, self._beat_s = database, run, epoch, beat_s
        self._over = threading.Event()
        self._last = since
        self._threads = [
            threading.Thread(target=each, daemon=True) for each in (self._beat, self._watch)
        ]
        self.on_cancel: Callable[[], None] | None = None
        """Called once when somebody wants the run to end."""
        self._leash: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self._leash = subprocess.Popen(
            [sys.executable, "-I", "-S", _LEASH, str(self._beat_s * HELD)],
            stdin=subprocess.PIPE,
            start_new_session=True,
        )
        self._tell(self._last)
        for each in self._threads:
            each.start()

    def stop(self) -> None:
        self._over.set()
        for each in self._threads:
            each.join(timeout=5)
        if self._leash is not None and self._leash.stdin is not None:
            with contextlib.suppress(OSError):
                self._leash.stdin.close()
            self._leash.wait()

    def _beat(self) -> None:
        journal: PostgresJournal | None = None
        while not self._over.is_set():
            now = clock()
            try:
                journal = journal or PostgresJournal(
                    self._database, _now, beat_s=self._beat_s, patience_s=0
                )
                if not journal.beat(self._run, self._epoch):
                    _end("another worker has taken over the run, or its lease expired")
                self._last = now
                self._tell(now)
                if self.on_cancel is not None and CANCEL in journal.inbox(self._run):
                    self.on_cancel()
                    self.on_cancel = None
            except Unreachable:
                pass  # the other thread keeps count
            self._over.wait(self._beat_s / 2)
        if journal is not None:
            journal.link.close()

    def _tell(self, now: float) -> None:
        if self._leash is not None and self._leash.stdin is not None:
            with contextlib.suppress(OSError):  # somebody killed it; the other thread still watches
                self._leash.stdin.write(f"{now}\n".encode())
                self._leash.stdin.flush()

    def _watch(self) -> None:
        """End in time: when the lease expires, another may open the run, and nothing of ours may
        be left then.
        """
        while not self._over.wait(self._beat_s / 10):
            if clock() - self._last > self._beat_s * ALONE:
                _end("the journal was out of reach for too long")


def clock() -> float:
    """A clock that keeps running while the machine sleeps."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


def _end(why: str) -> None:
    """Exit at once, telling nobody: shims end the agents when this process is gone."""
    sys.stderr.write(f"podium worker: fenced: {why}\n")
    sys.stderr.flush()
    os._exit(CODES[Result.FENCED])


def _now() -> datetime:
    return datetime.now(UTC)
