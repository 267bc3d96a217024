"""What each run of a project used on one day; a journal that has not grown is not read again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from podium.core import budget
from podium.core.errors import ChainBroken
from podium.core.history import History
from podium.state.port import Journal
from podium.state.regular import Signature, signature_of
from podium.state.run_folder import RunFolder, family


@dataclass(frozen=True)
class OfRun:
    """Usage of one run on one day."""

    usages: list[Mapping[str, Any]]
    """One for each dispatch that ended on that day."""
    seconds: float
    """How long it was driven; a child run's time is counted in its root run."""


UNKNOWN = OfRun([{}], 0.0)
"""For a journal that cannot be read: unknown usage is not zero."""


class Days:
    """What this process knows about days."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Signature, str, OfRun]] = {}

    def others(self, project: Path, journal: Journal, own: str, day: str) -> list[OfRun]:
        """For every run of the project except this one."""
        runs = [run for root in journal.runs() for run in family(project, root)]
        return [self.read(project, journal, run, day) for run in runs if run != own]

    def read(self, project: Path, journal: Journal, run: str, day: str) -> OfRun:
        """For a run that another process drives, or nobody: up to its last event."""
        now = signature_of(RunFolder(project, run).journal)
        known = self._known.get(run)
        if known is None or not now or known[:2] != (now, day):
            known = self._known[run] = (now, day, counted(journal, run, day))
        return known[2]


def counted(journal: Journal, run: str, day: str) -> OfRun:
    """For a run that is not driven here, from its whole journal."""
    try:
        told = journal.read(run)
    except ChainBroken:
        return UNKNOWN
    return of_run(run, History(told), told, day, "")


def of_run(
    run: str, history: History, told: Sequence[Mapping[str, Any]], day: str, until: str
) -> OfRun:
    """`until`: now, if the run is driven here."""
    usages = [usage for ended, usage in history.usages if ended.startswith(day)]
    usages += [budget.CUT_OFF for found in history.lost if found.startswith(day)]
    return OfRun(usages, 0.0 if "/" in run else budget.driven(told, until, f"{day}T00:00:00+00:00"))
