"""`podium run WORKFLOW INPUT…`: starts a run and drives it until it rests."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from podium.cli import catalog, context, people
from podium.cli import options as told
from podium.cli.issues import asked
from podium.cli.terminal import Terminal, terminal
from podium.wiring_values import Planned, RunOptions


def configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "workflow",
        metavar="WORKFLOW",
        help=(
            f"one of: {', '.join(catalog.names())}; or your own: a FILE.py, or a name that "
            "`podium workflows` lists"
        ),
    )
    parser.add_argument(
        "inputs",
        metavar="INPUT",
        nargs="*",
        default=[],
        help=(
            "what the workflow works on; harness: a task file; roadmap: its file; feature, "
            "governed: the request; ticket: its id and the request"
        ),
    )
    told.add(parser)
    parser.add_argument(
        "--state", metavar="PATH", default="", help="harness: another run-state file"
    )
    parser.add_argument(
        "--plan",
        metavar="FILE",
        default="",
        help="governed: start from this plan, in Markdown or JSON; it is still reviewed",
    )
    parser.add_argument(
        "--final-review",
        action="store_true",
        help="governed: review everything once more at the end",
    )
    parser.add_argument(
        "--from",
        metavar="FILE",
        default="",
        help="ticket: an exported issue (Jira or GitHub JSON, Markdown) instead of a request",
    )
    parser.add_argument(
        "--issue",
        metavar="SOURCE",
        default="",
        help=(
            "feature, ticket, governed: an issue as the request: gh:12, gh:owner/repo#12, "
            "jira:PROJ-12, file:PATH"
        ),
    )
    parser.add_argument(
        "--issue-comments", action="store_true", help="with --issue: include its comments"
    )
    parser.add_argument(
        "--ticket", metavar="ID", default="", help="ticket: which id, if the request names several"
    )
    parser.add_argument(
        "--run-id", metavar="ID", default="", help="the new run's id; default: generated"
    )
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="print the first dispatches with prompt and contract; write nothing",
    )


def run(args: Namespace) -> int:
    if not args.dry_run:
        people.starts_only()
    out = terminal(args)
    workflow = args.workflow
    options = told.options(args, catalog.found(workflow, context.project(args)).name, out)
    inputs, options = asked(args, out, workflow, options)
    if args.dry_run:
        return _dry_run(args, out, workflow, inputs, options)
    # loads the engine, which help, a dry run and wrong input do not need
    from podium.cli import driving  # noqa: PLC0415

    return driving.start(args, out, workflow, inputs, options)


def _dry_run(
    args: Namespace, out: Terminal, workflow: str, inputs: Sequence[str], options: RunOptions
) -> int:
    planned = context.app(args).dry_run(workflow, inputs, options)
    out.answer(
        {"dispatches": [asdict(each) for each in planned]}, "\n\n".join(map(_shown, planned))
    )
    out.remark("dry run: nothing was written and nobody was asked")
    return 0


def _lines(name: str, value: Any) -> list[str]:
    """One member of a contract; a list has one item per line."""
    if not isinstance(value, list):
        return [f"  {name}: {value}"]
    items = [_item(each) for each in value]
    return [f"  {name}:" + ("" if items else " none"), *(f"    {each}" for each in items)]


def _item(each: Any) -> str:
    if not isinstance(each, dict):
        return str(each)
    return f"{each['path']} ({each['name']}{'' if each.get('required', True) else ', optional'})"


def _shown(planned: Planned) -> str:
    contract = "\n".join(
        line for name, value in planned.contract.items() for line in _lines(name, value)
    )
    head = f"== {planned.key} ({planned.role}, {planned.agent})"
    return f"{head}\n-- contract\n{contract}\n-- prompt\n{planned.prompt}"
