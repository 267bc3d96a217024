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

    An outcome that the step does not declare blocks the run there: what nobody planned
    for is a person's business, never a guess.
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
    after.reason, after.stop = reason, stop  # what was said about this outcome, for the route; entering a step clears it
    try:
        target = at.route(workflow, after, outcome)
    except Blocked as halt:
        # What the result fixed stays known: where the run is sent on, it goes on with that.
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
    """The run at `target`, its visit counted: entering opens a new visit, resuming stays in it."""
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
    """How a complete run came to its end."""
    return "completed_with_findings" if getattr(run, "findings", False) else "complete"


def unblocked(workflow: Workflow, run: Run) -> Run:
    """A person changed something: the same step again, as a new visit with fresh budgets.

    A step of several agents or children stays in its visit: those that are done are not done again. So does
    a gate: a decision about it counts.
    """
    step = workflow.steps.get(run.step)
    if step is not None and isinstance(step.effect, Cluster | FanOut | Gate):
        after = resting(run, Status.ACTIVE, "", "")
    else:
        after = entered(run, run.step)
    workflow.unblocked(after)
    return after
