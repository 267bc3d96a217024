"""`podium cancel RUN`: ends a run cleanly; child runs are stopped, worktrees and stashes given
back.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import asdict

from podium.cli import context, people, reaching
from podium.cli.terminal import terminal
from podium.engine.outcome import Silent


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="an id, a unique prefix, or @ for the latest")
    parser.add_argument("--because", metavar="TEXT", default="", help="why, for the journal")


def run(args: Namespace) -> int:
    people.people_only()
    out, told = terminal(args), reaching.reached(args, Silent())
    app = context.app(args, told)
    try:
        summary = app.cancel(
            app.resolve(args.run), args.because, people.person(context.project(args))
        )
    finally:
        for each in told.settle():
            out.remark(each)
    for line in summary.advice:
        if line.startswith("note: "):
            out.remark(line)
    out.answer(asdict(summary), f"{summary.run}: {summary.status}")
    return 0
