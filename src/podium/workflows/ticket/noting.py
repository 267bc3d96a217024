"""Journal facts from which log.jsonl is written, and helpers that read what a check was told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from podium.workflows.ticket import times
from podium.workflows.ticket.run import TicketRun

Evidence = Sequence[Mapping[str, Any]]
Fact = Mapping[str, Any]


def noted(
    iteration: int | None,
    event: str,
    message: str,
    *,
    level: str = "INFO",
    task: str | None = None,
    group: str | None = None,
) -> Fact:
    """One line of log.jsonl as an event of the journal, which adds the time."""
    return {
        "type": "ticket.log",
        "event": f"orchestrator.{event}",
        "message": message,
        "level": level,
        "iteration": iteration,
        "task_id": task,
        "parallel_group": group,
    }


def warned(run: TicketRun, said: Sequence[str]) -> tuple[list[str], tuple[Fact, ...]]:
    """The run's warnings plus these, and a fact for each new one."""
    fresh = [each for each in dict.fromkeys(said) if each not in run.warnings]
    return [*run.warnings, *fresh][-50:], tuple(
        {"type": "ticket.warning", "text": each} for each in fresh
    )


def told(found: Evidence, name: str) -> Mapping[str, Any]:
    return next((each for each in found if each["name"] == name), {})


def now(found: Evidence) -> datetime:
    return datetime.fromisoformat(str(told(found, "clock")["now"]))


def stamp(found: Evidence) -> str:
    return times.stamp(now(found))


def head(found: Evidence) -> str:
    return str(told(found, "head").get("commit", ""))
