"""Why runs of the fleet wait, for people who look."""

from __future__ import annotations

from dataclasses import dataclass

from podium.fleet.journal.postgres_journal import PostgresJournal
from podium.fleet.line.line import BEHIND, reasons
from podium.wiring_values import Summary


@dataclass(frozen=True)
class InLine(Summary):
    """One run of the fleet in `podium list` and `podium status`."""

    waits: str = ""
    """Why nobody drives it although it could continue; empty if that is not the case."""


def waits(journal: PostgresJournal) -> dict[str, str]:
    """Every run in line, and why it is not taken."""
    line = journal.line()
    found = reasons(line)
    behind = {run: BEHIND for run in journal.with_work() if run not in found}
    called = {each.run: f"{each.worker} is about to take it" for each in line.under_way}
    return {**behind, **{run: text for run, text in called.items() if run in behind}, **found}
