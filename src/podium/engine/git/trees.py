"""Trees, commits and throw-away indexes: the plumbing that view, audit and landing share."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

from podium.engine.git.git import Git, split

ABSENT = "000000"
LINK = "120000"
GITLINK = "160000"
RAW = ("-z", "--raw", "--no-renames", "--no-abbrev")


@dataclass(frozen=True)
class Difference:
    """One path in two trees; a mode of zeros means it is not there."""

    path: str
    old_mode: str
    new_mode: str
    old_id: str
    new_id: str
    status: str

    @property
    def old(self) -> tuple[str, str] | None:
        return None if self.old_mode == ABSENT else (self.old_mode, self.old_id)

    @property
    def new(self) -> tuple[str, str] | None:
        return None if self.new_mode == ABSENT else (self.new_mode, self.new_id)


def differences(raw: bytes) -> tuple[Difference, ...]:
    """What a `--raw -z --no-renames` command printed."""
    parts = split(raw)
    found = []
    for head, path in zip(parts[::2], parts[1::2], strict=True):
        old_mode, new_mode, old_id, new_id, status = head.removeprefix(":").split(" ")
        found.append(Difference(path, old_mode, new_mode, old_id, new_id, status[0]))
    return tuple(found)


def between(git: Git, old: str, new: str) -> tuple[Difference, ...]:
    return differences(git.run("diff-tree", "-r", *RAW, old, new))


_FULL_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


def entries(git: Git, tree: str) -> Mapping[str, tuple[str, str]]:
    """Mode and object id of every path in a tree; what a full id names never changes, so it is listed once."""
    return _listed(git.at(), tree) if _FULL_ID.fullmatch(tree) else _listing(git, tree)


@lru_cache(maxsize=8)
def _listed(git: Git, tree: str) -> Mapping[str, tuple[str, str]]:
    return MappingProxyType(_listing(git, tree))


def _listing(git: Git, tree: str) -> dict[str, tuple[str, str]]:
    found = {}
    for line in split(git.run("ls-tree", "-r", "-z", "--full-tree", tree)):
        head, _, path = line.partition("\t")
        mode, _, name = head.split(" ")
        found[path] = (mode, name)
    return found


@lru_cache(maxsize=64)
def tree_of(git: Git, commit: str) -> str:
    """The tree of a commit that is named by its full id."""
    return git.word("rev-parse", "--verify", f"{commit}^{{tree}}")


def gitlinks(git: Git, tree: str) -> frozenset[str]:
    return frozenset(path for path, (mode, _) in entries(git, tree).items() if mode == GITLINK)


@contextlib.contextmanager
def scratch_index(git: Git, source: str | Path | None) -> Iterator[Git]:
    """The repository with an index of our own, filled from a tree or copied from an index file."""
    folder = Path(tempfile.mkdtemp(prefix="podium-index-"))
    try:
        mine = git.at(index=folder / "index")
        if isinstance(source, str):
            mine.run("read-tree", source)
        elif source is not None and source.exists():
            # With its time: git tells a stale cache from a fresh one by comparing it with the files' times.
            shutil.copy2(source, folder / "index")
        yield mine
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def enter(git: Git, present: Iterable[str], absent: Iterable[str], *, store: bool = True) -> None:
    """Put the work tree's files into the index as git would add them, ignored or not; take the absent out.

    Without `store` only the ids are computed and no content goes into the repository.
    """
    gone, there = sorted(absent), sorted(present)
    if gone:
        # Not --remove: that one refuses a path whose folder has become a link.
        git.run("update-index", "--force-remove", "-z", "--stdin", paths=gone)
    if there:
        kind = () if store else ("--info-only",)
        git.run("update-index", *kind, "--add", "--replace", "-z", "--stdin", paths=there)


@contextlib.contextmanager
def staged(git: Git, tree: str, paths: Iterable[str], stage: Path) -> Iterator[Path]:
    """A folder with these files of the tree as git checks them out, ready to be renamed into place.

    The folder is git's work tree, so that attributes come from the tree and not from files that differ from it.
    """
    shutil.rmtree(stage, ignore_errors=True)
    stage.mkdir(parents=True)
    try:
        with scratch_index(git.at(work_tree=stage), tree) as mine:
            mine.run("checkout-index", "--force", "-z", "--stdin", paths=paths)
        yield stage
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def lstat_inside(root: Path, path: str) -> os.stat_result | str | None:
    """The file's state without following any link; the parent's path where a parent is no folder."""
    parts = path.split("/")
    for count in range(1, len(parts) + 1):
        here = "/".join(parts[:count])
        try:
            found = os.lstat(root / here)
        except FileNotFoundError:
            return None
        if count < len(parts) and not stat.S_ISDIR(found.st_mode):
            return here
    return found


def commit_tree(
    git: Git, tree: str, parents: Iterable[str], message: str, date: str, who: Mapping[str, str] | None = None
) -> str:
    """`who`: variables of author and committer, where it is not Podium."""
    over = [part for parent in parents for part in ("-p", parent)]
    env = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date, **(who or {})}
    return git.word("commit-tree", tree, *over, stdin=os.fsencode(message.rstrip("\n") + "\n"), env=env)


def composed(message: str, trailers: Mapping[str, str]) -> str:
    """A message with its trailers; a value is one line, or the next trailer would be lost."""
    lines = [f"{name}: {' '.join(value.split())}" for name, value in trailers.items()]
    return "\n\n".join(part for part in (message.strip(), "\n".join(lines)) if part)
