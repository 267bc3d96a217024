"""`podium resume [RUN]`: goes on with a run that was paused, blocked or killed."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from podium.cli import context, driving
from podium.cli import options as told
from podium.cli.terminal import terminal


def configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "run", metavar="RUN", nargs="?", default="@", help="an id, the beginning of one; else the latest"
    )
    told.add(parser)
    parser.add_argument(
        "--because", metavar="TEXT", default="", help="why a blocked run may go on; told to the agent too"
    )


def run(args: Namespace) -> int:
    out = terminal(args)
    app = context.app(args)
    run = app.resolve(args.run)
    # A policy value is checked against the workflow the run was started with.
    return driving.resume(args, out, run, told.options(args, app.summary(run).workflow, out))
