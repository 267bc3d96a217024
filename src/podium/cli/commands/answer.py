"""`podium answer RUN`: answer a question that waits for a person."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from podium.cli import deciding
from podium.core.errors import UsageError


def configure(parser: ArgumentParser) -> None:
    deciding.add(parser)
    parser.add_argument("--choice", metavar="ID", default="", help="one of the choices offered")
    parser.add_argument("--text", metavar="TEXT", default="", help="an answer in your own words")


def run(args: Namespace) -> int:
    if not (args.choice or args.text):
        raise UsageError(
            "podium answer: say --choice ID or --text TEXT; `podium status` shows the question"
        )
    return deciding.decide(
        args,
        lambda app, run, by: app.answer(
            run, gate=args.gate, choice=args.choice, text=args.text, note=args.note, by=by
        ),
        "answered",
    )
