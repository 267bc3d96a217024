"""What every command starts from: the project, its settings, and the facade that does the work."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from podium.core.errors import UsageError
from podium.settings.mentions import mentions
from podium.settings.project import find_project

if TYPE_CHECKING:
    from podium.engine.outcome import Observer
    from podium.settings.values import Settings
    from podium.wiring import App


def project(args: Namespace) -> Path:
    """`--project`, or the nearest project upward from here."""
    if not args.project:
        return find_project(Path.cwd())
    folder = Path(args.project)
    if not folder.is_dir():
        raise UsageError(f"--project: {args.project} is not a folder")
    return folder.resolve()


def settings(args: Namespace) -> Settings:
    # loads tomllib only if settings are read
    from podium.settings.sources import load  # noqa: PLC0415

    return load(project(args), os.environ)


def app(args: Namespace, observer: Observer | None = None, *, asking: bool = False) -> App:
    """`asking`: a person at this terminal may be given work."""
    # loads the engine only for commands that need it
    from podium.wiring import App, Parts  # noqa: PLC0415

    if not asking:
        return _fleet(args, observer) or App(project(args), observer)
    from podium.agents.human import terminal  # noqa: PLC0415
    from podium.views.fitting import fitted  # noqa: PLC0415

    ask = terminal(sys.stdin, sys.stderr, partial(fitted, stream=sys.stderr))
    if ask is not None and observer is not None:
        from podium.cli.interrupting import Interruptible  # noqa: PLC0415

        observer = Interruptible(observer, ask.pause)
    return App(project(args), observer, Parts(os.environ, ask=ask))


def _fleet(args: Namespace, observer: Observer | None) -> App | None:
    """The facade that also knows the fleet's runs, if there is a fleet."""
    from podium.core.errors import InputError  # noqa: PLC0415

    if not mentions(project(args), os.environ, "fleet"):
        return None
    try:
        found = settings(args)
    except InputError:
        return None  # commands that need the settings report that they are unreadable
    if not found.fleet.database:
        return None
    from podium.fleet.app import FleetApp  # noqa: PLC0415 - loads the database only if one is set

    return FleetApp(project(args), observer)


def home(app: App, run: str) -> Path:
    """The folder whose `.podium` has the run's journals: the project, or the cache for a run of
    the fleet.
    """
    return app.folder(run.partition("/")[0]).parents[2]


def elsewhere(app: App, run: str) -> bool:
    """Whether the run belongs to the fleet and other machines drive it."""
    fleet = sys.modules.get("podium.fleet.app")
    return fleet is not None and isinstance(app, fleet.FleetApp) and not app.drives(run)
