"""Results of the matrix, kept as JSON after every run."""

from __future__ import annotations

import json
import threading
from collections.abc import Collection, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from scripts.matrix.runs import End


class Case(NamedTuple):
    project: str
    lie: str
    workflow: str


class Results:
    """What every case came to."""

    def __init__(self, place: Path, data: dict[str, Any]) -> None:
        self.place, self.data = place, data
        self._lock = threading.Lock()

    @classmethod
    def read(cls, place: Path) -> Results:
        known = json.loads(place.read_text(encoding="utf-8")) if place.exists() else {}
        return cls(place, {"init": {}, "cases": {}, **known})

    def __contains__(self, case: Case) -> bool:
        return "/".join(case) in self.data["cases"]

    def __iter__(self) -> Iterator[tuple[Case, dict[str, Any]]]:
        for name, facts in self.data["cases"].items():
            yield Case(*name.split("/")), facts

    def add(self, case: Case, end: End, *, honest: bool, landed: bool = True) -> None:
        """`landed`: whether the checkout has the agent's own bytes, if the run completed."""
        with self._lock:
            facts = {
                **asdict(end),
                "complete": end.complete,
                "honest": honest,
                "right": end.complete == honest and (landed or not end.complete),
            }
            self.data["cases"]["/".join(case)] = facts
            self._keep()

    def found(self, project: str, command: str) -> None:
        """The test command that `podium init` found."""
        with self._lock:
            self.data["init"][project] = command
            self._keep()

    def wrong(self, projects: Collection[str]) -> list[Case]:
        return [case for case, facts in self if case.project in projects and not facts["right"]]

    def _keep(self) -> None:
        text = json.dumps(self.data, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
        self.place.write_text(text, encoding="utf-8")
