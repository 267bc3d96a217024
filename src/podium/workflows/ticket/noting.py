"""Facts for the journal from which log.jsonl is written, and small readings of what a check was told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from podium.workflows.ticket import times
from podium.workflows.ticket.run import TicketRun

Evidence = Sequence[Mapping[str, Any]]
Fact = Mapping[str, Any]


def noted(
    run: TicketRun, event: str, message: str, *, level: str = "INFO", task: str | None = None, group: str | None = None
) -> Fact:
    """One line of log.jsonl, as an event of the journal; the journal has the time."""
    return {
        "type": "ticket.log", "event": f"orchestrator.{event}", "message": message, "level": level,
        "iteration": run.iteration, "task_id": task, "parallel_group": group,
    }  # fmt: skip


def told(found: Evidence, name: str) -> Mapping[str, Any]:
    return next((each for each in found if each["name"] == name), {})


def now(found: Evidence) -> datetime:
    return datetime.fromisoformat(str(told(found, "clock")["now"]))


def stamp(found: Evidence) -> str:
    return times.stamp(now(found))
