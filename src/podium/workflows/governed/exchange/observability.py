"""One line for every payload, for observers outside; nothing here ever reads it back."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

EVENT_TYPES = (
    *("delegation", "gate_event", "execution_report", "clarification_request"),
    *("plan_audit", "verdict", "discovery", "research_findings"),
)
_TS = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII)
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
_BY_ROLE: Mapping[str, str] = {
    "plan-auditor": "plan_audit",
    "assumption-verifier": "plan_audit",
    "code-reviewer": "verdict",
    "code-mapper": "discovery",
    "researcher": "research_findings",
}


def event_type_of(role: str) -> str:
    """The type of an agent's answer in the sink."""
    return _BY_ROLE.get(role, "execution_report")


def sink_line(
    trace_id: str,
    ts: str,
    agent: str,
    phase: int | None,
    event_type: str,
    payload: Mapping[str, Any],
) -> str:
    """The line with its newline; ValueError if one of its parts is malformed."""
    if not _UUID.fullmatch(trace_id):
        raise ValueError(f"trace_id {trace_id!r} is no UUID of version 4")
    if not _TS.fullmatch(ts):
        raise ValueError(
            f"ts {ts!r} is not UTC with milliseconds, such as 2026-01-02T03:04:05.678Z"
        )
    if event_type not in EVENT_TYPES:
        raise ValueError(f"event_type {event_type!r} is not one of {', '.join(EVENT_TYPES)}")
    head = _text(
        {"trace_id": trace_id, "ts": ts, "agent": agent, "phase": phase, "event_type": event_type}
    )
    # Sorted, so that a payload gives the same line whether it was just made or read back from a
    # journal.
    return f'{head[:-1]},"payload":{_text(payload, sort_keys=True)}}}\n'


def _text(value: Any, *, sort_keys: bool = False) -> str:
    return json.dumps(
        value,
        ensure_ascii=False,
        allow_nan=False,
        separators=(",", ":"),
        sort_keys=sort_keys,
        default=dict,
    )
