"""`podium approve RUN`: yes at an open gate."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from podium.cli import deciding


def configure(parser: ArgumentParser) -> None:
    deciding.add(parser)


def run(args: Namespace) -> int:
    return deciding.decide(
        args,
        lambda app, run, by: app.approve(run, gate=args.gate, note=args.note, by=by),
        "approved",
    )
