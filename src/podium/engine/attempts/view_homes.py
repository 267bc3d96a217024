"""Where agents' folders are made: on disk, and in memory those that hold nothing but documents.

Making a file on disk takes as long as syncing one, and a view is gone minutes later. What must outlive a restart
of the machine is not left in memory alone: `landings.prepare` keeps a synced copy of work that was dear.
"""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

from podium.engine.session import Session
from podium.state.regular import is_there
from podium.state.removal import remove_all

ROOM = 256_000_000
"""Bytes that must be free in memory: documents need a thousandth of it, and other programs are there, too."""


def home_of(session: Session, key: str) -> str:
    """A step's folder on disk."""
    return f"{session.services.views}/{_name(session, key)}"


def folder_of(session: Session, key: str, *, in_memory: bool) -> Path:
    """The same as a path, made from one that is known: to take a whole text apart again takes three times as long."""
    root = session.services.memory if in_memory else session.services.views
    assert root is not None
    return root / _name(session, key)


def memory_of(session: Session, key: str) -> str:
    """A step's folder in memory; "" where there is none."""
    root = session.services.memory
    return "" if root is None else f"{root}/{_name(session, key)}"


def homes_of(session: Session, key: str) -> list[str]:
    """Every place a step's folder may be found in after a crash."""
    return [each for each in (memory_of(session, key), home_of(session, key)) if each]


def _name(session: Session, key: str) -> str:
    # Some agents take `~1` for a short name of Windows and refuse to write there.
    return f"{session.opened.run.replace('/', '+')}/{key.replace('/', '+')}"


def memory_root(memory: Path, project: Path, mark: str) -> Path | None:
    """A project's folder in memory; None where there is no memory file system that keeps users apart."""
    try:
        facts = os.stat(memory)
    except OSError:
        return None
    if facts.st_mode & stat.S_IWOTH and not facts.st_mode & stat.S_ISVTX:
        return None  # anybody could put another folder in the place of ours
    root = memory / f"podium-{os.getuid()}" / mark
    return None if root.is_relative_to(project) else root


def usable(root: Path | None) -> bool:
    """Whether folders can be made there into which nobody else looks, with room to spare."""
    if root is None:
        return False
    top = os.path.dirname(root)
    try:
        try:
            facts = os.lstat(top)
        except FileNotFoundError:
            with contextlib.suppress(FileExistsError):
                os.mkdir(top, stat.S_IRWXU)
            facts = os.lstat(top)
        room = os.statvfs(top)
    except OSError:
        return False
    private = stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.getuid() and not facts.st_mode & 0o077
    return private and room.f_bavail * room.f_frsize >= ROOM


def remove(path: str | Path) -> None:
    """Whatever is there; links are not followed."""
    if is_there(path):
        with contextlib.suppress(OSError):
            remove_all(path)


def left(session: Session) -> list[Path]:
    """The folders of a run and of its children that are there."""
    services, run = session.services, session.opened.run
    roots = [root for root in (services.memory, services.views) if root is not None]
    return [each for root in roots for each in (root / run, *root.glob(f"{run}+*")) if os.path.lexists(each)]


def sweep(session: Session) -> None:
    """Remove the folders of an ended run and of its children."""
    services = session.services
    for folder in left(session):
        remove(folder)
    if services.memory is not None:
        with contextlib.suppress(OSError):  # another run's are there
            os.rmdir(services.memory)
