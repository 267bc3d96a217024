"""`podium report RUN`: the run as Markdown."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from podium.cli import context
from podium.cli.terminal import terminal
from podium.views.report import markdown


def configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "run", metavar="RUN", nargs="?", default="@", help="an id, the beginning of one; else the latest"
    )


def run(args: Namespace) -> int:
    app = context.app(args)
    summary = app.summary(app.resolve(args.run))
    steps = app.workflow(summary.run).steps.values()
    text = markdown(app.events(summary.run), summary, steps)
    terminal(args).answer({"run": summary.run, "markdown": text}, text.rstrip("\n"))
    return 0
