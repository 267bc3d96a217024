"""`podium reject RUN`: no at an open gate, and where to go back to."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from podium.cli import deciding


def configure(parser: ArgumentParser) -> None:
    deciding.add(parser)
    parser.add_argument(
        "--to",
        metavar="STAGE",
        default="",
        help="the stage to go back to; default: the step before the gate",
    )


def run(args: Namespace) -> int:
    return deciding.decide(
        args,
        lambda app, run, by: app.reject(run, gate=args.gate, note=args.note, to=args.to, by=by),
        "rejected" + (f", back to {args.to}" if args.to else ""),
    )
