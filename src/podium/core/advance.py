"""One outcome moves one run one step. Pure, and never touches its argument."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podium.core.effects import Cluster, FanOut, Gate
from podium.core.errors import Blocked
from podium.core.run import DONE, Run, Status, copied
from podium.core.workflow import Workflow


class UndeclaredExit(AssertionError):
    """A route leads where its signature does not say: the workflow is wrong, not the run."""


def advance(
    workflow: Workflow,
    run: Run,
    outcome: str,
    sets: Mapping[str, Any] | None = None,
    reason: str = "",
    stop: str = "",
) -> Run:
    """Return the run as it stands after `outcome`.

    An outcome that the step does not declare blocks the run there: a person decides about what
    nobody planned for; the program does not guess.
    """
    at = workflow.steps[run.step]
    sets = sets or {}
    for name in sets:
        if not hasattr(run, name):
            raise AssertionError(f"{at.name} sets unknown member {name!r}")
    if outcome not in at.outcomes:
        return blocked(run, reason or f"{at.name} ended with {outcome}", stop or "agent_failed")
    after = _fixed(run, sets)
    if not isinstance(at.effect, Gate):
        after.note = ""
    after.reason, after.stop = (
        reason,
        stop,
    )  # what was said about this outcome, for the route; entering a step clears it
    try:
        target = at.route(workflow, after, outcome)
    except Blocked as halt:
        # The values that the result set are kept: if a person sends the run on, it continues with
        # them.
        return blocked(_fixed(run, sets), str(halt), halt.stop)
    if target not in at.exits:
        raise UndeclaredExit(f"{at.name} routed to undeclared {target!r}")
    return _enter(after, target)


def _fixed(run: Run, sets: Mapping[str, Any]) -> Run:
    after: Run = copied(run)
    for name, value in sets.items():
        setattr(after, name, value)
    return after


def entered(run: Run, target: str) -> Run:
    """The run at `target`, with its visit counted: entering a step starts a new visit, resuming
    does not.
    """
    return _enter(copied(run), target)


def _enter(after: Run, target: str) -> Run:
    after.step = target
    after.status = Status.COMPLETE if target == DONE else Status.ACTIVE
    after.reason = after.stop = ""
    if target != DONE:
        after.visits[target] = after.visits.get(target, 0) + 1
    return after


def blocked(run: Run, reason: str, stop: str = "rule") -> Run:
    """The run stopped where it is."""
    return resting(run, Status.BLOCKED, reason, stop)


def resting(run: Run, status: Status, reason: str, stop: str) -> Run:
    after: Run = copied(run)
    after.status, after.reason, after.stop = status, reason, stop
    return after


def ending(run: Run) -> str:
    """How a complete run ended."""
    return "completed_with_findings" if getattr(run, "findings", False) else "complete"


def unblocked(workflow: Workflow, run: Run) -> Run:
    """A person changed something: repeat the same step as a new visit with fresh limits.

    A cluster and a fan-out stay in their visit, so that finished members and children are not
    repeated. A gate stays in its visit too, so that a decision about it still counts.
    """
    step = workflow.steps.get(run.step)
    if step is not None and isinstance(step.effect, Cluster | FanOut | Gate):
        after = resting(run, Status.ACTIVE, "", "")
    else:
        after = entered(run, run.step)
    workflow.unblocked(after)
    return after
