"""Brings the difference between two trees into the user's checkout, all of it or nothing.

Every path is checked first. It may have the old content (to be written), the new content (already
written: an interrupted landing is simply repeated) or something else (somebody's work: a conflict).
With a conflict nothing is written. Files are prepared beside the checkout and renamed into it, so
that after a crash each path is old or new, never half written.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import stat
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from podium.core.digest import MISSING, digest
from podium.engine.git.git import Git
from podium.engine.git.trees import (
    GITLINK,
    LINK,
    Difference,
    Entry,
    between,
    hash_files,
    lstat_inside,
    staged,
    storable,
)


@dataclass(frozen=True)
class Conflict:
    """A path that was not written, and why."""

    path: str
    why: str


@dataclass(frozen=True)
class Landed:
    """What the checkout has now."""

    paths: tuple[str, ...]
    """Paths with the new content, whether this call wrote them or an earlier one."""
    conflicts: tuple[Conflict, ...] = ()


@dataclass
class Plan:
    """The difference, sorted by what each path needs."""

    wanted: dict[str, Difference]
    done: set[str] = field(default_factory=set)
    todo: set[str] = field(default_factory=set)
    conflicts: dict[str, str] = field(default_factory=dict)


def carry(
    git: Git,
    old: str,
    new: str,
    *,
    under: str,
    stage: Path,
    only: Collection[str] | None = None,
    partly: bool = False,
) -> Landed:
    """Bring the checkout from tree `old` to tree `new`, below the folder `under`; paths are from
    the top level.

    `stage`: a folder of ours on the checkout's disk, the same for a landing and its repetition.
    `only`: just these paths.
    `partly`: write what has no conflict even if something else has.
    """
    wanted = {
        each.path: each for each in between(git, old, new) if only is None or each.path in only
    }
    made = plan(git, old, wanted, under)
    if partly or not made.conflicts:
        _write(git, new, made, under, stage)
        made.done |= made.todo
    conflicts = tuple(Conflict(path, why) for path, why in sorted(made.conflicts.items()))
    return Landed(tuple(sorted(made.done)), conflicts)


def plan(git: Git, old: str, wanted: Mapping[str, Difference], under: str) -> Plan:
    """What to do with each path; reads the checkout, writes nothing."""
    made = Plan(dict(wanted))
    now = _observed(git, old, wanted)
    # Sorted, so that a folder's own path comes before the paths in it, which depend on its
    # decision.
    for path, want in sorted(wanted.items()):
        why = _refused(git.work_tree, want, under, made)
        if why:
            made.conflicts[path] = why
        elif _alike(git, now[path], want.new):
            made.done.add(path)
        elif _alike(git, now[path], want.old):
            made.todo.add(path)
        else:
            made.conflicts[path] = (
                "was changed in the checkout" if now[path] else "was deleted in the checkout"
            )
    for path in sorted(made.todo):
        place = git.work_tree / path
        if (
            wanted[path].new
            and place.is_dir()
            and not place.is_symlink()
            and _others(git.work_tree, path, made)
        ):
            made.todo.discard(path)
            made.conflicts[path] = "is a folder with other files in the checkout"
    return made


@lru_cache(maxsize=8)
def _keeps_modes(git_dir: Path, work_tree: Path) -> bool:
    return Git(git_dir, work_tree).maybe("config", "--bool", "core.fileMode") != "false"


def _alike(git: Git, one: Entry | None, other: Entry | None) -> bool:
    """Equality, ignoring the executable bit if the file system has none."""
    if one == other or one is None or other is None:
        return one == other
    return (
        one[1] == other[1]
        and LINK not in {one[0], other[0]}
        and not _keeps_modes(git.git_dir, git.work_tree)
    )


def _refused(root: Path, want: Difference, under: str, made: Plan) -> str:
    if GITLINK in {want.old_mode, want.new_mode}:
        return "is a submodule"
    if under and not want.path.startswith(f"{under}/"):
        return "is outside the project"
    place = lstat_inside(root, want.path)
    if isinstance(place, str):
        # Nothing is ever written or removed through a link; for a deletion behind one nothing is
        # left to do.
        replaced = place in made.todo and made.wanted[place].new is None
        return (
            ""
            if want.new is None or replaced
            else f"lies behind {place}, which is not a folder in the checkout"
        )
    if place is not None and not stat.S_ISDIR(place.st_mode) and not storable(place):
        return "is a pipe, socket or device in the checkout"
    return ""


def _others(root: Path, path: str, made: Plan) -> bool:
    """Whether the folder at the path has a file that this landing does not remove."""
    for folder, _, names in os.walk(root / path):
        for name in names:
            inner = os.path.relpath(os.path.join(folder, name), root)
            if inner not in made.todo or made.wanted[inner].new:
                return True
    return False


def _observed(git: Git, tree: str, paths: Iterable[str]) -> dict[str, Entry | None]:
    """Mode and content id of the checkout's files, as git would add them; None if there is no
    file.
    """
    found: dict[str, Entry | None] = dict.fromkeys(paths)
    there = [path for path in found if storable(lstat_inside(git.work_tree, path))]
    return found | hash_files(git, tree, there, store=False)


def _write(git: Git, new: str, made: Plan, under: str, stage: Path) -> None:
    if not made.todo:
        return
    root = git.work_tree
    written = sorted(path for path in made.todo if made.wanted[path].new)
    with staged(git, new, written, stage) as ready:
        for path in sorted(made.todo - set(written)):
            os.unlink(root / path)
            prune_empty(root, path, under)
        for path in written:
            _place(ready / path, root / path)
    for folder in {os.path.dirname(root / path) for path in made.todo}:
        _sync(folder)


def _place(source: Path, target: Path) -> None:
    if not source.is_symlink():
        _sync(source)
    os.makedirs(target.parent, exist_ok=True)
    if target.is_dir() and not target.is_symlink():
        shutil.rmtree(target)  # the plan has ensured that only empty folders are left in it
    os.replace(source, target)


def _sync(path: Path | str) -> None:
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def prune_empty(root: Path, path: str, under: str) -> None:
    """Remove the folders that a removed file leaves empty, as git does, but never the project
    itself.
    """
    parent = os.path.dirname(path)
    while parent and parent != under:
        try:
            os.rmdir(root / parent)
        except OSError:
            return
        parent = os.path.dirname(parent)


def digests(root: Path, paths: Iterable[str]) -> dict[str, str]:
    """Digest of each file's bytes, or of a link's text; `missing` if there is neither."""
    found = {}
    for path in paths:
        place = lstat_inside(root, path)
        if not storable(place):
            found[path] = MISSING
        elif stat.S_ISLNK(place.st_mode):
            found[path] = digest(os.fsencode(os.readlink(root / path)))
        else:
            with open(root / path, "rb") as file:
                found[path] = "sha256:" + hashlib.file_digest(file, "sha256").hexdigest()
    return found
