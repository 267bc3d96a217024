"""Follows the end of a run's journals: what was written since the last look, by the run and its
child runs.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from podium.core.order import by_time
from podium.state.run_folder import RunFolder, family

MOST = 256 * 1024
"""The most bytes of one journal read in one look."""
FAR = 400
"""Whoever comes back more events behind than this loads the page again."""
FRESH_S = 5.0
SEARCH_S = 2.0
"""The shortest time between two searches for child runs."""

Event = Mapping[str, Any]


@dataclass
class _Place:
    path: Path
    at: int = 0


class Tail:
    """From a mark on, or from now on. The mark is `SEQ.BYTES`: the root's last event, and the
    size of its children.
    """

    def __init__(self, project: Path, run: str) -> None:
        self._project, self._run = project, run
        self._places: dict[str, _Place] = {}
        self._searched = 0.0
        self.seq = 0

    def begin(self, after: str = "") -> list[Event] | None:
        """What was missed since the mark; None if that is too much or unknown."""
        self._search()
        root = self._places[self._run]
        data = _read(root.path, 0, os.stat(root.path).st_size)
        lines = data.split(b"\n")[:-1]
        for each in self._places.values():
            each.at = _whole(each.path)
        root.at = len(data) - len(data.rpartition(b"\n")[2])
        self.seq = len(lines)
        known = _numbers(after)
        if known is None:
            return []
        seq, size = known
        if size != self._children() or not 0 <= self.seq - seq <= FAR:
            return None
        return [found for raw in lines[seq:] if (found := _event(raw)) is not None]

    def news(self) -> list[Event]:
        """What came since the last look, in order of time."""
        found = self._read_all()
        if found and time.monotonic() - self._searched > SEARCH_S:
            self._search()
            found += self._read_all()
        return by_time(found)

    def fresh(self) -> bool:
        """Whether the run's journal was written to a moment ago."""
        return time.time() - os.stat(self._places[self._run].path).st_mtime < FRESH_S

    def mark(self) -> str:
        return f"{self.seq}.{self._children()}"

    def _children(self) -> int:
        return sum(each.at for run, each in self._places.items() if run != self._run)

    def _search(self) -> None:
        self._searched = time.monotonic()
        for run in family(self._project, self._run):
            if run not in self._places:
                self._places[run] = _Place(RunFolder(self._project, run).journal)

    def _read_all(self) -> list[Event]:
        found: list[Event] = []
        for run, place in self._places.items():
            data = _read(place.path, place.at, MOST)
            whole = data[: data.rfind(b"\n") + 1]
            if (
                not whole and len(data) == MOST
            ):  # one line is longer than a look: take it when it is complete
                whole = _read(place.path, place.at, _whole(place.path) - place.at)
            place.at += len(whole)
            events = [_event(raw) for raw in whole.split(b"\n")[:-1]]
            found += [each for each in events if each is not None]
            if run == self._run:
                self.seq += len(events)
        return found


def _numbers(mark: str) -> tuple[int, int] | None:
    seq, dot, size = mark.partition(".")
    parts = (seq, size)
    if not dot or not all(each.isascii() and each.isdigit() and len(each) < 16 for each in parts):
        return None
    return int(seq), int(size)


def _read(path: Path, at: int, most: int) -> bytes:
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return b""
    try:
        return os.pread(file, max(0, most), at)
    finally:
        os.close(file)


def _whole(path: Path) -> int:
    """The size up to the end of the last complete line."""
    try:
        size = os.stat(path).st_size
    except OSError:
        return 0
    window = MOST
    while size:
        start = max(0, size - window)
        found = _read(path, start, size - start).rfind(b"\n")
        if found >= 0 or start == 0:
            return start + found + 1
        window *= 4
    return 0


def _event(raw: bytes) -> Event | None:
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
