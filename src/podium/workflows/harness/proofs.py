"""What must hold for every run of the harness, whatever agents and people do."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from podium.core.proofs import Exploration, story
from podium.core.run import DONE, Run
from podium.core.workflow import Invariant
from podium.workflows.harness.stages import COMPLETION

if TYPE_CHECKING:
    from podium.workflows.harness.stages import StageSpec
    from podium.workflows.harness.workflow import Harness


def invariants(workflow: Harness) -> tuple[Invariant, ...]:
    found = [
        Invariant(
            f"{stage.name} is never entered without its approval when the flag is on",
            partial(_approved, workflow, stage.step, stage.gate),
        )
        for stage in workflow.stages
        if stage.approval_before
    ]
    found.append(
        Invariant(
            "Complete is never reached by the program alone when the flag is on",
            partial(_approved, workflow, DONE, COMPLETION),
        )
    )
    found += [
        Invariant(
            f"{stage.name} runs at most {_times(most_runs(workflow, stage))} without a person",
            partial(_bounded, stage.step, most_runs(workflow, stage)),
        )
        for stage in workflow.stages
        if stage.kind == "review"
    ]
    found.append(Invariant("no stage is skipped", partial(_in_order, workflow)))
    return tuple(found)


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def most_runs(workflow: Harness, stage: StageSpec) -> int:
    """Once, plus once for every return by a review whose loop covers the stage."""
    names = [each.name for each in workflow.stages]
    at = names.index(stage.name)
    loops = [
        each
        for at_review, each in enumerate(workflow.stages)
        if each.kind == "review" and names.index(each.returns_to) <= at <= at_review
    ]
    return 1 + len(loops) * workflow.max_remediations


def _approved(workflow: Harness, target: str, gate: str, found: Exploration) -> list[str]:
    """Without the gate's approval the target must be unreachable, from the start and after every
    way back.
    """
    before = _steps_before(workflow, gate)

    def flagged(run: Run) -> bool:
        return bool(getattr(run, "approvals", {}).get(gate, True))

    path = found.dominated(
        target, gate, "approved", lambda run: flagged(run) and run.step in before
    )
    return [] if path is None else [story(path)]


def _steps_before(workflow: Harness, gate: str) -> set[str]:
    if gate == COMPLETION:
        return {stage.step for stage in workflow.stages}
    guarded = gate.removeprefix("approve_")
    steps = [stage.step for stage in workflow.stages]
    return set(steps[: steps.index(guarded)])


def _bounded(step: str, most: int, found: Exploration) -> list[str]:
    seen = found.most_visits(step)
    return [] if seen <= most else [f"{step} can run {seen} times, at most {most} are allowed"]


def _in_order(workflow: Harness, found: Exploration) -> list[str]:
    """Standing at a stage means that every stage before it is completed."""
    names = [stage.name for stage in workflow.stages]
    wrong: list[str] = []
    for state, run in enumerate(found.states):
        missing = _missing(workflow, names, run)
        if missing:
            wrong.append(f"at {run.step} without {', '.join(missing)}: {story(found.path(state))}")
    return wrong[:3]


def _missing(workflow: Harness, names: list[str], run: Any) -> list[str]:
    stage = workflow.by_step.get(run.step)
    due = (
        names
        if stage is None and run.step in {DONE, COMPLETION}
        else names[: names.index(stage.name)]
        if stage
        else []
    )
    return [name for name in due if name not in run.completed]
