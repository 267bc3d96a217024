"""A build that marks each of its executions, says whether one of the past still lives, and sleeps
in the first ones.

Each holds a lock as long as it lives: in a view a program has another number than outside.
"""

from __future__ import annotations

import contextlib
import fcntl
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.fleet.fleets import Fleet


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
    def lock(self) -> Path:
        return self.base / "at-work"

    @property
    def agents(self) -> dict[str, Any]:
        script = (
            f"exec 9>>{self.lock}; flock -n 9 || echo one >> {self.base}/orphans; "
            f"echo one >> {self.mark}; [ $(wc -l < {self.mark}) -gt {self.times} ] || exec sleep "
            f"{self.seconds}"
        )
        return {"build": [{"behave": "well", "run": [script]}]}

    def begun(self) -> int:
        """How many executions there were."""
        return len(self.mark.read_text().splitlines()) if self.mark.exists() else 0

    def alive(self) -> bool:
        with self.lock.open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
        return False

    def orphans(self) -> str:
        """A word for each agent of the past that lived when the next one began."""
        with contextlib.suppress(FileNotFoundError):
            return (self.base / "orphans").read_text()
        return ""


def of(fleet: Fleet, seconds: float = 600, times: int = 1) -> Sleepers:
    return Sleepers(fleet.base, seconds, times)
