"""`podium log RUN`: the journal, for people or as stored; with --verify only a check of its
chain.
"""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from typing import Any

from podium.attest.journals import journals
from podium.cli import context
from podium.cli.terminal import terminal
from podium.core.digest import canonical
from podium.views.figures import plural
from podium.views.fitting import CLOCK, fitted
from podium.views.lines import entry, important
from podium.wiring import App

POLL_S = 0.25
BROKEN = 20
ENDED = frozenset({"run.completed", "run.cancelled"})


def configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "run",
        metavar="RUN",
        nargs="?",
        default="@",
        help="an id or a unique prefix; default: the latest",
    )
    parser.add_argument(
        "--all",
        action="store_true",
        help="every event, routine ones too: saved files, moves from step to step",
    )
    parser.add_argument(
        "--follow", action="store_true", help="keep printing until the run has ended"
    )
    parser.add_argument(
        "--verify", action="store_true", help="only check that the journal was not changed"
    )


def run(args: Namespace) -> int:
    app = context.app(args)
    run = app.resolve(args.run)
    if args.verify:
        return _verify(args, app, run)
    tail, left_out = app.tail(run), 0
    while True:
        fresh = tail.more()
        told = [event for event in fresh if args.json or args.all or important(event)]
        left_out += len(fresh) - len(told)
        for event in told:
            sys.stdout.write(
                canonical(event) + "\n"
                if args.json
                else "".join(f"{fitted(line, sys.stdout, CLOCK)}\n" for line in entry(event))
            )
        sys.stdout.flush()
        if not args.follow or any(_ends(event, run) for event in fresh):
            break
        time.sleep(POLL_S)
    if left_out:
        terminal(args).remark(f"{left_out} routine events are not shown; --all shows them")
    return 0


def _ends(event: Mapping[str, Any], run: str) -> bool:
    """Whether the run itself ends; a child run that ends does not count."""
    return event["type"] in ENDED and event["run"] == run


def _verify(args: Namespace, app: App, run: str) -> int:
    """Check every journal of the run and its child runs, whatever is found in the first."""
    found = list(journals(context.home(app, run), run))
    broken = [each for each in found if not each.intact]
    told = {
        "run": run,
        "intact": not broken,
        "events": sum(len(each.events) for each in found),
        "journals": [
            {
                "run": each.run,
                "path": each.path,
                "intact": each.intact,
                "events": len(each.events),
                "head": each.head,
            }
            | ({"line": each.line, "what": each.what} if each.line else {})
            for each in found
        ],
    }
    said = (
        f"{len(broken)} of {len(found)} journals were changed" if broken else "nothing was changed"
    )
    lines = [
        (
            f"{run}: {plural(sum(len(each.events) for each in found), 'event')} in "
            f"{plural(len(found), 'journal')}, {said}"
        ),
        *(f"  {each.said()}" for each in found),
    ]
    terminal(args).answer(told, "\n".join(lines))
    return BROKEN if broken else 0
