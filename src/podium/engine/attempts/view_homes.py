"""Where agents' folders are made: on disk, or in memory if they have documents only.

Making a file on disk takes as long as syncing one, and a view is removed minutes later. What must
survive a restart of the machine is not only in memory: `landings.prepare` keeps a synced copy of
work that took long.
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
"""Bytes that must be free in memory: documents need a thousandth of this, and other programs
need memory, too.
"""


def home_of(session: Session, key: str) -> str:
    """A step's folder on disk."""
    return f"{session.services.views}/{_name(session, key)}"


def folder_of(session: Session, key: str, *, in_memory: bool) -> Path:
    """The same as a Path, made from a known Path: parsing the whole text again takes three times
    as long.
    """
    root = session.services.memory if in_memory else session.services.views
    assert root is not None
    return root / _name(session, key)


def memory_of(session: Session, key: str) -> str:
    """A step's folder in memory; "" if there is none."""
    root = session.services.memory
    return "" if root is None else f"{root}/{_name(session, key)}"


def homes_of(session: Session, key: str) -> list[str]:
    """Every place where a step's folder may be after a crash."""
    return [each for each in (memory_of(session, key), home_of(session, key)) if each]


def _name(session: Session, key: str) -> str:
    # Some agents take `~1` for a Windows short name and refuse to write there.
    return f"{session.opened.run.replace('/', '+')}/{key.replace('/', '+')}"


def memory_root(memory: Path, project: Path, mark: str) -> Path | None:
    """A project's folder in memory; None if there is no file system in memory that keeps users
    apart.
    """
    try:
        facts = os.stat(memory)
    except OSError:
        return None
    if facts.st_mode & stat.S_IWOTH and not facts.st_mode & stat.S_ISVTX:
        return None  # anyone could replace our folder by another
    root = memory / f"podium-{os.getuid()}" / mark
    return None if root.is_relative_to(project) else root


def usable(root: Path | None) -> bool:
    """Whether folders can be made there that nobody else can look into, with room to spare."""
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
    private = (
        stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.getuid() and not facts.st_mode & 0o077
    )
    return private and room.f_bavail * room.f_frsize >= ROOM


def remove(path: str | Path) -> None:
    """Remove whatever is there; links are not followed."""
    if is_there(path):
        with contextlib.suppress(OSError):
            remove_all(path)


def left(session: Session) -> list[Path]:
    """The existing folders of a run and its children."""
    services, run = session.services, session.opened.run
    roots = [root for root in (services.memory, services.views) if root is not None]
    return [
        each
        for root in roots
        for each in (root / run, *root.glob(f"{run}+*"))
        if os.path.lexists(each)
    ]


def sweep(session: Session) -> None:
    """Remove the folders of an ended run and its children."""
    services = session.services
    for folder in left(session):
        remove(folder)
    if services.memory is not None:
        with contextlib.suppress(OSError):  # folders of another run are there
            os.rmdir(services.memory)
