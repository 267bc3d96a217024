"""Work of a refused attempt goes on in the next: a repair mends what is there instead of starting over.

What the contract allows is copied into the step's folder before the retry is recorded, so a
crash in the next attempt starts again from the same files.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from podium.core import keys
from podium.engine.attempts import view as views
from podium.engine.session import Session
from podium.state.disk import ensure_folder

LARGEST = 5_000_000
GOES_ON = frozenset({"artifact", "validation", "needs_input"})
"""Failures after which the next attempt mends the work instead of starting over."""


def _home(session: Session, key: str) -> str:
    return f"{session.folder.steps(key)}/carried"


def keep(session: Session, key: str, view: views.View, paths: Iterable[str]) -> None:
    """Remember these paths of the view, deletions too; links, devices and giants are not carried on."""
    home = Path(_home(session, key))
    shutil.rmtree(home, ignore_errors=True)
    gone = []
    for path in paths:
        where = os.path.join(views.work_folder(view), path)
        if not os.path.lexists(where):
            gone.append(path)
        elif os.path.isfile(where) and not os.path.islink(where) and os.path.getsize(where) <= LARGEST:
            ensure_folder(os.path.dirname(home / "files" / path))
            shutil.copy2(where, home / "files" / path)
    if gone or home.is_dir():
        ensure_folder(home)
        (home / "gone.json").write_text(json.dumps(gone), encoding="utf-8")


def put(session: Session, key: str, view: views.View, earlier: str = "") -> None:
    """Lay the remembered work over a fresh view: the step's own, else that of the earlier one it goes on with."""
    homes = (_home(session, each) for each in (key, earlier and keys.join(session.prefix, earlier)) if each)
    found = next((each for each in homes if os.path.isdir(each)), None)
    if found is None:
        return
    home = Path(found)
    folder = views.work_folder(view)
    for path in json.loads((home / "gone.json").read_text(encoding="utf-8")):
        where = folder / path
        if where.is_file() or where.is_symlink():
            where.unlink()
    if (home / "files").is_dir():
        shutil.copytree(home / "files", folder, dirs_exist_ok=True)
