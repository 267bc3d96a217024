"""The documents a cluster leaves behind, and the one line that states its result.

Each document is rendered from plain data alone, so that the same record gives the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Literal

from podium.core.natural import natural
from podium.workflows.feature.clusters.aggregate_parts import (
    Data,
    concerned_tasks,
    findings_of,
    gathered,
)
from podium.workflows.feature.clusters.clusters import Decided
from podium.workflows.feature.clusters.ct_document import (
    planning_constraints,
    render_ct,
    unresolved,
)
from podium.workflows.feature.clusters.review_document import render_r
from podium.workflows.feature.clusters.verifier_document import actions, render_v
from podium.workflows.feature.findings.finding import cut, is_task_id
from podium.workflows.feature.findings.severities import R, V

__all__ = [
    "Data",
    "actions",
    "affected_tasks",
    "failing_tasks",
    "findings_of",
    "gathered",
    "outcome_line",
    "planning_constraints",
    "render_ct",
    "render_r",
    "render_v",
    "unresolved",
]

Cluster = Literal["research", "ct", "v", "r"]
_TITLES: Mapping[str, str] = {
    "research": "research",
    "ct": "design review",
    "v": "verification",
    "r": "review",
}
_TASKS: Mapping[str, str] = {"v": "task IDs", "r": "affects tasks"}
_KEY = re.compile(r"\b(tasks?|task ids?)\s*:", re.IGNORECASE)


def affected_tasks(data: Data) -> tuple[str, ...]:
    """Ids of the tasks that a review sends back."""
    return concerned_tasks(data, R, "Major")


def failing_tasks(data: Data) -> tuple[str, ...]:
    """Ids of the tasks that failed verification."""
    return concerned_tasks(data, V, "PARTIAL")


def outcome_line(kind: Cluster, decided: Decided, tasks: Iterable[str] = ()) -> str:
    """`NEEDS_REVISION: review — why — affects tasks: 01, 03`; the dialect reads the same back."""
    # A quotation inside the reason must not be read as a list of tasks.
    reason = _KEY.sub(r"\1", cut(decided.reason))
    line = f"{decided.status}: {_TITLES[kind]} — {reason}".rstrip("— ")
    ids = sorted({each for each in tasks if is_task_id(each)}, key=natural)
    key = _TASKS.get(kind, "")
    return f"{line} — {key}: {', '.join(ids)}" if ids and key else line
