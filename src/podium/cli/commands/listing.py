"""`podium list`: all runs of the project."""

from __future__ import annotations

import shutil
from argparse import ArgumentParser, Namespace
from dataclasses import asdict

from podium.cli import context
from podium.cli.terminal import terminal
from podium.views.style import Style
from podium.views.text import listing


def configure(parser: ArgumentParser) -> None:
    """No options of its own."""


def run(args: Namespace) -> int:
    out = terminal(args)
    summaries = context.app(args).list()
    width = shutil.get_terminal_size((120, 24)).columns
    text = listing(summaries, width, Style(out.color)).rstrip("\n")
    out.answer({"runs": [asdict(each) for each in summaries]}, text)
    return 0
