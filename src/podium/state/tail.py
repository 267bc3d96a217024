"""Reads a run while another process drives it: its journals from where the last look ended, and its
agents' last words.

Nothing is locked. Each line is checked, as always: it must follow from the one before.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from podium.core.chain import FIRST
from podium.core.errors import UsageError
from podium.core.order import by_time
from podium.state.journal_file import decode
from podium.state.regular import at_once
from podium.state.run_folder import RunFolder, family

LAST_BYTES = 16_384
"""Bytes at the end of a transcript that are searched for its last line."""


@dataclass
class _Place:
    """How far one journal was read."""

    size: int = 0
    seen: int = 0
    prev: str = FIRST
    told: int = 0
    """How many of its events were passed on."""


class Tail:
    def __init__(self, project: Path, run: str) -> None:
        self.run = run
        self._project = project
        self._places: dict[str, _Place] = {}

    def more(self) -> list[dict[str, Any]]:
        """Events written since the last look, of the run and its child runs, by time."""
        return by_time(
            event for each in family(self._project, self.run) for event in self._of(each)
        )

    def _of(self, run: str) -> list[dict[str, Any]]:
        path = str(RunFolder(self._project, run).journal)
        known = self._places.setdefault(run, _Place())
        try:
            size = os.stat(path).st_size
            if size == known.size:
                return []
            if (
                size < known.size
            ):  # somebody restored the file: events passed on before are not passed on again
                known.size, known.seen, known.prev = 0, 0, FIRST
            with open(path, "rb", buffering=0, opener=at_once) as file:
                file.seek(known.size)
                lines = decode(file.read(), path, known.seen, known.prev)
        except FileNotFoundError:
            if run == self.run:
                raise UsageError(f"run {run} is gone: {path} was removed") from None
            return []
        known.size += lines.size
        known.seen += len(lines.events)
        known.prev = lines.events[-1]["hash"] if lines.events else known.prev
        told, known.told = known.told, max(known.told, known.seen)
        return [event for event in lines.events if event["seq"] > told]


class Reread:
    """The same for a run whose journals are not files here: reads everything each time and
    passes on what is new.
    """

    def __init__(self, events: Callable[[], Sequence[Mapping[str, Any]]]) -> None:
        self._events = events
        self._told: set[str] = set()

    def more(self) -> list[dict[str, Any]]:
        found = [dict(event) for event in self._events() if event["hash"] not in self._told]
        self._told |= {event["hash"] for event in found}
        return found


def last_words(project: Path, run: str, key: str) -> tuple[str, Mapping[str, Any]] | None:
    """What the agent of a step did last, according to its transcript; None if there is nothing
    to read.
    """
    try:
        with open(RunFolder(project, run).steps(key) / "transcript.jsonl", "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - LAST_BYTES))
            whole = file.read(LAST_BYTES).rpartition(b"\n")[0]
        said = json.loads(whole.rpartition(b"\n")[2])
    except (OSError, ValueError, RecursionError, UsageError):
        return None
    if not isinstance(said, dict):
        return None
    return str(said.pop("kind", "")), said
