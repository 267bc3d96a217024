"""The journal of a run that is driven here for the fleet: the database is the truth, the file beside it a copy.

The engine works with files, and so it does on a worker. What it appends goes to the remote (the files), to the database
(the events) and to the local file, in this order: each speaks only of what the one before it holds already.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from podium.core.chain import FIRST
from podium.core.digest import canonical
from podium.fleet.postgres_journal import PostgresJournal
from podium.state.disk import Disk
from podium.state.local_journal import LocalJournal
from podium.state.port import Opened


class MirroredJournal(LocalJournal):
    """`send` brings the files that events speak of to the remote and names their parcel; `told` hears after each append."""

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

    def open(self, run: str, owner: str) -> Opened:
        if run not in self._there:
            self._there[run] = self._truth.open(run, owner)
        opened = super().open(run, owner)
        opened.epoch = self._there[run].epoch
        return opened

    def close(self, opened: Opened) -> None:
        super().close(opened)
        # The root run is given back by whoever opened it there: it has more to send.
        if "/" in opened.run and opened.run in self._there:
            self._truth.close(self._there.pop(opened.run))

    def post(self, run: str, key: str, message: Mapping[str, Any]) -> bool:
        return self._truth.post(run, key, message)

    def inbox(self, run: str) -> Mapping[str, Mapping[str, Any]]:
        return self._truth.inbox(run)

    def withdraw(self, run: str, key: str) -> bool:
        return self._truth.withdraw(run, key)

    def _sealed(
        self, run: str, events: Sequence[Mapping[str, Any]], seq: int, prev: str
    ) -> tuple[list[dict[str, Any]], bytes, str]:
        """Here is where a local append would write: the truth is written first, and its lines are copied."""
        parcel = self._send(events)
        if seq == 0:
            self._truth.create(run, events)
            fresh = self._truth.read(run)
        else:
            fresh = [dict(each) for each in self._truth.append(self._there[run], seq, events, parcel=parcel)]
        self._told(fresh)
        return fresh, lines_of(fresh), fresh[-1]["hash"] if fresh else prev or FIRST


def lines_of(events: Sequence[Mapping[str, Any]]) -> bytes:
    """Sealed events as the lines they were sealed as."""
    return "".join(f"{canonical(each)}\n" for each in events).encode()
