"""The branch of a run: each step's work on top of the one before."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path

from podium.engine.git.git import Git, GitFailed
from podium.engine.git.snapshot import Checkpoint
from podium.engine.git.trees import commit_tree


@dataclass(frozen=True)
class Tip:
    """The last commit of a branch."""

    commit: str
    tree: str
    text: str

    def says(self, tree: str, text: str) -> bool:
        return self.tree == tree and self.text.strip() == text.strip()


_LAST: dict[tuple[Path, str], Tip] = {}
"""Where this process left each branch."""


def tip_of(git: Git, ref: str) -> Tip | None:
    """Asked in one call; None if there is no such branch."""
    told = git.word(
        "for-each-ref", "--format=%(refname)%00%(objectname)%00%(tree)%00%(contents)%00%00", ref
    )
    for found in told.split("\0\0\n"):
        name, _, rest = found.partition("\0")
        if name == ref:  # not a ref below it
            return Tip(*rest.removesuffix("\0\0").split("\0", 2))
    return None


def put_on_top(
    git: Git, ref: str, tree: str, base: Checkpoint, text: str, meanwhile: str, date: str
) -> str:
    """Commit this tree on the branch, or find the commit that is already there if a crash came
    after it.

    If the checkout has changed since the tip, a merge of tip and checkpoint comes in between.
    """
    tip = _LAST.get((git.git_dir, ref))
    if tip is None or not tip.says(tree, text):
        # Git moves the branch only from where we left it. It is elsewhere after a crash, or if
        # somebody moved it.
        with contextlib.suppress(GitFailed):
            return _added(git, ref, tip, tree, base, text, meanwhile, date)
    tip = tip_of(git, ref)
    if tip and tip.says(tree, text):
        _LAST[git.git_dir, ref] = tip
        return tip.commit
    return _added(git, ref, tip, tree, base, text, meanwhile, date)


def _added(
    git: Git,
    ref: str,
    tip: Tip | None,
    tree: str,
    base: Checkpoint,
    text: str,
    meanwhile: str,
    date: str,
) -> str:
    parent = tip.commit if tip else base.commit
    if tip and tip.tree != base.tree:
        parent = commit_tree(git, base.tree, [tip.commit, base.commit], meanwhile, date)
    commit = commit_tree(git, tree, [parent], text, date)
    said = f"podium: {text.partition(chr(10))[0]}"
    git.run("update-ref", "-m", said, ref, commit, tip.commit if tip else "0" * len(commit))
    _LAST[git.git_dir, ref] = Tip(commit, tree, text)
    return commit
