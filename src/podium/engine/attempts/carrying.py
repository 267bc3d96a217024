"""Carries the work of a refused attempt into the next one: a repair mends what is there instead of
starting over.

What the contract allows is copied into the step's folder before the retry is recorded, so after a
crash the next attempt starts again from the same files.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
from collections.abc import Iterable
from pathlib import Path

from podium.core import keys
from podium.engine.attempts import view as views
from podium.engine.session import Session
from podium.state.disk import ensure_folder
from podium.state.inside import read_inside, write_inside
from podium.verify.folder_audit import walk

LARGEST = 5_000_000
GOES_ON = frozenset({"artifact", "validation", "needs_input"})
"""Failures after which the next attempt mends the work instead of starting over."""


def _home(session: Session, key: str) -> str:
    return f"{session.folder.steps(key)}/carried"


def keep(session: Session, key: str, view: views.View, paths: Iterable[str]) -> None:
    """Remember these paths of the view, including deletions; links, devices and very large files
    are not carried over.
    """
    home = Path(_home(session, key))
    shutil.rmtree(home, ignore_errors=True)
    gone: list[str] = []
    was = {path: _stood(session, view, path) for path in paths}
    for path in was:
        item = view.entry(path)
        if item is None or item.is_folder:
            gone.append(path)  # as a file; what is in the folder has paths of its own
        elif stat.S_ISREG(item.facts.st_mode) and item.facts.st_size <= LARGEST:
            data = view.read(path, LARGEST)
            if data is not None:
                ensure_folder(home / "files")
                write_inside(home / "files", path, data, _mode(item.facts))
    if gone or home.is_dir():
        ensure_folder(home)
        (home / "gone.json").write_text(json.dumps(gone), encoding="utf-8")
        (home / "was.json").write_text(json.dumps(was), encoding="utf-8")


def forget(session: Session, key: str) -> None:
    """Nothing of earlier attempts goes into the next one."""
    shutil.rmtree(_home(session, key), ignore_errors=True)


def _stood(session: Session, view: views.View, path: str) -> str:
    """Identifies what the project had at this path when the view was opened."""
    if view.code is None or path in view.outputs:
        return (view.stood or {}).get(path, "")
    return session.services.workspace().named(view.code.checkpoint, path)


def _moved_on(session: Session, view: views.View, home: Path) -> frozenset[str]:
    """Paths that a person has changed since: earlier work on them would silently undo that
    change.
    """
    if not (home / "was.json").is_file():
        return frozenset()  # kept by an older version
    was = json.loads((home / "was.json").read_text(encoding="utf-8"))
    return frozenset(path for path, name in was.items() if _stood(session, view, path) != name)


def put(session: Session, key: str, view: views.View, earlier: str = "") -> None:
    """Put the remembered work into a fresh view: the step's own, otherwise that of the earlier
    step it continues.
    """
    homes = (
        _home(session, each)
        for each in (key, earlier and keys.join(session.prefix, earlier))
        if each
    )
    found = next((each for each in homes if os.path.isdir(each)), None)
    if found is None:
        return
    home = Path(found)
    theirs = _moved_on(session, view, home)
    for path in json.loads((home / "gone.json").read_text(encoding="utf-8")):
        if path in theirs:
            continue
        there = view.entry(path)
        if there is not None and not there.is_folder:
            view.files.remove(view.outward(path))
    if not (home / "files").is_dir():
        return
    for path, kept in walk(home / "files"):
        data = read_inside(home / "files", path, most=LARGEST) if path not in theirs else None
        if data is not None:
            view.files.write(view.outward(path), data, _mode(kept))


def _mode(found: os.stat_result) -> int:
    return stat.S_IMODE(found.st_mode) & 0o777 | stat.S_IRUSR | stat.S_IWUSR
