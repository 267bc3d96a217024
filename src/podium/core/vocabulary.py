"""The event types that this Podium understands: a run whose journal has others was driven by a
newer version.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

FORMAT = 1
"""Of the journal; in a newer format the first event says `format`."""
TYPES = frozenset(
    {
        "run.started",
        "run.resumed",
        "run.edited",
        "run.advanced",
        "run.paused",
        "run.blocked",
        "run.completed",
        "run.cancelled",
        "phase.entered",
        "phase.left",
        "step.started",
        "step.finished",
        "step.interrupted",
        "step.reused",
        "step.stale",
        "step.merged",
        "step.conflicted",
        "step.held",
        "artifact.verified",
        "artifact.rejected",
        "contract.violated",
        "retry.scheduled",
        "retry.exhausted",
        "proof.baseline",
        "proof.checked",
        "proof.waived",
        "tests.weakened",
        "gate.opened",
        "gate.decided",
        "gate.stale",
        "gate.void",
        "document.saved",
        "document.drifted",
        "budget.reached",
        "verdict.contradicted",
        "throttle.changed",
    }
)
"""Event types of the engine; a workflow's own begin with its name."""


def not_understood(events: Iterable[Mapping[str, Any]]) -> tuple[int, str] | None:
    """(seq, what) of the first event that this version does not know. Skipping it would lose
    what it says.
    """
    own = ""
    for event in events:
        kind = event["type"]
        if kind == "run.started":
            own = str(event.get("workflow", "")).partition("-")[0]
            if event.get("format", FORMAT) != FORMAT:
                return event["seq"], f"format {event['format']!r}, this Podium reads {FORMAT}"
        elif kind not in TYPES and kind.partition(".")[0] != own:
            return event["seq"], f"an event of the type {kind!r}, which this Podium does not know"
    return None
