"""`podium check WORKFLOW`: every state the workflow can reach, and whether its rules hold in all of them."""

from __future__ import annotations

import math
from argparse import ArgumentParser, Namespace
from typing import Any

from podium.cli import catalog, context
from podium.cli.terminal import terminal
from podium.core.effects import Cluster, Stage
from podium.core.explore import explore
from podium.core.proofs import Exploration
from podium.core.workflow import Step

VIOLATED = 20


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("workflow", metavar="WORKFLOW", help=f"one of: {', '.join(catalog.names())}")


def run(args: Namespace) -> int:
    found = explore(catalog.workflow(args.workflow, context.project(args)))
    told = summary(args.workflow, found)
    terminal(args).answer(told, _text(told, found))
    return VIOLATED if found.violations else 0


def summary(name: str, found: Exploration) -> dict[str, Any]:
    worst = found.worst_case(_dispatches)
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
        "worst_case": {"dispatches": int(worst) if math.isfinite(worst) else None},
    }


def _dispatches(step: Step) -> int:
    """Agents a step starts when all goes well with each; repairs and retries have budgets of their own."""
    match step.effect:
        case Stage():
            return 1
        case Cluster(limit=limit):
            return limit
        case _:
            return 0


def _text(told: dict[str, Any], found: Exploration) -> str:
    worst = told["worst_case"]["dispatches"]
    lines = [
        f"{told['workflow']}: {told['states']} states, {told['transitions']} transitions",
        f"  at most {worst} dispatches" if worst is not None else "  no bound on the number of dispatches",
        "    (while people send nothing back; repairs and retries come on top)",
        *(
            f"  holds    {name}"
            for name in told["invariants"]
            if name not in {v["name"] for v in told["violations"]}
        ),
        *(f"  BROKEN   {each}" for each in found.violations),
    ]
    return "\n".join(lines)
