"""The observability sink: every gate event as a line, only ever added to, never read for a decision."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from podium.core.history import History
from podium.core.workflow import Projection
from podium.workflows.governed import paths
from podium.workflows.governed.gate_events import JOURNAL
from podium.workflows.governed.observability import sink_line
from podium.workflows.governed.run import GovernedRun


def projections(run: GovernedRun, history: History) -> Sequence[Projection]:
    lines = tuple(
        sink_line(run.trace_id, str(each["ts"]), "Orchestrator", each["event"]["phase_id"], "gate_event", each["event"])
        for each in history.own
        if each["type"] == JOURNAL
    )
    if not lines:
        return ()
    return (Projection(paths.sink_path(run.task), partial(_grown, lines), needed=False, shared=True),)


def _grown(lines: tuple[str, ...], before: str | None, _template: str) -> str:
    text = before or ""
    for count in range(len(lines), -1, -1):
        if text.endswith("".join(lines[:count])):
            return text + "".join(lines[count:])
    return text + "".join(lines)
