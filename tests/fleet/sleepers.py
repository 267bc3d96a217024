"""A build that marks each of its executions, says where one of the past still lives, and sleeps
in the first ones.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.fleet.fleets import Fleet
from tests.fleet.processes import lives


@dataclass(frozen=True)
class Sleepers:
    base: Path
    seconds: float = 600
    times: int = 1
    """So many executions sleep; the next one does not."""

    @property
    def mark(self) -> Path:
        return self.base / "executed"

    @property
    def agents(self) -> dict[str, Any]:
        mark, orphans = self.mark, self.base / "orphans"
        script = (
            f"for one in $(cat {mark} 2>/dev/null); do ! kill -0 $one 2>/dev/null || echo "
            f"$one >> {orphans}; done; "
            f"echo $$ >> {mark}; [ $(wc -l < {mark}) -gt {self.times} ] || exec sleep "
            f"{self.seconds}"
        )
        return {"build": [{"behave": "well", "run": [script]}]}

    def pids(self) -> list[int]:
        return [int(each) for each in self.mark.read_text().split()] if self.mark.exists() else []

    def alive(self) -> list[int]:
        return [each for each in self.pids() if lives(each)]

    def orphans(self) -> str:
        """Agents of the past that lived when the next one began."""
        with contextlib.suppress(FileNotFoundError):
            return (self.base / "orphans").read_text()
        return ""


def of(fleet: Fleet, seconds: float = 600, times: int = 1) -> Sleepers:
    return Sleepers(fleet.base, seconds, times)
