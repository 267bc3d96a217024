"""What a command that drives a run gets back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from podium.core.run import Status

EXIT = {
    Status.COMPLETE: 0,
    Status.ACTIVE: 0,  # stopped cleanly by --until
    Status.WAITING: 10,
    Status.SLEEPING: 11,
    Status.BLOCKED: 20,
    Status.CANCELLED: 30,
}
BUDGET = 21
INTERRUPTED = 130


@dataclass(frozen=True)
class Ended:
    """Where a run rests after a command drove it."""

    run: str
    workflow: str
    status: Status
    step: str
    reason: str
    stop: str
    gates: tuple[str, ...] = ()
    interrupted: bool = False
    until: str = ""
    advice: tuple[str, ...] = ()
    """What a person can do next: one full command per line."""
    closing: str = ""
    """The workflow's own last line."""
    outcome: str = ""
    """For a complete run: `complete`, `completed_with_findings` or `complete_unproven`."""

    @property
    def exit_code(self) -> int:
        if self.interrupted:
            return INTERRUPTED
        if self.status is Status.BLOCKED and self.stop == "budget":
            return BUDGET
        return EXIT[self.status]


class Observer(Protocol):
    """Sees what happens as it happens: the live view, the plain lines, the JSON stream."""

    def event(self, event: Mapping[str, Any]) -> None:
        """An event was appended, by the run or one of its children."""

    def activity(self, key: str, kind: str, fields: Mapping[str, Any]) -> None:
        """What an agent just did; not journalled."""


class Silent:
    """An observer that ignores everything."""

    def event(self, event: Mapping[str, Any]) -> None: ...

    def activity(self, key: str, kind: str, fields: Mapping[str, Any]) -> None: ...
