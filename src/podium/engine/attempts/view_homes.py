"""Where agents' folders are made, outside the project."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from podium.engine.session import Session
from podium.state.regular import is_there
from podium.state.removal import remove_all


def home_of(session: Session, key: str) -> Path:
    """A step's folder."""
    # Some agents take `~1` for a Windows short name and refuse to write there.
    run, step = session.opened.run.replace("/", "+"), key.replace("/", "+")
    return session.services.views / run / step


def remove(path: str | Path) -> None:
    """Remove whatever is there; links are not followed."""
    if is_there(path):
        with contextlib.suppress(OSError):
            remove_all(path)


def left(session: Session) -> list[Path]:
    """The existing folders of a run and its children."""
    root, run = session.services.views, session.opened.run
    return [each for each in (root / run, *root.glob(f"{run}+*")) if os.path.lexists(each)]


def sweep(session: Session) -> None:
    """Remove the folders of an ended run and its children."""
    for folder in left(session):
        remove(folder)
