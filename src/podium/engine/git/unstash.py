"""Gives back what was put aside: merged first, then written, so that it comes back whole or not at
all.

If it conflicts with what is in the checkout by now, nothing is written and the stash stays. A stash
is dropped by its commit, never only by its place in the list, because a person may have put another
one on top of it.
"""

from __future__ import annotations

import contextlib
import filecmp
import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from podium.engine.git import landing
from podium.engine.git import snapshot as git_snapshot
from podium.engine.git.checkout import Checkout
from podium.engine.git.git import PERSONAL, Git, GitFailed
from podium.engine.git.merge import merged_tree
from podium.engine.git.snapshot import Own
from podium.engine.git.stash import Stash, changed, copies, copy, enter_staged, find
from podium.engine.git.trees import (
    GITLINK,
    MAX_BYTES,
    Entry,
    between,
    entries,
    put,
    scratch_index,
    staged_entries,
)

_TRIES = 5


@dataclass(frozen=True)
class Given:
    said: str
    left: str = ""
    """The stash's name if it could not be given back and is still there."""


def give_back(at: Checkout, *, busy: str = "") -> Given:
    """`busy`: the operation that git is in the middle of, if any: then nothing can be given back
    now.
    """
    git = at.git
    found = find(git, at.run_id)
    if found is None:
        shutil.rmtree(copies(at), ignore_errors=True)
        return Given("nothing to give back")
    if busy:
        return _left(found, f"a {busy} is in progress")
    whole, base = found.whole(git), git.word("rev-parse", f"{found.base}^{{tree}}")
    now, _ = git_snapshot.take(git, Own(at.podium), MAX_BYTES, remember=False)
    clash, wanted = _merged(git, base, now, whole)
    if not clash:
        paths = [
            each.path
            for each in between(git, now, wanted)
            if GITLINK not in {each.old_mode, each.new_mode}
        ]
        done = landing.carry(
            git, now, wanted, under="", stage=at.spare / "stage", only=frozenset(paths)
        )
        clash = [each.path for each in done.conflicts]
    if clash:
        return _left(
            found, f"it clashes with {', '.join(clash[:5])}{' …' if len(clash) > 5 else ''}"
        )
    _touch_up(at, base, wanted, whole)
    forgotten = _stage_again(git, found)
    _drop(git, at.run_id)
    shutil.rmtree(copies(at), ignore_errors=True)
    return Given(
        f"given back, no longer staged: {', '.join(forgotten[:5])}" if forgotten else "given back"
    )


def _left(found: Stash, why: str) -> Given:
    return Given(
        (
            f"your changes are still in {found.name}: {why}. `git stash apply {found.name}` "
            "brings them"
        ),
        found.name,
    )


def _merged(git: Git, base: str, now: str, whole: str) -> tuple[list[str], str]:
    """(conflicting paths, merged tree) of what is in the checkout now and what was put aside."""
    was, here, aside = entries(git, base), entries(git, now), entries(git, whole)
    wanted = {path: aside.get(path) for path in changed(git, base, whole)}
    both = {path for path in wanted if here.get(path) not in {was.get(path), aside.get(path)}}
    for path in sorted(both):
        # The program adds lines at the end of it, and so do people: that is not a conflict.
        if path.rpartition("/")[2] == ".gitignore" and path in here and path in aside:
            wanted[path] = _union(git, was.get(path), here[path], aside[path])
            both.discard(path)
    if both:
        with scratch_index(git, whole) as mine:
            put(mine, wanted)
            theirs = mine.word("write-tree")
        tree = merged_tree(git, base, now, theirs)
        return (sorted(both), now) if tree is None else ([], tree)
    with scratch_index(git, now) as mine:
        put(mine, wanted)
        tree = mine.word("write-tree")
    # If a file meets a folder, git makes room for the one it is given last: report the other paths
    # that changed.
    return sorted(set(changed(git, now, tree)) - wanted.keys()), tree


def _union(git: Git, base: Entry | None, here: Entry, aside: Entry) -> Entry:
    with tempfile.TemporaryDirectory(prefix="podium-union-") as folder:
        names = []
        for name, entry in (("here", here), ("base", base), ("aside", aside)):
            names.append(os.path.join(folder, name))
            Path(names[-1]).write_bytes(git.run("cat-file", "blob", entry[1]) if entry else b"")
        text = git.run("merge-file", "-p", "--union", *names)
    return here[0], git.word("hash-object", "-w", "--no-filters", "--stdin", stdin=text)


def _touch_up(at: Checkout, base: str, wanted: str, whole: str) -> None:
    """Files that came back as they were put aside get their own bytes, times and permissions
    again.
    """
    git, made, aside = at.git, entries(at.git, wanted), entries(at.git, whole)
    for path in changed(git, base, whole):
        kept, place = copies(at) / path, git.work_tree / path
        if (
            made.get(path) != aside.get(path)
            or not kept.is_file()
            or kept.is_symlink()
            or place.is_symlink()
        ):
            continue
        if filecmp.cmp(kept, place, shallow=False):
            shutil.copystat(kept, place)
        elif git.word("hash-object", f"--path={path}", "--", str(kept)) == aside[path][1]:
            copy(kept, at.spare / "touch-up")
            os.replace(at.spare / "touch-up", place)


def _stage_again(git: Git, found: Stash) -> list[str]:
    """Stage again what was staged, where the index has not changed since; returns the paths
    where it has.
    """
    was, wanted, now = entries(git, found.base), entries(git, found.index), staged_entries(git)
    paths = changed(git, found.base, found.index)
    moved = [path for path in paths if now.get(path) not in {was.get(path), wanted.get(path)}]
    back: Mapping[str, Entry | None] = {
        path: wanted.get(path) for path in paths if path not in moved
    }
    try:
        enter_staged(git, back)
    except GitFailed:
        return paths
    intended = [
        path
        for path in found.intended(git)
        if path not in now and os.path.lexists(git.work_tree / path)
    ]
    if intended:
        with contextlib.suppress(GitFailed):
            git.run(
                "--literal-pathspecs",
                "add",
                "--intent-to-add",
                "--pathspec-from-file=-",
                "--pathspec-file-nul",
                paths=sorted(intended),
                settings=PERSONAL,
            )
    return moved


def _drop(git: Git, run_id: str) -> None:
    """Remove the stash from the list; if another one slipped into its place, that one is put
    back.
    """
    for _ in range(_TRIES):
        found = find(git, run_id)
        if found is None:
            return
        said = git.word("stash", "drop", found.name)
        gone = re.search(r"\(([0-9a-f]{40,64})\)", said)
        if gone is None or gone[1] == found.commit:
            return
        subject = git.word("log", "-1", "--no-show-signature", "--format=%s", gone[1])
        git.run("stash", "store", "--quiet", "-m", subject, gone[1])
