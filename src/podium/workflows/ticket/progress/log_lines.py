"""`log.jsonl`: one line for each thing the program did; only the program writes it, and only at the end."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal, get_args

from podium.core.dataclass import dataclass
from podium.core.errors import Fault
from podium.core.nearest import nearest
from podium.core.regex import regex
from podium.workflows.ticket import times

Level = Literal["INFO", "ERROR", "CRITICAL_VIOLATION"]
LEVELS: tuple[Level, ...] = get_args(Level)
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
_VIOLATION = regex(r"ERROR.*violates.*rule|FORBIDDEN.*action|ROLE VIOLATION", re.DOTALL)
_MEMBERS = ("timestamp", "level", "agent", "event", "iteration", "task_id", "parallel_group", "message")


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
    return re.sub("[\x7f-\x9f\u2028\u2029\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", text) + "\n"


def read(text: str, where: str = "log.jsonl") -> tuple[tuple[Entry, ...], tuple[Fault, ...]]:
    """All readable entries, and a fault for every other line; a last line without a newline was torn."""
    entries: list[Entry] = []
    faults: list[Fault] = []
    lines = text.split("\n")
    for number, each in enumerate(lines, 1):
        if number == len(lines):
            if each:
                faults.append(Fault(f"{where}:{number}", "the last line is torn", "it is left out"))
            break
        found = _entry(each)
        if isinstance(found, str):
            faults.append(Fault(f"{where}:{number}", found))
        else:
            entries.append(found)
    return tuple(entries), tuple(faults)


def _entry(text: str) -> Entry | str:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return "is not JSON"
    if not isinstance(data, Mapping):
        return "is not an object"
    if missing := [name for name in _MEMBERS if name not in data]:
        return f"lacks {', '.join(missing)}"
    for name, kinds in _KINDS.items():
        if not isinstance(data[name], kinds) or isinstance(data[name], bool):
            return f"{name} is {data[name]!r}"
    if data["level"] not in LEVELS:
        return f"level is {data['level']!r}, not one of {', '.join(LEVELS)}"
    return Entry(**{name: data[name] for name in _MEMBERS})


_NOTHING = type(None)
_KINDS: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(("timestamp", "level", "agent", "event", "message"), (str,)),
    **dict.fromkeys(("task_id", "parallel_group"), (str, _NOTHING)),
    "iteration": (int, _NOTHING),
}
