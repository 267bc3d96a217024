"""`podium check WORKFLOW`: every state the workflow can reach, and whether its rules hold in all of them."""

from __future__ import annotations

import math
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from typing import Any

from podium.cli import catalog, context
from podium.cli.terminal import terminal
from podium.core.effects import Cluster, Stage
from podium.core.explore import explore
from podium.core.proofs import Exploration
from podium.core.retry import DEFAULT_LIMITS, Policy, worst_dispatches
from podium.core.workflow import Step, Workflow
from podium.workflows.catalog import entries

VIOLATED = 20


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("workflow", metavar="WORKFLOW", help=f"one of: {', '.join(catalog.names())}")


def run(args: Namespace) -> int:
    found = explore(catalog.workflow(args.workflow, context.project(args)))
    told = summary(args.workflow, found, _most_tries(args, found.workflow))
    terminal(args).answer(told, _text(told, found))
    return VIOLATED if found.violations else 0


def summary(name: str, found: Exploration, tries: Callable[[Step], int]) -> dict[str, Any]:
    """`tries`: the most dispatches one run of a stage can cost, repairs and retries included."""
    worst = found.worst_case(lambda step: _dispatches(step) * tries(step))
    stages = found.worst_case(_dispatches)
    return {
        "workflow": name,
        "states": len(found.states),
        "transitions": len(found.transitions),
        "complete": found.complete,
        "invariants": [each.name for each in found.workflow.invariants],
        "violations": [
            {"name": each.name, "detail": each.detail, "path": [list(pair) for pair in each.path]}
            for each in found.violations
        ],
        "bounds": {member: list(span) for member, span in found.bounds().items()},
        "edges": len(found.edges),
        "worst_case": {"dispatches": _whole(worst), "stage_runs": _whole(stages)},
    }


def _whole(value: float) -> int | None:
    return int(value) if math.isfinite(value) else None


def _most_tries(args: Namespace, workflow: Workflow) -> Callable[[Step], int]:
    """By the project's policy: a first try, repairs, and retries of every class the step can fail in."""
    policy = context.settings(args).policy_of(args.workflow)
    limits = entries()[args.workflow].retries(policy)
    known = Policy(limits=limits, repair_attempts=policy.get("repair_attempts", 1))
    some_run = workflow.variants()[0]

    def tries(step: Step) -> int:
        classes = {*DEFAULT_LIMITS, *limits, "artifact"}
        if not isinstance(step.effect, Stage) or not step.effect.contract(some_run).evidence:
            classes.discard("validation")  # only the engine's own commands can fail a validation
        return worst_dispatches(known, classes)

    return tries


def _dispatches(step: Step) -> int:
    """Agents a step starts when all goes well with each; repairs and retries have budgets of their own."""
    match step.effect:
        case Stage():
            return 1
        case Cluster(most=most):
            return most
        case _:
            return 0


def _text(told: dict[str, Any], found: Exploration) -> str:
    worst = told["worst_case"]["dispatches"]
    runs = told["worst_case"]["stage_runs"]
    lines = [
        f"{told['workflow']}: {told['states']} states, {told['transitions']} transitions, {told['edges']} edges",
        *(f"  {member}: {low} to {high}" for member, (low, high) in told["bounds"].items()),
        f"  worst case: {runs} stage runs, {worst} dispatches with every repair and retry used up"
        if worst is not None
        else "  no bound on the number of dispatches",
        "    (until a person sends something back: that starts a new count)",
        *(
            f"  holds    {name}"
            for name in told["invariants"]
            if name not in {v["name"] for v in told["violations"]}
        ),
        *(f"  BROKEN   {each}" for each in found.violations),
    ]
    return "\n".join(lines)
