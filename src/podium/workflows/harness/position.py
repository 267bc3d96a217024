"""Where a run stands, in the words of run-state.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podium.core.run import DONE, Run, Status

if TYPE_CHECKING:
    from podium.workflows.harness.workflow import Harness

AWAITING, COMPLETE = "Awaiting Approval", "Complete"

_STATUS = {
    Status.ACTIVE: "Active",
    Status.SLEEPING: "Blocked",
    Status.BLOCKED: "Blocked",
    Status.CANCELLED: "Blocked",
    Status.COMPLETE: COMPLETE,
}


def stage_names(workflow: Harness) -> tuple[str, ...]:
    return (*(stage.name for stage in workflow.stages), AWAITING, COMPLETE)


def current_stage(workflow: Harness, run: Run) -> str:
    if run.step == DONE:
        return COMPLETE
    stage = workflow.stage_of(run.step)
    return stage.name if stage else AWAITING


def status_of(run: Run) -> str:
    """An open gate is Awaiting Approval; a question or a fault is Blocked until a person
    answers.
    """
    if run.status is Status.WAITING:
        return AWAITING if run.stop == "gate" else "Blocked"
    return _STATUS[run.status]
