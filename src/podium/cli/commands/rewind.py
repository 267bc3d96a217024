"""`podium rewind RUN --to KEY`: marks a step and everything after it stale, so that they run
again.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import asdict

from podium.cli import context, people
from podium.cli.terminal import terminal
from podium.core.keys import base_of


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="an id, a unique prefix, or @ for the latest")
    parser.add_argument(
        "--to",
        metavar="KEY",
        required=True,
        help="the step to go back to, as `podium show RUN` lists it",
    )
    parser.add_argument(
        "--restore-code",
        action="store_true",
        help="also restore the code as it was before that step",
    )


def run(args: Namespace) -> int:
    people.people_only()
    out = terminal(args)
    app = context.app(args)
    who = people.person(context.project(args))
    run = app.resolve(args.run)
    summary, stale = app.rewind(run, args.to, restore_code=args.restore_code, by=who)
    if context.elsewhere(app, run):
        out.answer(
            {**asdict(summary), "stale": []},
            (
                f"{run}: the next worker of the fleet takes it back to {args.to}, and goes on "
                "from there"
            ),
        )
        return 0
    told = [
        f"{summary.run}: now at {base_of(summary.step)}",
        f"  stale now: {', '.join(stale) or 'nothing'}",
    ]
    out.answer(
        {**asdict(summary), "stale": list(stale)},
        "\n".join([*told, f"  podium resume {summary.run}"]),
    )
    return 0
