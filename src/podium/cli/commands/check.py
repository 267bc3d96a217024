"""`podium check WORKFLOW`: visits every state the workflow can reach and checks its rules in all
of them.
"""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from podium.checking.approving import Approval
from podium.checking.examining import CLAIMS, Examined, examine
from podium.checking.spending import at_once, capped, worst_case
from podium.checking.telling import drawn, told
from podium.cli import catalog, context, output_file, own_workflow, policy_options
from podium.cli.bounds import caps, limits
from podium.cli.terminal import terminal
from podium.core.budget import Caps
from podium.core.errors import InputError
from podium.core.explore import explore
from podium.core.proofs import Violation
from podium.core.retry import Policy
from podium.core.workflow import Workflow
from podium.roles import survey as survey_roles
from podium.settings.policies import defaults
from podium.simulation.specified import rules_for
from podium.simulation.surveying import NAMES, survey

__all__ = ["VIOLATED", "configure", "limits", "report", "run"]

VIOLATED = 20


def configure(parser: ArgumentParser) -> None:
    known = ", ".join(catalog.names())
    parser.add_argument(
        "workflow",
        metavar="WORKFLOW",
        help=(
            f"one of: {known}; or your own file: FILE.py[:Class] with a Workflow class, or a "
            "stage list FILE.toml"
        ),
    )
    parser.add_argument(
        "--svg",
        metavar="FILE",
        help="draw the workflow to FILE, with any counter-example highlighted",
    )
    policy_options.add(parser.add_argument_group("rules, over the project's own"))


def run(args: Namespace) -> int:
    own = own_workflow.is_file(args.workflow)
    entry = catalog.found("harness" if own else args.workflow, context.project(args))
    base = own_workflow.family(args.workflow) if own else entry.name
    settings, told_over = context.settings(args), policy_options.told(args, base)
    policy = settings.policy_of(base, told_over)
    known = (
        own_workflow.load(args.workflow, policy)
        if own
        else catalog.workflow(base, context.project(args), told_over)
    )
    name = known.name or type(known).__name__ if own else args.workflow
    bounds = caps(settings, entry, None if own else known, policy)
    rules = limits(entry, {**defaults(entry.name), **policy})
    found, broken = report(name, known, rules, bounds, policy["step_timeout_s"])
    bad: Sequence[object] = ()
    if not own:
        _, bad = survey_roles(
            known, args.workflow, context.project(args), settings.roles, os.environ
        )
    found["policy"] = told_over
    found["roles"] = [str(each) for each in bad]
    if args.svg:
        _draw(Path(args.svg), known, broken)
    terminal(args).answer(
        found, "\n".join([*_text(found), *(f"  BAD ROLE {each}" for each in bad)])
    )
    return VIOLATED if broken else InputError.exit_code if bad else 0


def report(
    name: str,
    workflow: Workflow,
    policy: Policy,
    most: Caps | None = None,
    timeout_s: float | None = None,
) -> tuple[dict[str, Any], list[Violation]]:
    """Everything about a workflow and the child runs it starts, and what is broken anywhere in
    them.
    """
    examined = _held(examine(workflow, explore))
    found = _told(name, examined, policy)
    found["worst_case"] = capped(found["worst_case"], most or Caps(), at_once(workflow), timeout_s)
    return found, [each for one in examined.family() for each in one.violations]


def _held(examined: Examined) -> Examined:
    """The same, also checked against the rules of its specification, if it has one."""
    wrong = survey(examined.found, rules_for(examined.found.workflow))
    below = tuple(_held(each) for each in examined.below)
    return replace(examined, violations=(*examined.violations, *wrong), below=below)


def _told(name: str, examined: Examined, policy: Policy) -> dict[str, Any]:
    below = [_told(each.found.workflow.name, each, policy) for each in examined.below]
    found = examined.found
    worst = worst_case(found, policy, {each["workflow"]: each["worst_case"] for each in below})
    return {
        "workflow": name,
        "states": len(found.states) + sum(each["states"] for each in below),
        "transitions": len(found.transitions) + sum(each["transitions"] for each in below),
        "complete": found.complete,
        "claims": list(CLAIMS),
        "invariants": [each.name for each in found.workflow.invariants],
        "specified": len(rules_for(found.workflow)),
        "holds": [*examined.claims(), *_specified(examined)],
        "violations": [
            *(_violation(name, each) for each in examined.violations),
            *(each for one in below for each in one["violations"]),
        ],
        "bounds": {member: list(span) for member, span in found.bounds().items()},
        "edges": len(found.edges),
        "approvals": [
            vars(each) | {"gates": list(each.gates), "bypassed": list(each.bypassed)}
            for each in examined.approvals
        ],
        "artifacts": examined.artifacts,
        "worst_case": worst,
        "children": below,
    }


def _specified(examined: Examined) -> list[str]:
    rules = len(rules_for(examined.found.workflow))
    good = examined.found.complete and not {each.name for each in examined.violations} & set(
        NAMES.values()
    )
    return (
        [f"no stage is skipped and no gate bypassed ({rules} rules of its specification)"]
        if rules and good
        else []
    )


def _violation(workflow: str, each: Violation) -> dict[str, Any]:
    return {
        "name": each.name,
        "detail": each.detail,
        "path": [list(pair) for pair in each.path],
        "workflow": workflow,
        "story": told(each),
        "at": each.at,
        "mermaid": drawn(each.path, each.at),
    }


def _draw(where: Path, workflow: Workflow, broken: Sequence[Violation]) -> None:
    from podium.core.diagram import graph  # noqa: PLC0415
    from podium.views.svg.path import lit  # noqa: PLC0415

    path, at = next(((each.path, each.at) for each in broken if each.path), ((), ""))
    output_file.write(where, lit(graph(workflow), path, at), "--svg")


def _text(found: dict[str, Any]) -> list[str]:
    lines = [
        (
            f"{found['workflow']}: {found['states']} states, {found['transitions']} transitions, "
            f"{found['edges']} edges"
        ),
        *(f"  {member}: {low} to {high}" for member, (low, high) in found["bounds"].items()),
        *_worst(found["worst_case"]),
        *(
            f"  {_approval(Approval(**each))}"
            for one in _family(found)
            for each in one["approvals"]
        ),
        *(
            f"  holds    {name}"
            for name in dict.fromkeys(name for one in _family(found) for name in one["holds"])
            if _everywhere(found, name)
        ),
    ]
    for each in found["violations"]:
        lines += ["", f"  BROKEN   {each['name']}: {each['detail']}"]
        if each["path"]:
            lines += [
                "",
                *(f"    {line}" for line in each["story"]),
                "",
                *(f"    {line}" for line in each["mermaid"].splitlines()),
            ]
    return lines


def _family(found: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield found
    for each in found["children"]:
        yield from _family(each)


def _everywhere(found: dict[str, Any], name: str) -> bool:
    """Whether a claim holds in every workflow of the family that makes it."""
    return all(
        name in one["holds"]
        for one in _family(found)
        if name in one["claims"] or name in one["invariants"]
    )


def _worst(worst: Mapping[str, Any]) -> Iterator[str]:
    if worst["dispatches"] is None:
        yield f"  no bound on the number of dispatches: {worst['unbounded']['dispatches']}"
    else:
        yield (
            f"  worst case: {worst['stage_runs']} stage runs, {worst['dispatches']} dispatches "
            "with every repair and retry used up"
        )
    if worst["agent_seconds"]:
        yield (
            f"    at most {worst['agent_seconds'] / 3600:,.0f} hours of agents, each at its "
            "longest, one after the other"
        )
    for axis, unit in (("tokens", "tokens"), ("cost_usd", "US dollars")):
        if worst[axis] is not None:
            yield (
                f"    at most {worst[axis]:,.12g} {unit} by the budget, and "
                f"{_beyond(worst['overshoot'][axis])}"
            )
    if worst["estimated_usd"] is not None:
        yield (
            f"    {worst['estimated_usd']:,.12g} US dollars where no agent says its cost and each "
            "dispatch counts `[budget] estimate_usd`"
        )
    for axis, why in worst["unbounded"].items():
        if axis != "dispatches":
            yield f"    no bound on {axis}: {why}"
    yield "    (until a person sends something back: that starts a new count)"


def _beyond(agents: int) -> str:
    """What can exceed a cap: it applies between the calls of a dispatch at the gateway, else
    between dispatches.
    """
    whose = (
        "of the agent that reaches it"
        if agents == 1
        else f"of each of up to {agents} agents that reach it"
    )
    return f"one more call {whose} (without the gateway: the rest of the dispatch)"


def _approval(each: Approval) -> str:
    does = "writes code" if each.code else "needs approval"
    if each.bypassed:
        return f"{each.step} {does}: BYPASSED {' and '.join(each.bypassed)}"
    if each.gates:
        return (
            f"{each.step} {does}: {' or '.join(each.gates)} on every way to it, where the run "
            "asks for it"
        )
    if each.person:
        return f"{each.step} {does}: a person approves on every way to it"
    return f"{each.step} {does}: it declares no approval of its own"
