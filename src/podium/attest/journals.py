"""Every journal of a run and its child runs, each line checked: what was read, and where it
breaks.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from podium.core.chain import FIRST
from podium.core.errors import ChainBroken
from podium.state.journal_file import decode
from podium.state.run_folder import RunFolder, family


@dataclass(frozen=True)
class Journal:
    """One journal as it was found."""

    run: str
    path: str
    """Relative to the project's folder."""
    events: Sequence[Mapping[str, Any]]
    line: int = 0
    """The first line that is not as it was written; 0 if all are."""
    what: str = ""

    @property
    def intact(self) -> bool:
        return not self.line

    @property
    def head(self) -> str:
        """The hash of the last event: whoever keeps it can tell later that nothing before it
        changed.
        """
        return str(self.events[-1]["hash"]) if self.events else FIRST

    def said(self) -> str:
        if self.intact:
            return f"{self.path}: {len(self.events)} events, head {self.head}"
        return f"{self.path}:{self.line}: {self.what}"


def journals(project: Path, run: str) -> Iterator[Journal]:
    """The run's own journal and those of its child runs, however many of them are broken."""
    for each in family(project, run):
        yield journal(project, each)


def journal(project: Path, run: str) -> Journal:
    folder = RunFolder(project, run)
    path = folder.journal.relative_to(project).as_posix()
    state = _state_seq(folder.state)  # first: a driven run writes its state after its journal
    try:
        events = decode(folder.journal.read_bytes(), path).events
    except ChainBroken as broken:
        return Journal(run, path, (), broken.line, broken.what)
    except OSError as fault:
        return Journal(run, path, (), 1, f"cannot be read: {fault.strerror}")
    line, what = _misplaced(run, events) or _cut(state, events) or (0, "")
    return Journal(run, path, events, line, what)


def _misplaced(run: str, events: Sequence[Mapping[str, Any]]) -> tuple[int, str] | None:
    """An intact chain in the wrong place: the journal of another run."""
    for number, each in enumerate(events, 1):
        if each["run"] != run:
            return number, f"belongs to run {str(each['run'])[:80]!r}"
    if not events or events[0]["type"] != "run.started":
        return 1, "does not begin with run.started"
    return None


def _cut(state: int, events: Sequence[Mapping[str, Any]]) -> tuple[int, str] | None:
    """A chain does not show that its end is missing; the state, which is written after the
    event, may.
    """
    if state > len(events):
        return len(events) + 1, f"is missing: state.json was written after event {state}"
    return None


def _state_seq(path: Path) -> int:
    """The event after which the state was written; 0 if unknown."""
    try:
        seq = json.loads(path.read_bytes()).get("seq")
    except (OSError, ValueError, AttributeError, RecursionError):
        return 0
    return seq if isinstance(seq, int) and not isinstance(seq, bool) else 0
