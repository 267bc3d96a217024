"""`podium worker`: takes runs of the fleet, each in its own process, until told to stop."""

from __future__ import annotations

import asyncio
import os
import socket
from argparse import ArgumentParser, Namespace
from dataclasses import replace

from podium.cli import context, people
from podium.cli.terminal import terminal
from podium.core.errors import UsageError


def configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--name",
        metavar="NAME",
        default="",
        help="the name others see; default: the machine's name",
    )
    parser.add_argument(
        "--concurrency",
        metavar="N",
        action="append",
        default=[],
        help="runs at once; default: 1; AGENT=N: runs with that agent; may be repeated",
    )
    parser.add_argument(
        "--agent",
        metavar="NAME",
        action="append",
        default=[],
        help=(
            "a known agent program that runs may use here; default: those installed; may be "
            "repeated"
        ),
    )
    parser.add_argument(
        "--label",
        metavar="LABEL",
        action="append",
        default=[],
        help="something this machine has, for runs submitted with --need LABEL; may be repeated",
    )


def run(args: Namespace) -> int:
    from podium.fleet import places  # noqa: PLC0415 - loads the database only if needed
    from podium.fleet.engines.dispatching import MOST_LABELS  # noqa: PLC0415
    from podium.fleet.line.abilities import offer_of  # noqa: PLC0415
    from podium.fleet.line.wants import written  # noqa: PLC0415
    from podium.fleet.orders import Order  # noqa: PLC0415
    from podium.fleet.placing import Placing  # noqa: PLC0415
    from podium.fleet.store.stores import above_of, store_of  # noqa: PLC0415
    from podium.fleet.worker import Worker  # noqa: PLC0415

    people.people_only()
    if len(args.label) > MOST_LABELS or any("=" in each for each in args.label):
        raise UsageError(f"there may be {MOST_LABELS} labels at most, and none with a '='")
    settings = context.settings(args)
    fleet = settings.fleet
    name = args.name or socket.gethostname()
    offer = offer_of(
        name,
        settings,
        os.environ,
        concurrency=args.concurrency,
        labels=args.label,
        agents=args.agent,
    )
    journal = places.journal_of(fleet)
    remote = places.remote_of(fleet, context.project(args))
    work = os.path.join(places.work_of(fleet, os.environ), name)
    store_of(fleet)  # report what is wrong with it now, not at the first large file
    order = Order(
        "",
        fleet.database,
        remote,
        work,
        name,
        fleet.beat_s,
        fleet.steps,
        fleet.limits,
        written(offer.usual),
    )
    order = replace(
        order, store=fleet.store, store_endpoint=fleet.store_endpoint, store_above=above_of(fleet)
    )

    async def serve() -> None:
        placing = Placing(journal, offer)
        await Worker(
            order, journal, places.dispatch_of(fleet, offer.places, placing.offers), placing
        ).serve()

    has = [
        *(
            f"{each} ({offer.at_once[each]} at once)" if each in offer.at_once else each
            for each in offer.programs
        ),
        *offer.labels,
        *offer.sandboxes,
        f"{offer.cores} cores",
    ]
    terminal(args).remark(
        f"worker {name}: {offer.places} at once, told by {fleet.engine}; has "
        f"{', '.join(has)}; Ctrl-C ends it after the current steps"
    )
    asyncio.run(serve())
    journal.link.close()
    return 0
