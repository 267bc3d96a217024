"""`podium resume [RUN]`: continues a run that was paused, blocked or killed."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import asdict

from podium.cli import context, driving, people
from podium.cli import options as told
from podium.cli.terminal import Terminal, terminal
from podium.wiring import App


def configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "run",
        metavar="RUN",
        nargs="?",
        default="@",
        help="an id or a unique prefix; default: the latest",
    )
    told.add(parser)
    parser.add_argument(
        "--because",
        metavar="TEXT",
        default="",
        help="why a blocked run may continue; the agent is told too",
    )


def run(args: Namespace) -> int:
    out = terminal(args)
    people.starts_only()
    app = context.app(args)
    run = app.resolve(args.run)
    if context.elsewhere(app, run):
        return _send_on(args, out, app, run)
    # A policy value is checked against the workflow the run was started with.
    return driving.resume(args, out, run, told.options(args, app.summary(run).workflow, out))


def _send_on(args: Namespace, out: Terminal, app: App, run: str) -> int:
    """A run of the fleet continues there; only a reason can be given."""
    from podium.fleet.app import FleetApp  # noqa: PLC0415 - loads the database only if one is set

    assert isinstance(app, FleetApp)
    people.people_only()
    summary = app.send_on(run, args.because, people.person(context.project(args)))
    out.answer(asdict(summary), "\n  ".join([f"{run}: sent on", *summary.advice]))
    return 0
