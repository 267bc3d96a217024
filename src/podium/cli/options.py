"""The options of `run` and `resume`, turned into `RunOptions`."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from typing import Any

from podium.cli import context, people, policy_options
from podium.cli.terminal import Terminal
from podium.core.errors import Fault, InputError
from podium.wiring_values import RunOptions

EXTRA = ("state", "from", "ticket", "plan", "final_review")
SHORTHAND = ("keep_going", "max_items")


def add(parser: ArgumentParser) -> None:
    agents = parser.add_argument_group("who does the work")
    agents.add_argument(
        "--agent",
        metavar="NAME",
        default="",
        help="agent for all roles; scripted:FILE runs a scenario",
    )
    agents.add_argument(
        "--role",
        metavar="ROLE=AGENT",
        action="append",
        default=[],
        help="agent for one role; may be repeated",
    )
    parser.add_argument(
        "--record",
        metavar="FILE",
        default="",
        help="record the run as a scenario for --agent scripted:FILE",
    )
    rules = parser.add_argument_group("rules")
    policy_options.add(rules)
    rules.add_argument(
        "--until",
        metavar="KEY",
        default="",
        help="stop cleanly after this step; the run can be resumed",
    )
    rules.add_argument(
        "--keep-going",
        action="store_true",
        help="roadmap: continue past a blocked item with whatever does not depend on it",
    )
    rules.add_argument("--max-items", metavar="N", type=int, help="roadmap: stop after N items")
    rules.add_argument(
        "--yes-i-approve-all-gates",
        dest="approve_all",
        action="store_true",
        help="pass every gate except high-risk ones without asking",
    )


def options(args: Namespace, workflow: str, terminal: Terminal) -> RunOptions:
    """Checked options; reports every fault at once."""
    policy, faults = policy_options.read(args.policy, args.set, workflow)
    policy |= _shorthand(args, workflow, faults)
    roles = _roles(args.role, faults)
    if faults:
        raise InputError(faults)
    if args.approve_all:
        people.people_only()
        terminal.remark(
            "!! EVERY GATE IS APPROVED WITHOUT A PERSON (--yes-i-approve-all-gates); "
            "high-risk gates still ask"
        )
    return RunOptions(
        agent=args.agent,
        roles=roles,
        policy=policy,
        until=args.until,
        approve_all=args.approve_all,
        run_id=getattr(args, "run_id", ""),
        because=getattr(args, "because", ""),
        extra=_extra(args),
        by=people.person(context.project(args)),
        record=getattr(args, "record", ""),
    )


def _shorthand(args: Namespace, workflow: str, faults: list[Fault]) -> dict[str, Any]:
    """Options that are policy values of one workflow under their own name."""
    said = {name: getattr(args, name, None) for name in SHORTHAND}
    given = {
        name: value for name, value in said.items() if value is not None and value is not False
    }
    if given and workflow != "roadmap":
        faults += [
            Fault(
                f"--{name.replace('_', '-')}",
                f"is not an option of {workflow}",
                "it belongs to roadmap",
            )
            for name in given
        ]
    if given.get("max_items", 1) < 1:
        faults.append(
            Fault("--max-items", f"{given['max_items']} is not a number of items", "1 or more")
        )
    return given


def _extra(args: Namespace) -> dict[str, Any]:
    """Options of single workflows, as far as they were given."""
    found = {name: getattr(args, name, None) for name in EXTRA}
    return {name: value for name, value in found.items() if value not in (None, "", False)}


def _roles(given: Sequence[str], faults: list[Fault]) -> dict[str, str]:
    roles: dict[str, str] = {}
    for each in given:
        role, _, agent = each.partition("=")
        if not role or not agent:
            faults.append(
                Fault("--role", f'"{each}" is not ROLE=AGENT', "for example --role qa=claude")
            )
        roles[role] = agent
    return roles
