"""What changed in a view, found without believing anything the view says about itself.

The walk is our own, because git stops at a nested `.git`; the content ids are git's, computed in an index of
ours against the tree the agent started from, because line endings and filters are git's business. Every file
is read again: a cache of file times is something an agent can forge.
"""

from __future__ import annotations

import os
import posixpath
import re
import stat
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from podium.engine.git.git import Git, split
from podium.engine.git.trees import (
    ABSENT,
    GITLINK,
    LINK,
    Difference,
    compared,
    entries,
    hashed,
    scratch_index,
)
from podium.engine.git.view import CodeView

Status = Literal["added", "modified", "deleted", "mode", "symlink", "submodule", "oversize", "special"]

MAX_BYTES = 50 * 1024 * 1024

# The spellings git itself refuses in a path, since some file system takes each of them for `.git`.
_DOT_GIT = re.compile(r"(?:\.git|git~1)[ .]*(?::.*)?", re.IGNORECASE | re.DOTALL)
_LANDABLE = {"added", "modified", "deleted", "mode", "symlink"}
_READ_BY_GIT = {".gitignore", ".gitattributes", ".gitmodules"}


@dataclass(frozen=True)
class Change:
    """One path that is not as the agent found it."""

    path: str
    """Relative to the project; begins with `../` where the project is a subfolder and the path is beside it."""
    status: Status
    """`submodule` is also a repository made inside the view, `special` a pipe, socket or device."""
    old_mode: str
    new_mode: str
    size: int = 0
    target: str = ""
    """Where a symbolic link points."""
    hidden: bool = False
    """Whether the checkpoint has a file here that the agent was not shown."""

    @property
    def allowed(self) -> bool:
        """Whether it can be committed and landed at all; whether this step may is the contract's affair."""
        if self.status not in _LANDABLE or self.hidden or _outside(self.path):
            return False
        # A link is landed as it is, so it must not lead the next writer or reader out of the project.
        end = posixpath.join(posixpath.dirname(self.path), self.target)
        return not self.target or not _outside(end)


@dataclass(frozen=True)
class Seen:
    """Everything in a view's folder, by the kind of treatment it needs."""

    files: dict[str, os.stat_result]
    """Regular files and symbolic links."""
    odd: dict[str, tuple[Status, int]]
    """What is reported and never opened, with its mode."""


def look(folder: Path, gitlinks: Collection[str]) -> Seen:
    """Every file of the view. Unreadable ones are made readable: the view is ours."""
    seen = Seen({}, {})
    for path, entry in _walk(folder, "", gitlinks):
        found = entry.stat(follow_symlinks=False)
        mode = found.st_mode
        if is_git(entry.name) or stat.S_ISDIR(mode):
            seen.odd[path] = ("submodule", mode)
        elif not (stat.S_ISREG(mode) or stat.S_ISLNK(mode)) or (
            stat.S_ISLNK(mode) and entry.name == ".gitmodules"
        ):
            seen.odd[path] = ("special", mode)
            if entry.name in _READ_BY_GIT:
                # git would open the pipe and wait for ever.
                os.unlink(entry.path)
        else:
            if stat.S_ISREG(mode) and not mode & stat.S_IRUSR:
                os.chmod(entry.path, stat.S_IMODE(mode) | stat.S_IRUSR)
            seen.files[path] = found
    return seen


def _walk(folder: Path, under: str, gitlinks: Collection[str]) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Files below the folder; of directories only nested repositories and filled submodules, not entered."""
    stack = [under]
    while stack:
        here = stack.pop()
        for entry in _listing(folder / here):
            path = f"{here}{entry.name}"
            if path == ".git":
                continue
            if not entry.is_dir(follow_symlinks=False) or is_git(entry.name):
                yield path, entry
            elif path not in gitlinks:
                stack.append(f"{path}/")
            elif _listing(entry.path):
                yield path, entry


def _listing(folder: Path | str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return list(found)
    except PermissionError:
        os.chmod(folder, stat.S_IRWXU)
        with os.scandir(folder) as found:
            return list(found)


def _outside(path: str) -> bool:
    first = posixpath.normpath(path).split("/")[0]
    return first in {"", ".."} or is_git(first)


def is_git(name: str) -> bool:
    return any(_DOT_GIT.fullmatch(part) for part in name.split("\\"))


def ignored(git: Git, view: CodeView) -> tuple[str, ...]:
    """Paths that the ignore rules cover, from the top level; a folder that is all ignored ends with a slash."""
    with scratch_index(git.at(work_tree=view.folder), entries(git, view.base)) as mine:
        found = split(mine.run("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"))
    return tuple(sorted(found))


def changes(git: Git, view: CodeView, *, max_bytes: int = MAX_BYTES) -> tuple[Change, ...]:
    """All differences between the view and the tree it began as, with paths from the top level."""
    base = entries(git, view.base)
    seen = look(view.folder, {path for path, (mode, _) in base.items() if mode == GITLINK})
    # Of submodules nothing was checked out.
    kept = {path: entry for path, entry in base.items() if path in seen.files or entry[0] == GITLINK}
    # What the tree has is no scratch, whatever the rules say.
    more = seen.odd or any(path not in base for path in seen.files)
    scratch = frozenset(ignored(git, view)) if more else frozenset()
    taken = [path for path in seen.files if path in base or not _within(path, scratch)]
    big = [path for path in taken if path not in base and seen.files[path].st_size > max_bytes]
    now = kept | hashed(git.at(work_tree=view.folder), kept, set(taken).difference(big), store=False)
    found = compared(base, now)
    view.audited.clear()
    view.audited.update({each.path: each.new for each in found if each.new})
    result = [_change(view.folder, each, seen, max_bytes) for each in found]
    result += [_odd(path, "oversize", seen.files[path].st_mode, seen.files[path].st_size) for path in big]
    result += [_odd(path, *kind) for path, kind in seen.odd.items() if not _within(path, scratch)]
    if view.base != view.checkpoint.tree:
        concealed = entries(git, view.checkpoint.tree).keys() - base.keys()
        result = [replace(change, hidden=change.path in concealed) for change in result]
    return tuple(sorted(_once(result), key=lambda change: change.path))


def _once(found: Iterable[Change]) -> Iterable[Change]:
    """A file that became a pipe is one change; the last word on it is the telling one."""
    return {change.path: change for change in found}.values()


def _within(path: str, folders: frozenset[str]) -> bool:
    if path in folders:
        return True
    parts = path.split("/")
    return any("/".join(parts[:count]) + "/" in folders for count in range(1, len(parts)))


def _odd(path: str, status: Status, mode: int, size: int = 0) -> Change:
    return Change(path, status, ABSENT, f"{mode:06o}", size)


def _change(folder: Path, found: Difference, seen: Seen, max_bytes: int) -> Change:
    modes = {found.old_mode, found.new_mode}
    there = seen.files.get(found.path)
    size = there.st_size if there is not None else 0
    target = os.readlink(folder / found.path) if found.new_mode == LINK else ""
    status: Status = "modified"
    if GITLINK in modes:
        status = "submodule"
    elif found.new_mode == ABSENT:
        status = "deleted"
    elif LINK in modes:
        status = "symlink"
    elif size > max_bytes:
        status = "oversize"
    elif found.old_mode == ABSENT:
        status = "added"
    elif found.old_id == found.new_id:
        status = "mode"
    return Change(found.path, status, found.old_mode, found.new_mode, size, target)
