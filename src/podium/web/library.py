"""Runs as pages need them: read from the journals, and kept while those do not change."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from podium.core.errors import PodiumError
from podium.core.workflow import Workflow
from podium.state.run_folder import RunFolder, family, valid_run_id
from podium.web.cards import Cards, signature
from podium.web.homes import Homes
from podium.wiring_values import Summary, damaged

KEPT = 8
"""How many runs' events are kept in memory."""
T = TypeVar("T")


class Missing(Exception):
    """Nothing has that name; the message is for people."""


@dataclass(frozen=True)
class Known:
    """Everything about a run."""

    summary: Summary
    events: Sequence[Mapping[str, Any]]
    workflow: Workflow | None
    fault: str = ""
    """Why its journal could not be read."""


class Library:
    """Reads for everybody; takes no run's lock."""

    def __init__(self, homes: Homes, cards: Cards) -> None:
        self.homes, self.cards = homes, cards
        self._kept: Kept[Known] = Kept(KEPT)

    def find(self, run: str) -> None:
        """Raises Missing unless there is such a run; the fleet is asked for one that has just
        been submitted.
        """
        if not self.cards.knows(run) and not (
            valid_run_id(run) and self.homes.looked_again() and self.cards.knows(run)
        ):
            raise Missing(f"There is no run {run!r} in this project.")

    def run(self, run: str) -> Known:
        self.find(run)
        known = self._kept.get(run, self._signature(run), lambda: self._read(run))
        return replace(
            known,
            summary=replace(known.summary, holder=self.homes.looking(run).journal.holder(run)),
        )

    def fresh(self, run: str) -> Known:
        """Read again, whatever was kept."""
        self._kept.drop(run)
        return self.run(run)

    def _signature(self, run: str) -> object:
        home = self.homes.of(run)
        found = [signature(RunFolder(home, each).path) for each in family(home, run)]
        return tuple(found)

    def _read(self, run: str) -> Known:
        app = self.homes.looking(run)
        try:
            return Known(app.summary(run), app.events(run), app.workflow(run))
        except PodiumError as fault:
            return Known(damaged(run, str(fault)), (), None, str(fault))


class Kept(Generic[T]):
    """The last few values, each under a name and valid as long as its signature."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[str, tuple[object, T]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, name: str, mark: object, make: Callable[[], T]) -> T:
        with self._lock:
            found = self._values.get(name)
            if found is not None and found[0] == mark:
                self._values.move_to_end(name)
                return found[1]
        value = make()
        with self._lock:
            self._values[name] = (mark, value)
            self._values.move_to_end(name)
            while len(self._values) > self._most:
                self._values.popitem(last=False)
        return value

    def drop(self, name: str) -> None:
        with self._lock:
            self._values.pop(name, None)
