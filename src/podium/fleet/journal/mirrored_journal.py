"""The journal of a run that is driven here for the fleet: the database is the truth, the local file
a copy.

On a worker, too, the engine works with files. What it appends goes to the remote (the files) and
then to the database (the events), and to nobody before: each only mentions what the one before it
already holds.

Every write costs a push, so what a step leaves behind is written together with what follows: the
end of a step waits for the start of the next, a fraction of a second at most. Until then nothing
happens outside the checkout, so an owner that dies in between has, for everybody else, died a
moment earlier.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from podium.core.chain import FIRST
from podium.core.digest import canonical
from podium.fleet.journal.postgres_journal import PostgresJournal
from podium.state.disk import Disk
from podium.state.local_journal import LocalJournal
from podium.state.port import Event, Opened
from podium.state.sealing import Clean, Sealed

WAIT_S = 0.5
"""The longest time that the end of a step waits for the next event."""
WAITING = frozenset(
    {
        "artifact.verified",
        "step.finished",
        "step.merged",
        "run.advanced",
        "phase.left",
        "phase.entered",
        "document.saved",
    }
)
"""Events that may wait, because the engine then only continues with its own files.

All others are written at once, together with those that wait.
"""


@dataclass
class _Waiting:
    """Events of one run, sealed and in the local file, that the database does not have yet."""

    run: str
    seq: int
    events: list[Event]


class MirroredJournal(LocalJournal):
    """`send` pushes the files that events mention and returns their parcel; `told` is called
    after each append.
    """

    def __init__(
        self,
        root: Path,
        disk: Disk,
        clock: Callable[[], datetime],
        *,
        truth: PostgresJournal,
        held: Opened,
        send: Callable[[Sequence[Mapping[str, Any]]], str],
        told: Callable[[Sequence[Mapping[str, Any]]], None],
    ) -> None:
        super().__init__(root, disk, clock)
        self._truth, self._send, self._told = truth, send, told
        self._there: dict[str, Opened] = {held.run: held}
        self._waiting: list[_Waiting] = []
        self._timer: asyncio.TimerHandle | None = None
        self._fault: Exception | None = None
        """Why waiting events could not be written; after that, nothing is written."""

    def open(self, run: str, owner: str) -> Opened:
        if run not in self._there:
            self._there[run] = self._truth.open(run, owner)
        opened = super().open(run, owner)
        opened.epoch = self._there[run].epoch
        return opened

    def close(self, opened: Opened) -> None:
        try:
            self.settle()
        finally:
            super().close(opened)
        # Whoever opened the root run there also gives it back: it has more to send.
        if "/" in opened.run and opened.run in self._there:
            self._truth.close(self._there.pop(opened.run))

    def post(self, run: str, key: str, message: Mapping[str, Any]) -> bool:
        return self._truth.post(run, key, message)

    def inbox(self, run: str) -> Mapping[str, Mapping[str, Any]]:
        return self._truth.inbox(run)

    def withdraw(self, run: str, key: str) -> bool:
        return self._truth.withdraw(run, key)

    def append(
        self,
        opened: Opened,
        expected_seq: int,
        events: Sequence[Mapping[str, Any]],
        *,
        durable: bool = True,
        clean: Clean | None = None,
    ) -> Sequence[Event]:
        if self._fault is not None:
            raise self._fault
        fresh = super().append(opened, expected_seq, events, durable=durable, clean=clean)
        if fresh:
            self._wait(_Waiting(opened.run, expected_seq, list(fresh)))
            workflow = str(opened.events[0].get("workflow", ""))
            loop = _loop() if all(may_wait(str(each["type"]), workflow) for each in fresh) else None
            if loop is None:
                self.settle()
            elif self._timer is None:
                self._timer = loop.call_later(WAIT_S, self._late)
        return fresh

    def settle(self) -> None:
        """Write the waiting events: first the files, all in one push."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._fault is not None:
            raise self._fault
        try:
            self._write()
        except Exception as fault:
            self._fault = fault
            raise

    def _write(self) -> None:
        if not self._waiting:
            return
        parcel = self._send([event for each in self._waiting for event in each.events])
        while self._waiting:
            first = self._waiting[0]
            self._truth.append(
                self._there[first.run], first.seq, first.events, parcel=parcel, sealed_before=True
            )
            del self._waiting[0]
            self._told(first.events)

    def _wait(self, coming: _Waiting) -> None:
        last = self._waiting[-1] if self._waiting else None
        if last is not None and last.run == coming.run:
            last.events.extend(coming.events)
        else:
            self._waiting.append(coming)

    def _late(self) -> None:
        """No other event came. A fault is raised by the next append, because nothing would catch
        it here.
        """
        self._timer = None
        with contextlib.suppress(Exception):
            self.settle()

    def _sealed(
        self,
        run: str,
        events: Sequence[Mapping[str, Any]],
        seq: int,
        prev: str,
        clean: Clean | None = None,
    ) -> Sealed:
        """A new child run is in the database before it has a file here."""
        if seq != 0:
            return super()._sealed(run, events, seq, prev, clean)
        self.settle()
        self._send(events)
        self._truth.create(run, events)
        fresh = self._truth.read(run)
        self._told(fresh)
        return fresh, lines_of(fresh), fresh[-1]["hash"] if fresh else prev or FIRST


def may_wait(kind: str, workflow: str) -> bool:
    """A workflow's own facts count as part of the step's end; unknown events do not wait."""
    return kind in WAITING or kind.startswith(f"{workflow.partition('-')[0]}.")


def _loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def lines_of(events: Sequence[Mapping[str, Any]]) -> bytes:
    """Sealed events as the lines they were sealed as."""
    return "".join(f"{canonical(each)}\n" for each in events).encode()
