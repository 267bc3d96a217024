"""The row of a child run, moved by the child's own events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podium.views.board import counters
from podium.views.board.row import Row

Event = Mapping[str, Any]


def moved(row: Row, kind: str, event: Event) -> None:
    """Apply one event of the child run itself."""
    _said(row, event)
    ts = str(event.get("ts", ""))
    if kind in {"run.started", "run.resumed"}:
        row.state, row.started, row.finished = "running", row.started or ts, ""
    elif kind == "run.paused":
        row.state, row.last = "waiting", str(event.get("reason", ""))
    elif kind == "run.blocked":
        row.state, row.last, row.finished = "failed", str(event.get("reason", "")), ts
    elif kind == "run.completed":
        row.state, row.finished, row.last = "done", ts, str(event.get("outcome", ""))
        if failed := counters.shortfall(event.get("state")):
            row.state, row.last = "failed", failed
    elif kind == "run.cancelled":
        row.state, row.finished = "skipped", ts


def _said(row: Row, event: Event) -> None:
    """What a child run's own state says about its item."""
    if isinstance(state := event.get("state"), Mapping):
        row.title = str(state.get("title") or row.title)
        row.attempt, row.attempts = counters.attempts(state)
