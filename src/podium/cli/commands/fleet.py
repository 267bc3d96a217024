"""`podium fleet up`: a database, a git remote and, where wanted, Temporal's development server, to try the fleet.

`podium fleet clean`: objects of the store that nothing names any more.
"""

from __future__ import annotations

import signal
from argparse import ArgumentParser, Namespace
from pathlib import Path

from podium.cli import context, people
from podium.cli.terminal import terminal
from podium.core.errors import UsageError


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("what", choices=("up", "clean"), help="up: start the servers, and stop them at Ctrl-C; clean: list objects of the store that no parcel names")
    parser.add_argument("--engine", choices=("none", "procrastinate", "temporal"), default="none", help="what tells workers of work")
    parser.add_argument("--folder", metavar="DIR", default="", help="where all of it is kept; else podium/fleet-servers in the user's state folder")


    parser.add_argument("--remove", action="store_true", help="with clean: remove them; the store must belong to this remote alone")
    parser.add_argument("--older", metavar="DAYS", type=float, default=1.0, help="with clean: only objects that are older; else a day, because a parcel follows its objects")


def run(args: Namespace) -> int:
    return _clean(args) if args.what == "clean" else _up(args)


def _clean(args: Namespace) -> int:
    import time  # noqa: PLC0415

    from podium.fleet import cleaning, places  # noqa: PLC0415 - only where there is a fleet
    from podium.fleet.stores import store_of  # noqa: PLC0415

    people.people_only()
    fleet, project = context.settings(args).fleet, context.project(args)
    store = store_of(fleet)
    if store is None:
        raise UsageError("there is no store to clean: [fleet] store names none")
    mirror = project / ".podium" / "cache" / "fleet-mirror.git"
    found = cleaning.unnamed(store, places.remote_of(fleet, project), mirror, time.time() - args.older * 86_400)
    for each in found if args.remove else ():
        store.remove(each.digest)
    size = sum(each.size for each in found)
    what = "removed" if args.remove else "that no parcel names; --remove removes them"
    lines = [*(f"{each.digest}  {each.size}" for each in found), f"{len(found)} objects, {size / 1e6:.1f} MB {what}"]
    told = [{"digest": each.digest, "size": each.size} for each in found]
    terminal(args).answer({"objects": told, "removed": bool(args.remove)}, "\n".join(lines))
    return 0


def _up(args: Namespace) -> int:
    import os  # noqa: PLC0415

    from podium.fleet.trial import Trial  # noqa: PLC0415 - servers only where they are wanted

    out = terminal(args)
    home = os.environ.get("XDG_STATE_HOME") or os.path.join(os.environ.get("HOME", "/tmp"), ".local", "state")  # noqa: S108
    folder = Path(args.folder or os.path.join(home, "podium", "fleet-servers")).resolve()
    trial = Trial(folder, args.engine)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        trial.start()
        trial.bring(context.project(args))
        out.answer({"environment": trial.environment}, "\n".join(f"export {name}={value}" for name, value in trial.environment.items()))
        out.remark("set these in each terminal; then `podium worker` in one, `podium submit …` in another. Ctrl-C stops the servers.")
        signal.pause()
    except KeyboardInterrupt:
        pass
    finally:
        trial.stop()
    return 0
