"""`podium fleet`: servers to try a fleet, its status, its figures for monitoring, and cleaning
its store.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from podium.cli import context, people
from podium.cli.terminal import terminal
from podium.core.errors import UsageError
from podium.settings.project import state_folder

if TYPE_CHECKING:
    from podium.fleet.journal.postgres_journal import PostgresJournal

_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
LONGEST_S = 31 * 86400.0


def configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "what",
        metavar="WHAT",
        choices=("up", "status", "metrics", "clean"),
        help=(
            "up: start servers, and stop them at Ctrl-C; status: workers, queue and waits; "
            "metrics: the same as OpenMetrics text; clean: objects of the store that no parcel "
            "names"
        ),
    )
    parser.add_argument(
        "--engine",
        choices=("none", "procrastinate", "temporal"),
        default="none",
        help="with up: what tells workers about work",
    )
    parser.add_argument(
        "--folder",
        metavar="DIR",
        default="",
        help=(
            "with up: where everything is kept; default: podium/fleet-servers in the user's state "
            "folder"
        ),
    )
    parser.add_argument(
        "--window",
        metavar="TIME",
        default="1h",
        help="the time window, such as 90s, 15m, 6h or 7d; default: 1h",
    )
    parser.add_argument(
        "--serve",
        metavar="[HOST:]PORT",
        default="",
        help="with metrics: serve /metrics until Ctrl-C; without HOST only for this machine",
    )
    parser.add_argument(
        "--remove",
        action="store_true",
        help="with clean: remove them; the store must belong only to this remote",
    )
    parser.add_argument(
        "--older",
        metavar="DAYS",
        type=float,
        default=1.0,
        help=(
            "with clean: only objects older than this; default: 1, because a parcel follows its "
            "objects"
        ),
    )


def run(args: Namespace) -> int:
    return {"up": _up, "status": _status, "metrics": _metrics, "clean": _clean}[args.what](args)


def _clean(args: Namespace) -> int:
    from podium.fleet import places  # noqa: PLC0415 - only if there is a fleet
    from podium.fleet.parcels import cleaning  # noqa: PLC0415 - only if there is a fleet
    from podium.fleet.store.stores import store_of  # noqa: PLC0415

    people.people_only()
    fleet, project = context.settings(args).fleet, context.project(args)
    store = store_of(fleet)
    if store is None:
        raise UsageError("there is no store to clean: [fleet] store names none")
    mirror = project / ".podium" / "cache" / "fleet-mirror.git"
    found = cleaning.unnamed(
        store, places.remote_of(fleet, project), mirror, time.time() - args.older * 86_400
    )
    for each in found if args.remove else ():
        store.remove(each.digest)
    size = sum(each.size for each in found)
    what = "removed" if args.remove else "that no parcel names; --remove removes them"
    lines = [
        *(f"{each.digest}  {each.size}" for each in found),
        f"{len(found)} objects, {size / 1e6:.1f} MB {what}",
    ]
    told = [{"digest": each.digest, "size": each.size} for each in found]
    terminal(args).answer({"objects": told, "removed": bool(args.remove)}, "\n".join(lines))
    return 0


def _status(args: Namespace) -> int:
    # loads the database only if needed
    from podium.fleet.figures import standing_text  # noqa: PLC0415
    from podium.fleet.figures.census import census  # noqa: PLC0415
    from podium.fleet.figures.counts import figures  # noqa: PLC0415

    window_s, journal = _window(args.window), _journal(args)
    now = figures(census(journal.link, journal.lease_s, window_s))
    terminal(args).answer(standing_text.data(now), standing_text.text(now))
    journal.link.close()
    return 0


def _metrics(args: Namespace) -> int:
    from podium.fleet.figures.exposition import exposition, served  # noqa: PLC0415

    window_s, journal = _window(args.window), _journal(args)
    if not args.serve:
        sys.stdout.write(exposition(journal, window_s))
        journal.link.close()
        return 0
    host, _, port = args.serve.rpartition(":")
    if not port.isdecimal() or not int(port) < 65536:
        raise UsageError(f"--serve {args.serve}: a port, or HOST:PORT")
    server = served(journal, window_s, host or "127.0.0.1", int(port))
    terminal(args).remark(
        f"figures at http://{host or '127.0.0.1'}:{server.server_address[1]}/metrics; Ctrl-C "
        "ends it"
    )
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
    finally:
        server.server_close()
        journal.link.close()
    return 0


def _journal(args: Namespace) -> PostgresJournal:
    from podium.fleet import places  # noqa: PLC0415

    return places.journal_of(context.settings(args).fleet, patience_s=5.0)


def _window(text: str) -> float:
    found = re.fullmatch(r"(\d{1,7})([smhd])", text)
    seconds = int(found[1]) * _UNITS[found[2]] if found else 0.0
    if not 10.0 <= seconds <= LONGEST_S:
        raise UsageError(f"--window {text}: a number and s, m, h or d, from 10s to 31d")
    return seconds


def _up(args: Namespace) -> int:
    from podium.fleet.servers.trial import Trial  # noqa: PLC0415 - loads servers only if needed

    out = terminal(args)
    folder = Path(args.folder or state_folder(os.environ) / "fleet-servers").resolve()
    trial = Trial(folder, args.engine)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        trial.start()
        trial.bring(context.project(args))
        out.answer(
            {"environment": trial.environment},
            "\n".join(f"export {name}={value}" for name, value in trial.environment.items()),
        )
        out.remark(
            "set these in each terminal; then `podium worker` in one, `podium submit …` in "
            "another. Ctrl-C stops the servers."
        )
        signal.pause()
    except KeyboardInterrupt:
        pass
    finally:
        trial.stop()
    return 0
