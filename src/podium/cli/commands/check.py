"""`podium check WORKFLOW`: every state the workflow can reach, and whether its rules hold in all of them."""

from __future__ import annotations

import math
import os
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from podium.cli import catalog, context
from podium.cli.terminal import terminal
from podium.core.contract import Contract
from podium.core.effects import Cluster, FanOut, Stage
from podium.core.errors import InputError
from podium.core.explore import explore
from podium.core.proofs import Exploration, Violation
from podium.core.retry import DEFAULT_LIMITS, Policy, worst_dispatches
from podium.core.workflow import Step, Workflow
from podium.roles import survey
from podium.workflows.catalog import entry

VIOLATED = 20


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("workflow", metavar="WORKFLOW", help=f"one of: {', '.join(catalog.names())}")


def run(args: Namespace) -> int:
    known = catalog.workflow(args.workflow, context.project(args))
    policy = context.settings(args).policy_of(args.workflow)
    told, broken = report(args.workflow, known, limits(args.workflow, policy))
    _, bad = survey(known, args.workflow, context.project(args), context.settings(args).roles, os.environ)
    told["roles"] = [str(each) for each in bad]
    terminal(args).answer(told, "\n".join([_text(told, broken), *(f"  BAD ROLE {each}" for each in bad)]))
    return VIOLATED if broken else InputError.exit_code if bad else 0


def report(name: str, workflow: Workflow, policy: Policy) -> tuple[dict[str, Any], list[Violation]]:
    """Everything about a workflow and the child runs it starts, and what is broken anywhere in them."""
    found = explore(workflow)
    below = [report(child.name, child, policy) for child in children(workflow)]
    worst = {told["workflow"]: told["worst_case"] for told, _ in below}
    told = summary(name, found, most_tries(workflow, policy), worst)
    broken = [*found.violations, *(each for _, inner in below for each in inner)]
    told["children"] = [inner for inner, _ in below]
    for inner, _ in below:
        told["states"] += inner["states"]
        told["transitions"] += inner["transitions"]
        told["violations"] += inner["violations"]
    return told, broken


def children(workflow: Workflow) -> list[Workflow]:
    """The workflows of the child runs that this one starts, each once."""
    found = [each.effect.workflow() for each in workflow.steps.values() if isinstance(each.effect, FanOut)]
    return list({each.name: each for each in found}.values())


def summary(
    name: str, found: Exploration, tries: Callable[[Step], int], below: Mapping[str, Any]
) -> dict[str, Any]:
    """`tries`: the most dispatches one run of a stage can cost, repairs and retries included."""
    worst = found.worst_case(lambda step: _dispatches(step, below, "dispatches", tries(step)))
    stages = found.worst_case(lambda step: _dispatches(step, below, "stage_runs", 1))
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


def limits(name: str, policy: Mapping[str, Any]) -> Policy:
    """How often a dispatch may be repeated, by the project's policy."""
    return Policy(limits=entry(name).retries(policy), repair_attempts=policy.get("repair_attempts", 1))


def most_tries(workflow: Workflow, policy: Policy) -> Callable[[Step], int]:
    """A first try, repairs, and retries of every class the step can fail in."""
    some_run = workflow.variants()[0]

    def tries(step: Step) -> int:
        match step.effect:
            case Stage(contract=contract):
                contracts = [contract(some_run)]
            case Cluster(members=members):
                contracts = [each.contract(some_run) for each in members(some_run)]
            case _:
                return 1
        return max((_tries(each, policy) for each in contracts), default=_tries(Contract(""), policy))

    return tries


def _tries(contract: Contract, policy: Policy) -> int:
    limits = {**policy.limits, **contract.retries}
    total = limits.pop("total", policy.total)
    own = replace(policy, limits=limits, total=total)
    classes = {*DEFAULT_LIMITS, *own.limits, "artifact"}
    if not contract.evidence:
        classes.discard("validation")  # only the engine's own commands can fail a validation
    if "error" in contract.retries:
        classes -= {"crash", "timeout"}
    if total is None:
        return worst_dispatches(own, classes)
    # A busy service has its own limit beside the one for all other classes together.
    busy = worst_dispatches(replace(own, total=None), {"rate_limit"}) - 1
    return worst_dispatches(own, classes - {"rate_limit"}) + busy


def _dispatches(step: Step, below: Mapping[str, Any], name: str, tries: int) -> int:
    """Agents a step starts; a child run at its own worst."""
    match step.effect:
        case Stage():
            return tries
        case Cluster(most=most):
            return most * tries
        case FanOut(workflow=workflow, most=most):
            return most * int(below[workflow().name][name] or 0)
        case _:
            return 0


def _text(told: dict[str, Any], broken: Sequence[Violation]) -> str:
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
            for name in _claims(told)
            if name not in {v["name"] for v in told["violations"]}
        ),
        *(f"  BROKEN   {each}" for each in broken),
    ]
    return "\n".join(lines)


def _claims(told: Mapping[str, Any]) -> list[str]:
    return [*told["invariants"], *(name for each in told["children"] for name in _claims(each))]
