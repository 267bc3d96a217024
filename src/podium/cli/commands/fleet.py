"""`podium fleet up`: a database, a git remote and, where wanted, Temporal's development server, to try the fleet."""

from __future__ import annotations

import signal
from argparse import ArgumentParser, Namespace
from pathlib import Path

from podium.cli import context
from podium.cli.terminal import terminal


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("what", metavar="up", choices=("up",), help="start the servers, and stop them at Ctrl-C")
    parser.add_argument("--engine", choices=("none", "procrastinate", "temporal"), default="none", help="what tells workers of work")
    parser.add_argument("--folder", metavar="DIR", default="", help="where all of it is kept; else podium/fleet-servers in the user's state folder")


def run(args: Namespace) -> int:
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
