"""Moves files that will not land out of a view of code, while the engine's commands judge what will.

The agent made all ignored files, since a view has none when it is opened. A test that passes because of one of them
says nothing about the commit: byte-code of a source that was broken afterwards, or a module moved to where nothing
lands. What package managers installed stays, because without it no test would run at all.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from podium.engine.attempts import view as views
from podium.engine.git.view import CodeView
from podium.state.disk import ensure_folder
from podium.state.removal import remove_all

INSTALLED = frozenset({
    "node_modules", "bower_components", ".pnpm-store", ".yarn", ".venv", "venv", ".tox", ".nox", "__pypackages__",
    ".bundle", "Pods", "Carthage",
})  # fmt: skip
"""Names of folders that package managers fill."""
INSTALLED_IF_AGREED = frozenset({"vendor", "deps"})
"""These too, if the project ignored them before the step; otherwise they are folders like any other."""


@contextlib.contextmanager
def set_aside(view: views.View) -> Iterator[None]:
    """While the commands run, the view has what lands, the step's documents and installed dependencies, nothing else."""
    if view.code is None:
        yield
        return
    aside = views.beside(view.folder, "aside")
    remove_all(aside)
    moved = []
    for number, path in enumerate(_loose(view, view.code)):
        ensure_folder(aside)
        _move(view.folder / path, aside / str(number))
        moved.append((view.folder / path, aside / str(number)))
    try:
        yield
    finally:
        # A person, or an agent with its session, may continue in this folder.
        for place, kept in moved:
            if not os.path.lexists(place) and os.path.isdir(place.parent):
                _move(kept, place)
        remove_all(aside)


def _loose(view: views.View, code: CodeView) -> list[str]:
    """Paths from the top level; a folder stands for its contents if none of them stays."""
    names = INSTALLED | (frozenset() if _rules_changed(code) else INSTALLED_IF_AGREED)
    within = os.path.relpath(code.project, code.folder)
    stays = {os.path.normpath(os.path.join(within, path)) for path in (*view.manifest, *views.promised(view))}
    spilled = (os.path.normpath(os.path.join(within, path)) for path in view.spilled)
    tops = [path.rstrip("/") for path in sorted({*code.scratch, *spilled})]
    for top in tops:
        stays.update(_installed(code.folder, top, names))
    around = {path[:at] for path in stays for at, sign in enumerate(path) if sign == "/"}
    found, left = [], tops
    while left:
        path = left.pop()
        if path in around and os.path.isdir(code.folder / path):
            left += [f"{path}/{name}" for name in os.listdir(code.folder / path)]
        elif path not in stays and os.path.lexists(code.folder / path):
            found.append(path)
    return sorted(found)


def _rules_changed(code: CodeView) -> bool:
    return any(os.path.basename(path) == ".gitignore" for path in code.audited)


def _installed(folder: Path, top: str, names: frozenset[str]) -> Iterator[str]:
    if not names.isdisjoint(top.split("/")):
        yield top
        return
    for here, folders, files in os.walk(folder / top):
        for name in names.intersection([*folders, *files]):  # the folder may be a link, which is listed as a file
            yield os.path.relpath(os.path.join(here, name), folder)
        folders[:] = [name for name in folders if name not in names]


def _move(place: Path, to: Path) -> None:
    """Move even where the agent took away permissions: the view is ours."""
    try:
        os.rename(place, to)
    except PermissionError:
        for each in (place.parent, place):
            if stat.S_ISDIR(os.lstat(each).st_mode):
                os.chmod(each, stat.S_IRWXU)
        os.rename(place, to)
