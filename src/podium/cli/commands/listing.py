"""`podium list`: all runs of the project."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import asdict

from podium.cli import context
from podium.cli.terminal import terminal
from podium.views.fitting import columns
from podium.views.standing import where
from podium.views.style import Style
from podium.views.text import board_of, listing
from podium.wiring import App
from podium.wiring_values import Summary

OVER = frozenset({"complete", "cancelled", "damaged"})


def configure(parser: ArgumentParser) -> None:
    """It has no options of its own."""


def run(args: Namespace) -> int:
    out = terminal(args)
    app = context.app(args)
    summaries = app.list()
    width = columns(120)
    places = (
        {}
        if out.json
        else {each.run: _place(app, each) for each in summaries if each.status not in OVER}
    )
    text = listing(summaries, width, Style(out.color), places).rstrip("\n")
    out.answer({"runs": [asdict(each) for each in summaries]}, text)
    return 0


def _place(app: App, summary: Summary) -> str:
    """Where a run stands, from its journal; only for runs that are not over, so that a long list
    stays fast.
    """
    steps = app.workflow(summary.run).steps.values()
    return where(board_of(summary, app.events(summary.run), steps), brief=True)
