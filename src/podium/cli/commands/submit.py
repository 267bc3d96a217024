"""`podium submit WORKFLOW INPUT…`: gives the fleet the run that `podium run` would start."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import asdict

from podium.cli import catalog, context, people
from podium.cli import options as told
from podium.cli.commands import run as starting
from podium.cli.issues import asked
from podium.cli.terminal import terminal
from podium.core.errors import UsageError


def configure(parser: ArgumentParser) -> None:
    starting.configure(parser)
    parser.add_argument(
        "--need",
        metavar="WHAT",
        action="append",
        default=[],
        help=(
            "only for workers that have this: a label, agent=NAME, sandbox=NAME or cores=N; may "
            "be repeated"
        ),
    )


def run(args: Namespace) -> int:
    people.starts_only()
    from podium.fleet.app import FleetApp  # noqa: PLC0415 - loads the database only if needed

    out = terminal(args)
    workflow = catalog.checked(args.workflow)
    options = told.options(args, workflow, out)
    for name, wrong in (
        ("--dry-run", args.dry_run),
        ("--record", options.record),
        ("--until", options.until),
        ("--yes-i-approve-all-gates", options.approve_all),
    ):
        if wrong:
            raise UsageError(f"{name} is not for the fleet: use it with `podium run`")
    inputs, options = asked(args, out, workflow, options)
    summary = FleetApp(context.project(args)).give(workflow, inputs, options, args.need)
    lines = [
        f"{summary.run}: submitted",
        f"  podium status {summary.run}",
        f"  its files: the branch podium/{summary.run} on the remote",
    ]
    out.answer(asdict(summary), "\n".join(lines))
    return 0
