"""Puts a person's changes aside: an ordinary stash with the run's id in it, which `git stash list`
shows.

The program's own files stay out of it. It is stored before anything leaves the tree, and a path
leaves the tree only if it is still as it was stored, so after a crash at any point it can be
repeated. A copy of every file is kept as well, because a stash keeps neither line ends nor
permissions.

Other repositories in the checkout, submodules or not, are not git's to put aside: they stay where
they are.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from podium.core.errors import Halted
from podium.engine.git import landing
from podium.engine.git.checkout import Checkout
from podium.engine.git.git import PERSONAL, Git, GitFailed, split
from podium.engine.git.trees import (
    GITLINK,
    Entry,
    between,
    commit_tree,
    enter,
    entries,
    lstat_inside,
    put,
    scratch_index,
    staged_entries,
    storable,
)

_REF = "refs/stash"


@dataclass(frozen=True)
class Stash:
    """What was put aside, as the commits that git makes of it."""

    number: int
    """Its current place in the list; others come and go."""
    commit: str
    """Its tree has the tracked files as they were in the checkout."""
    base: str
    """What was checked out."""
    index: str
    """What was staged."""
    untracked: str = ""

    @property
    def name(self) -> str:
        return f"stash@{{{self.number}}}"

    def whole(self, git: Git) -> str:
        """The tree of the checkout as it was put aside, tracked and untracked files together."""
        if not self.untracked:
            return git.word("rev-parse", f"{self.commit}^{{tree}}")
        with scratch_index(git, f"{self.commit}^{{tree}}") as mine:
            put(mine, entries(git, self.untracked))
            return mine.word("write-tree")

    def intended(self, git: Git) -> set[str]:
        """Paths for which only the intent to add was staged."""
        return (
            entries(git, self.commit).keys()
            - entries(git, self.base).keys()
            - entries(git, self.index).keys()
        )


def find(git: Git, run_id: str) -> Stash | None:
    """The run's stash."""
    if git.maybe("rev-parse", "-q", "--verify", _REF) is None:
        return None
    for number, commit in enumerate(git.word("rev-list", "--walk-reflogs", _REF, "--").split()):
        head, _, message = git.word("cat-file", "commit", commit).partition("\n\n")
        if _mark(run_id) in message.splitlines():
            parents = [line.split()[1] for line in head.splitlines() if line.startswith("parent ")]
            return Stash(number, commit, *parents[:3])
    return None


def copies(at: Checkout) -> Path:
    """Where the files that were put aside are, byte for byte."""
    return at.spare / "put-aside"


def put_aside(at: Checkout) -> str:
    git = at.git
    found = find(git, at.run_id)
    if found is None:
        submodules = {
            path
            for path, (mode, _) in {**entries(git, "HEAD"), **staged_entries(git)}.items()
            if mode == GITLINK
        }
        paths = [path for path in at.changes() if not path.endswith("/") and path not in submodules]
        if not paths:
            return "nothing to stash"
        found = _stored(at, paths)
    _clear(at, found)
    return f"your changes are in the stash 'podium {at.run_id}'"


def _mark(run_id: str) -> str:
    return f"Podium-Run: {run_id}"


def _stored(at: Checkout, paths: Sequence[str]) -> Stash:
    """Store everything in the repository, with a copy of the files; the checkout is not touched."""
    git = at.git
    trees = _trees(git, paths)
    _copy_all(at, paths)
    if _trees(git, paths) != trees:
        raise Halted(
            "files in the checkout changed while they were put aside; resume when nobody "
            "writes there"
        )
    index, tracked, untracked = trees
    head = git.word("rev-parse", "--verify", "HEAD")
    branch = (git.maybe("symbolic-ref", "-q", "HEAD") or "(no branch)").removeprefix("refs/heads/")
    message = f"On {branch}: podium {at.run_id}"
    parents = [head, commit_tree(git, index, [head], f"index on {branch}", at.date)]
    if untracked:
        parents.append(commit_tree(git, untracked, [], f"untracked files on {branch}", at.date))
    commit = commit_tree(git, tracked, parents, f"{message}\n\n{_mark(at.run_id)}", at.date)
    git.run("stash", "store", "--quiet", "-m", message, commit)
    found = find(git, at.run_id)
    if found is None:
        raise Halted("git did not keep the stash; nothing was put aside")
    return found


def _trees(git: Git, paths: Iterable[str]) -> tuple[str, str, str]:
    """Trees of what is staged, of the tracked files as they are, and of the untracked ones (""
    if there are none).
    """
    wanted = set(paths)
    here = {path for path in wanted if storable(lstat_inside(git.work_tree, path))}
    with scratch_index(git, git.git_dir / "index") as mine:
        index = mine.word("write-tree")
        known = set(split(mine.run("ls-files", "-z")))
        enter(mine, here & known, (wanted & known) - here)
        tracked = mine.word("write-tree")
    if here <= known:
        return index, tracked, ""
    with scratch_index(git, None) as mine:
        enter(mine, here - known, ())
        return index, tracked, mine.word("write-tree")


def _copy_all(at: Checkout, paths: Iterable[str]) -> None:
    home = copies(at)
    shutil.rmtree(home, ignore_errors=True)
    for path in paths:
        if storable(lstat_inside(at.git.work_tree, path)):
            copy(at.git.work_tree / path, home / path)


def copy(source: Path, target: Path) -> None:
    """Copy a file with its times and permissions, or a link; durable on return."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, target, follow_symlinks=False)
    if not target.is_symlink():
        with open(target, "rb") as file:
            os.fsync(file.fileno())


def _clear(at: Checkout, found: Stash) -> None:
    """Restore files and index to the commit, as far as they are still as they were put aside."""
    git, whole = at.git, found.whole(at.git)
    base, before, now = entries(git, found.base), entries(git, found.index), staged_entries(git)
    paths = [
        each.path
        for each in between(git, whole, found.base)
        if GITLINK not in {each.old_mode, each.new_mode}
    ]
    done = landing.carry(
        git,
        whole,
        f"{found.base}^{{tree}}",
        under="",
        stage=at.spare / "stage",
        only=frozenset(paths),
    )
    if done.conflicts:
        raise Halted(
            f"{done.conflicts[0].path} {done.conflicts[0].why} and cannot be put aside; move "
            "it, then resume"
        )
    # Also entries that are already right: git remembers the size of the earlier file, and would see
    # a change.
    back = {path: base.get(path) for path in (*changed(git, found.index, found.base), *paths)}
    meant = {
        path for path in back if now.get(path) in {before.get(path), base.get(path)}
    } | found.intended(git) & now.keys()
    enter_staged(git, {path: back.get(path) for path in meant})


# -- the person's index


def changed(git: Git, old: str, new: str) -> list[str]:
    return [each.path for each in between(git, old, new)]


def enter_staged(git: Git, wanted: Mapping[str, Entry | None]) -> None:
    """Put entries into the person's own index; their other entries stay."""
    put(git, wanted, PERSONAL)
    with contextlib.suppress(GitFailed):  # it fails if a file is changed, which is expected
        git.run("update-index", "-q", "--refresh", settings=PERSONAL)
