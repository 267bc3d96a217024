"""The list of runs without reading them: a line from the ends of each journal, kept until the
file changes.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from podium.core.digest import digest
from podium.state.disk import StrPath
from podium.state.regular import read_regular
from podium.state.run_folder import JOURNAL, valid_run_id

TAIL = 128 * 1024
"""Bytes at the end of a journal in which its last state is searched first."""
FIRST_LINE = 1 << 20
FRESH_S = 0.25
"""How long one look at the folders answers all requests."""

Signature = tuple[int, ...]


@dataclass(frozen=True)
class Card:
    """What the list needs to sort, filter and count."""

    run: str
    workflow: str = "?"
    title: str = ""
    status: str = "damaged"
    step: str = ""
    reason: str = ""
    stop: str = ""
    outcome: str = ""
    """How it completed."""
    started: str = ""
    updated: str = ""


class Cards:
    """All runs of a project, newest first; unchanged ones are not read again."""

    def __init__(self, project: Path, more: Callable[[], Mapping[str, str]] = dict) -> None:
        """`more`: runs that are elsewhere, each with its folder."""
        self._project, self._more = project, more
        self._runs = os.path.join(project, ".podium", "runs")
        self._known: dict[str, tuple[Signature, Card]] = {}
        self._lock = threading.Lock()
        self._looked = 0.0
        self._order: list[Card] = []
        self._mark = ""

    def look(self) -> list[Card]:
        with self._lock:
            if time.monotonic() - self._looked > FRESH_S:
                self._refresh()
                self._looked = time.monotonic()
            return self._order

    def mark(self) -> str:
        """A word that changes when anything in the list does."""
        self.look()
        return self._mark

    def signatures(self) -> dict[str, Signature]:
        self.look()
        return {run: signature for run, (signature, _) in self._known.items()}

    def knows(self, run: str) -> bool:
        return valid_run_id(run) and (
            signature(os.path.join(self._runs, run)) is not None or run in self._more()
        )

    def _refresh(self) -> None:
        try:
            names = [
                each.name for each in os.scandir(self._runs) if each.is_dir(follow_symlinks=False)
            ]
        except FileNotFoundError:
            names = []
        found: dict[str, tuple[Signature, Card]] = {}
        folders = {
            **self._more(),
            **{name: os.path.join(self._runs, name) for name in filter(valid_run_id, names)},
        }
        for name, folder in sorted(folders.items()):
            now = signature(folder)
            if now is None:
                continue
            old = self._known.get(name)
            found[name] = old if old is not None and old[0] == now else (now, card(folder))
        if found != self._known or not self._mark:
            self._mark = digest(repr([(run, each) for run, (each, _) in found.items()]))[7:23]
            cards = sorted((each for _, each in found.values()), key=lambda each: each.run)
            self._order = sorted(cards, key=lambda each: each.started, reverse=True)
            self._known = found


def signature(folder: StrPath) -> Signature | None:
    """Changes whenever the run does; None if there is no run."""
    try:
        journal = os.stat(os.path.join(folder, JOURNAL), follow_symlinks=False)
    except (OSError, ValueError):
        return None
    found = [journal.st_ino, journal.st_size, journal.st_mtime_ns]
    for name in ("state.json", "inbox"):
        try:
            found.append(os.stat(os.path.join(folder, name), follow_symlinks=False).st_mtime_ns)
        except OSError:
            found.append(0)
    return tuple(found)


def card(folder: str) -> Card:
    """A run from the first and last lines of its journal; the chain is checked where the run
    itself is shown.
    """
    run = os.path.basename(folder)
    try:
        first, last, state = _ends(os.path.join(folder, JOURNAL))
        title = str(
            _event(read_regular(os.path.join(folder, "request.json")) or b"").get("title", "")
        )
        started, updated = str(first["ts"]), str(last["ts"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return Card(run, reason="its files cannot be read")
    words = {name: str(state.get(name, "")) for name in ("status", "step", "reason", "stop")}
    return Card(
        run,
        str(first.get("workflow", "?")),
        title,
        **words,
        outcome=str(last.get("outcome", "")) if last.get("type") == "run.completed" else "",
        started=started,
        updated=updated,
    )


def _ends(journal: str) -> tuple[Mapping[str, Any], Mapping[str, Any], Mapping[str, Any]]:
    """(first event, last event, last state)."""
    file = os.open(journal, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        size = os.fstat(file).st_size
        first = _event(os.pread(file, FIRST_LINE, 0).partition(b"\n")[0])
        for most in (TAIL, size):
            whole, _, _ = os.pread(file, most, max(0, size - most)).rpartition(b"\n")
            # A line cut off by the window has no beginning.
            lines = whole.split(b"\n")[0 if most >= size else 1 :]
            for raw in reversed(lines):
                if b'"state":' in raw and isinstance(
                    state := (found := _event(raw)).get("state"), dict
                ):
                    return first, found if raw is lines[-1] else _event(lines[-1]), state
    finally:
        os.close(file)
    raise ValueError("no event carries a state")


def _event(raw: bytes) -> Mapping[str, Any]:
    found = json.loads(raw)
    if not isinstance(found, dict):
        raise TypeError("an event is an object")
    return found
