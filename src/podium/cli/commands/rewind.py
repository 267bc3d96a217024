"""`podium rewind RUN --to KEY`: a step and all downstream of it are stale and run again."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import asdict

from podium.cli import context, people
from podium.cli.terminal import terminal


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="an id, the beginning of one, or @ for the latest")
    parser.add_argument(
        "--to", metavar="KEY", required=True, help="the step to go back to, as `podium show RUN` lists it"
    )
    parser.add_argument(
        "--restore-code", action="store_true", help="also put the code back as it was before that step"
    )


def run(args: Namespace) -> int:
    people.people_only()
    out = terminal(args)
    app = context.app(args)
    who = people.person(context.project(args))
    summary, stale = app.rewind(app.resolve(args.run), args.to, restore_code=args.restore_code, by=who)
    told = [f"{summary.run}: stands at {summary.step}", f"  stale now: {', '.join(stale) or 'nothing'}"]
    out.answer(
        {**asdict(summary), "stale": list(stale)}, "\n".join([*told, f"  podium resume {summary.run}"])
    )
    return 0
