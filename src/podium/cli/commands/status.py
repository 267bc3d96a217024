"""`podium status [RUN]`: where a run stands and what it waits for."""

from __future__ import annotations

import time
from argparse import ArgumentParser, Namespace
from dataclasses import asdict

from podium.cli import context
from podium.cli.terminal import terminal
from podium.views.fitting import columns
from podium.views.style import Style
from podium.views.text import status


def configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "run",
        metavar="RUN",
        nargs="?",
        default="@",
        help="an id or a unique prefix; default: the latest",
    )


def run(args: Namespace) -> int:
    out = terminal(args)
    app = context.app(args)
    summary = app.summary(app.resolve(args.run))
    if out.json:
        out.data(asdict(summary))
        return 0
    text = status(
        summary,
        app.events(summary.run),
        steps=app.workflow(summary.run).steps.values(),
        width=columns(),
        style=Style(out.color),
        now=time.time(),
    )
    out.say(text.rstrip("\n"))
    return 0
