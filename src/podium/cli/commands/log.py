"""`podium log RUN`: the journal, for people or as stored; `--follow` waits for more, `--verify` checks the chain."""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from typing import Any

from podium.cli import context
from podium.cli.terminal import terminal
from podium.core.digest import canonical
from podium.views.lines import entry
from podium.wiring import App

POLL_S = 0.25
ENDED = frozenset({"run.completed", "run.cancelled"})


def configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "run", metavar="RUN", nargs="?", default="@", help="an id, the beginning of one; else the latest"
    )
    parser.add_argument("--follow", action="store_true", help="go on until the run has ended")
    parser.add_argument("--verify", action="store_true", help="only check that nothing was changed")


def run(args: Namespace) -> int:
    app = context.app(args)
    run = app.resolve(args.run)
    if args.verify:
        return _verify(args, app, run)
    tail = app.tail(run)
    while True:
        fresh = tail.more()
        for event in fresh:
            sys.stdout.write(canonical(event) + "\n" if args.json else "".join(f"{line}\n" for line in entry(event)))
        sys.stdout.flush()
        if not args.follow or any(_ends(event, run) for event in fresh):
            return 0
        time.sleep(POLL_S)


def _ends(event: Mapping[str, Any], run: str) -> bool:
    """A child that ends does not end the run."""
    return event["type"] in ENDED and event["run"] == run


def _verify(args: Namespace, app: App, run: str) -> int:
    events = app.events(run)  # raises where the chain is broken
    journals = len({event["run"] for event in events})
    told = {"run": run, "intact": True, "events": len(events), "journals": journals}
    terminal(args).answer(told, f"{run}: {len(events)} events in {journals} journal(s), nothing was changed")
    return 0
