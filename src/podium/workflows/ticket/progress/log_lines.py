"""`log.jsonl`: one line for each thing the program did; only the program writes it, and only at
the end.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from podium.core.nearest import nearest
from podium.workflows.ticket import times

Level = Literal["INFO", "ERROR", "CRITICAL_VIOLATION"]
AGENT = "Orchestrator"
EVENTS = tuple(
    f"orchestrator.{name}"
    for name in (
        "start",
        "resume",
        "startup.analysis.start",
        "startup.analysis.complete",
        "iteration.start",
        "planner.pre_git_gate.start",
        "planner.complete",
        "tasks.ready",
        "tasks.yaml.invalid",
        "splitter.skipped_planner_provided",
        "git.gate.start",
        "git.gate.complete",
        "trivial.auto_accept",
        "task.max_attempts",
        "iteration.accepted",
        "docs.refresh",
    )
)
_VIOLATION = re.compile(r"ERROR.*violates.*rule|FORBIDDEN.*action|ROLE VIOLATION", re.DOTALL)
_MEMBERS = (
    "timestamp",
    "level",
    "agent",
    "event",
    "iteration",
    "task_id",
    "parallel_group",
    "message",
)


@dataclass(frozen=True, kw_only=True)
class Entry:
    timestamp: str
    level: str = "INFO"
    agent: str = AGENT
    event: str
    iteration: int | None = None
    task_id: str | None = None
    parallel_group: str | None = None
    message: str = ""

    @property
    def role_violation(self) -> bool:
        return bool(_VIOLATION.search(self.message))


def line(
    now: datetime,
    event: str,
    message: str,
    *,
    level: Level = "INFO",
    iteration: int | None = None,
    task_id: str | None = None,
    parallel_group: str | None = None,
) -> str:
    """One line with its newline; a message about a broken rule raises the level by itself."""
    if event not in EVENTS:
        near = nearest(event, EVENTS)
        raise ValueError(f"unknown event {event!r}" + (f"; did you mean {near!r}?" if near else ""))
    said = Entry(
        timestamp=times.stamp(now),
        level=level,
        event=event,
        iteration=iteration,
        task_id=task_id,
        parallel_group=parallel_group,
        message=message,
    )
    return rendered(said)


def rendered(entry: Entry) -> str:
    data: dict[str, Any] = {name: getattr(entry, name) for name in _MEMBERS}
    if entry.role_violation:
        data |= {"level": "CRITICAL_VIOLATION", "role_violation": True}
    # U+2028 and similar characters end a line for some readers.
    text = json.dumps(data, ensure_ascii=False, allow_nan=False)
    return (
        re.sub(
            "[\x7f-\x9f\u2028\u2029\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", text
        )
        + "\n"
    )
