"""Whether this Podium knows all that a journal says. What it does not know it must not drive."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from podium.core.errors import Halted

TYPES = frozenset({
    "run.started", "run.resumed", "run.edited", "run.paused", "run.advanced", "run.blocked", "run.completed", "run.cancelled",
    "phase.entered", "phase.left",
    "step.started", "step.finished", "step.interrupted", "step.reused", "step.conflicted", "step.merged", "step.stale",
    "artifact.verified", "artifact.rejected", "contract.violated", "verdict.contradicted",
    "retry.scheduled", "retry.exhausted", "gate.opened", "gate.decided", "gate.stale",
    "document.saved", "document.drifted", "budget.reached",
})  # fmt: skip
"""Events of the engine; a workflow's own begin with its name."""
SHARED = frozenset({"throttle"})


def refuse_unknown(events: Sequence[Mapping[str, Any]], version: str) -> None:
    """Halted where the journal has a type that is not known here, or was written by a newer Podium."""
    run = str(events[0]["run"]) if events else ""
    own = {str(events[0].get("workflow", "")).partition("-")[0], *SHARED} if events else set()
    for event in events:
        kind = str(event["type"])
        if kind not in TYPES and kind.partition(".")[0] not in own:
            raise Halted(
                f"run {run}, event {event['seq']}: the type {kind!r} is not known to Podium {version}; "
                "drive this run with the Podium that wrote it"
            )
        theirs = str(event.get("version", "")) if kind in {"run.started", "run.resumed"} else ""
        if theirs and _numbers(theirs) > _numbers(version):
            raise Halted(f"run {run} was driven by Podium {theirs}, this is {version}: update this worker")


def _numbers(version: str) -> tuple[int, ...]:
    """The two numbers that tell versions with different journals apart."""
    return tuple(int(part) for part in re.findall(r"\d+", version)[:2])
