"""`podium worker`: takes runs of the fleet, each in a process of its own, until it is told to stop."""

from __future__ import annotations

import asyncio
import os
import socket
from argparse import ArgumentParser, Namespace

from podium.cli import context, people
from podium.cli.terminal import terminal
from podium.core.errors import UsageError


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("--name", metavar="NAME", default="", help="what others see; else the machine's name")
    parser.add_argument("--concurrency", metavar="N", type=int, default=1, help="runs at once; else one")
    parser.add_argument("--label", metavar="LABEL", action="append", default=[], help="what this machine has; runs submitted with --need LABEL come here; may be repeated")


def run(args: Namespace) -> int:
    from podium.fleet import places  # noqa: PLC0415 - the database only where it is needed
    from podium.fleet.dispatching import MOST_LABELS  # noqa: PLC0415
    from podium.fleet.orders import Order  # noqa: PLC0415
    from podium.fleet.worker import Worker  # noqa: PLC0415

    people.people_only()
    if args.concurrency < 1 or len(args.label) > MOST_LABELS:
        raise UsageError(f"--concurrency must be 1 or more, and there may be {MOST_LABELS} labels at most")
    fleet = context.settings(args).fleet
    journal = places.journal_of(fleet)
    remote = places.remote_of(fleet, context.project(args))
    name = args.name or socket.gethostname()
    work = os.path.join(places.work_of(fleet, os.environ), name)
    order = Order("", fleet.database, remote, work, name, fleet.beat_s, fleet.steps)

    async def serve() -> None:
        dispatch = places.dispatch_of(fleet, journal, args.concurrency)
        await Worker(order, journal, dispatch, args.concurrency, tuple(args.label)).serve()

    terminal(args).remark(f"worker {name}: {args.concurrency} at once, told by {fleet.engine}; Ctrl-C ends it after the steps under way")
    asyncio.run(serve())
    journal.link.close()
    return 0
