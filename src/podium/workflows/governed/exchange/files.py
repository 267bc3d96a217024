"""The observability sink: every payload as a line, only ever appended to, never read for a
decision.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from podium.core.history import History
from podium.core.workflow import Projection
from podium.workflows.governed import paths
from podium.workflows.governed.exchange.events import DELEGATION, REPORT
from podium.workflows.governed.exchange.gate_events import JOURNAL
from podium.workflows.governed.exchange.observability import sink_line


def projections(task: str, trace_id: str, history: History) -> Sequence[Projection]:
    """The sink, which a run and its phases share."""
    lines = tuple(_lines(trace_id, history.own))
    return (
        (Projection(paths.sink_path(task), partial(_grown, lines), needed=False, grows=True),)
        if lines
        else ()
    )


def _lines(trace_id: str, events: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for each in events:
        at = str(each["ts"])
        match each["type"]:
            case kind if kind == JOURNAL:
                yield sink_line(
                    trace_id,
                    at,
                    "Orchestrator",
                    each["event"]["phase_id"],
                    "gate_event",
                    each["event"],
                )
            case kind if kind == DELEGATION:
                yield sink_line(
                    trace_id, at, each["agent"], each["phase"], "delegation", each["payload"]
                )
            case kind if kind == REPORT:
                yield sink_line(
                    trace_id, at, each["agent"], each["phase"], each["kind"], each["payload"]
                )
            case _:
                pass


def _grown(lines: tuple[str, ...], before: str | None, _template: str) -> str:
    """Phases that run side by side append to the same file, so lines are matched by their text
    and count.
    """
    text = before or ""
    there = Counter(text.splitlines(keepends=True))
    missing = Counter(lines) - there
    added = []
    for line in reversed(lines):
        if missing[line] > 0:
            missing[line] -= 1
            added.append(line)
    return text + "".join(reversed(added))
