"""What the runs of one project used on one day, wherever they are driven, according to the
database.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from podium.engine.days import Days, OfRun, counted
from podium.fleet.journal.postgres_journal import PostgresJournal
from podium.state.port import Journal

_DRIVEN = """
    select id, root, (select count(*) from podium_event where run = podium_run.id)
    from podium_run
    where root in (select run from podium_turn where closed is null or closed >= %s)
    order by id
"""


class FleetDays(Days):
    """For one owner of a run: its own family is in its checkout, all others are in the database."""

    def __init__(self, truth: PostgresJournal, root: str) -> None:
        super().__init__()
        self._truth, self._root = truth, root
        self._remotes: dict[str, str] = {}
        self._counted: dict[str, tuple[int, str, OfRun]] = {}

    def others(self, project: Path, journal: Journal, own: str, day: str) -> list[OfRun]:
        return [*super().others(project, journal, own, day), *self._elsewhere(day)]

    def _elsewhere(self, day: str) -> list[OfRun]:
        def driven(connection: Any) -> Any:
            return connection.execute(_DRIVEN, (f"{day}T00:00:00+00:00",)).fetchall()

        rows = self._truth.link.do(driven)
        return [
            self._of(run, count, day)
            for run, root, count in rows
            if root != self._root and self._remote(root) == self._remote(self._root)
        ]

    def _remote(self, root: str) -> str:
        """The run's remote, which identifies its project; `null` for a run without one."""
        if root not in self._remotes:
            self._remotes[root] = json.dumps(self._truth.request(root).get("remote"))
        return self._remotes[root]

    def _of(self, run: str, count: int, day: str) -> OfRun:
        known = self._counted.get(run)
        if known is None or known[:2] != (count, day):
            known = self._counted[run] = (count, day, counted(self._truth, run, day))
        return known[2]
