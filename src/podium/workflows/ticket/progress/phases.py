"""Where a run stands in the words of `progress.yaml`: phases, their steps, statuses, and where a
run resumes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

PHASES: Mapping[str, tuple[str, ...]] = {
    "INITIALIZED": ("I2",),
    "PLANNING": ("O1", "O3"),
    "SPLITTING": ("O4",),
    "GIT_GATE": ("O4.5",),
    "TASK_EXECUTION": ("O5",),
    "REVIEW": ("O6",),
    "DOC_REFRESH": ("O7",),
}
STEPS: Mapping[str, str] = {step: phase for phase, steps in PHASES.items() for step in steps}
"""Each step's phase, in the order of an iteration."""

Status = Literal["PENDING", "IN_PROGRESS", "PAUSED", "REJECTED", "ACCEPTED"]
STATUSES: tuple[Status, ...] = get_args(Status)
IterationStatus = Literal["PENDING", "IN_PROGRESS", "REJECTED", "ACCEPTED"]


@dataclass(frozen=True)
class Position:
    """Where a run continues."""

    step: str
    reason: str = ""


def resume_at(step: str, status: str, *, git_gate_completed: bool) -> Position:
    """The step at which a resumed run continues: where it was, but never in code before the git
    gate.
    """
    if status == "ACCEPTED" and step != "O7":
        return Position("O7", "the iteration was accepted")
    if step in {"O5", "O6"} and not git_gate_completed:
        return Position("O4.5", "the git gate is not completed")
    return Position("O1" if step == "I2" else step)
