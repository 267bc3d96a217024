"""What changed in a view, found without believing anything the view says about itself.

We walk the folder ourselves, because git stops at a nested `.git`. The content ids are git's, computed in an index of
ours against the tree the agent started from, because line endings and filters are git's business. Every file
is read again, since an agent can forge file times.
"""

from __future__ import annotations

import os
import posixpath
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal

from podium.core.dataclass import dataclass
from podium.engine.git.git import Git, split
from podium.engine.git.index_file import Entry
from podium.engine.git.links import is_git, leading_out, links_of
from podium.engine.git.trees import (
    ABSENT,
    GITLINK,
    LINK,
    Difference,
    compared,
    entries,
    hashed,
    scratch_index,
    sizes_of,
    staged,
    storable,
)
from podium.engine.git.view import CodeView
from podium.state.inside import is_deep, listed, read_inside

Status = Literal["added", "modified", "deleted", "mode", "symlink", "submodule", "oversize", "special", "deep"]

MAX_BYTES = 50 * 1024 * 1024

_LONGEST_TARGET = 4096
_LANDABLE = {"added", "modified", "deleted", "mode", "symlink"}
_READ_BY_GIT = {".gitignore", ".gitattributes", ".gitmodules"}


@dataclass(frozen=True)
class Change:
    """One path that is not as the agent found it."""

    path: str
    """Relative to the project; begins with `../` if the project is a subfolder and the path is outside it."""
    status: Status
    """`submodule` is also a repository made inside the view, `special` a pipe, socket or device, `deep` a folder
    whose contents are too deep to be named by a path."""
    old_mode: str
    new_mode: str
    size: int = 0
    target: str = ""
    """Where a symbolic link points."""
    hidden: bool = False
    """Whether the checkpoint has a file here that the agent was not shown."""
    leads_out: bool = False
    """Whether this change makes a link lead out of the project, or into git's own folder."""

    @property
    def allowed(self) -> bool:
        """Whether it can be committed and landed at all; whether this step may change it is up to the contract."""
        if self.status not in _LANDABLE or self.hidden or self.path == "." or _outside(self.path):
            return False
        return not self.leads_out


@dataclass(frozen=True)
class Seen:
    """Everything in a view's folder, by the kind of treatment it needs."""

    files: dict[str, os.stat_result]
    """Regular files and symbolic links."""
    odd: dict[str, tuple[Status, int]]
    """What is reported but never opened, with its mode."""


def look(folder: Path, gitlinks: Collection[str]) -> Seen:
    """Every file of the view. Unreadable ones are made readable, since the view is ours."""
    seen = Seen({}, {})
    for path, entry in _walk(folder, "", gitlinks):
        found = entry.stat(follow_symlinks=False)
        mode = found.st_mode
        if stat.S_ISDIR(mode) and is_deep(path):
            seen.odd[path] = ("deep", mode)
        elif is_git(entry.name) or stat.S_ISDIR(mode):
            seen.odd[path] = ("submodule", mode)
        elif not storable(found) or (
            stat.S_ISLNK(mode) and entry.name == ".gitmodules"
        ):
            seen.odd[path] = ("special", mode)
            if entry.name in _READ_BY_GIT:
                # git would open the pipe and block for ever.
                os.unlink(entry.path)
        else:
            if stat.S_ISREG(mode) and not mode & stat.S_IRUSR:
                os.chmod(entry.path, stat.S_IMODE(mode) | stat.S_IRUSR)
            seen.files[path] = found
    return seen


def _walk(folder: Path, under: str, gitlinks: Collection[str]) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Files below the folder; of folders only nested repositories, filled submodules and deep ones, which are not entered."""
    stack = [under]
    while stack:
        here = stack.pop()
        for entry in listed(folder / here):
            path = f"{here}{entry.name}"
            if path == ".git":
                continue
            if not entry.is_dir(follow_symlinks=False) or is_git(entry.name) or is_deep(path):
                yield path, entry
            elif path not in gitlinks:
                stack.append(f"{path}/")
            elif listed(entry.path):
                yield path, entry


def _outside(path: str) -> bool:
    first = posixpath.normpath(path).split("/")[0]
    return first in {"", ".."} or is_git(first)


def ignored(git: Git, view: CodeView) -> tuple[str, ...]:
    """Paths that the ignore rules cover, from the top level; a folder that is entirely ignored ends with a slash."""
    with scratch_index(git.at(work_tree=view.folder), entries(git, view.base)) as mine:
        found = split(mine.run("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"))
    return tuple(sorted(found))


def changes(git: Git, view: CodeView, *, max_bytes: int = MAX_BYTES) -> tuple[Change, ...]:
    """All differences between the view and the tree it started as, with paths from the top level."""
    base = entries(git, view.base)
    seen = look(view.folder, {path for path, (mode, _) in base.items() if mode == GITLINK})
    # Submodules were not checked out.
    kept = {path: entry for path, entry in base.items() if path in seen.files or entry[0] == GITLINK}
    # Files of the tree are not scratch, whatever the ignore rules say.
    more = seen.odd or any(path not in base for path in seen.files)
    scratch = frozenset(ignored(git, view)) if more else frozenset()
    taken = [path for path in seen.files if path in base or not _within(path, scratch)]
    large = {path: seen.files[path] for path in taken if seen.files[path].st_size > max_bytes}
    big = _giants(git, view, base, {path: found for path, found in large.items() if stat.S_ISREG(found.st_mode)})
    now = kept | hashed(git.at(work_tree=view.folder), kept, set(taken).difference(big), store=False)
    found = compared(base, now)
    view.audited.clear()
    view.audited.update({each.path: each.new for each in found if each.new})
    view.scratch.clear()
    view.scratch.update(scratch)
    out = _leading_out(git, view, found, now)
    result = [replace(_change(view.folder, each, seen, max_bytes), leads_out=each.path in out) for each in found]
    result += [_odd(path, "oversize", found.st_mode, found.st_size, base.get(path)) for path, found in big.items()]
    result += [_odd(path, *kind) for path, kind in seen.odd.items() if not _within(path, scratch)]
    if view.base != view.checkpoint.tree:
        concealed = entries(git, view.checkpoint.tree).keys() - base.keys()
        result = [replace(change, hidden=change.path in concealed) for change in result]
    return tuple(sorted(_once(result), key=lambda change: change.path))


def _leading_out(git: Git, view: CodeView, found: Collection[Difference], now: Iterable[str]) -> frozenset[str]:
    """A link lands as it is, so it must not lead its next reader or writer out of the project."""
    if not any(LINK in {each.old_mode, each.new_mode} for each in found):
        return frozenset()
    before = links_of(git, view.checkpoint.tree)
    new = {each.path: _target(view.folder, each) for each in found if each.new_mode == LINK}
    changed = {each.path for each in found}
    under = os.path.relpath(view.project, view.folder)
    return leading_out(before, before.changed(changed, new, now), changed, "" if under == "." else under)


def _target(folder: Path, found: Difference) -> str:
    if found.new_mode != LINK:
        return ""
    try:
        return os.readlink(folder / found.path)
    except OSError:  # on a system without links, git writes a file that contains the target
        return os.fsdecode(read_inside(folder, found.path, most=_LONGEST_TARGET) or b"")


def _once(found: Iterable[Change]) -> Iterable[Change]:
    """A file that became a pipe is one change; the last entry is the one that matters."""
    return {change.path: change for change in found}.values()


def _within(path: str, folders: frozenset[str]) -> bool:
    if path in folders:
        return True
    parts = path.split("/")
    return any("/".join(parts[:count]) + "/" in folders for count in range(1, len(parts)))


def _odd(path: str, status: Status, mode: int, size: int = 0, was: Entry | None = None) -> Change:
    return Change(path, status, was[0] if was else ABSENT, f"{mode:06o}", size)


def _giants(
    git: Git, view: CodeView, base: Mapping[str, Entry], large: Mapping[str, os.stat_result]
) -> dict[str, os.stat_result]:
    """The large files that certainly differ; reading a file that an agent blew up would take for ever."""
    tracked = [path for path in large if path in base and base[path][0] != GITLINK]
    sizes = sizes_of(git, [base[path][1] for path in tracked])
    same = {path for path in tracked if sizes[base[path][1]] == large[path].st_size}
    grown = [path for path in tracked if path not in same]
    if grown:  # a filter may turn a small entry into a large file
        with staged(git, view.base, grown, view.folder.with_name(f"{view.folder.name}.sizes")) as stage:
            same |= {path for path in grown if os.lstat(stage / path).st_size == large[path].st_size}
    return {path: found for path, found in large.items() if path not in same}


def _change(folder: Path, found: Difference, seen: Seen, max_bytes: int) -> Change:
    modes = {found.old_mode, found.new_mode}
    there = seen.files.get(found.path)
    size = there.st_size if there is not None else 0
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
    return Change(found.path, status, found.old_mode, found.new_mode, size, _target(folder, found))
