"""Work made side by side, brought together: a three-way merge of trees that touches no checkout and no index."""

from __future__ import annotations

from podium.engine.git.git import Git, GitFailed
from podium.engine.git.trees import commit_tree

_DATE = "1970-01-01T00:00:00Z"
_CLASH = 1
_UNKNOWN = 129
"""What git ends with where it does not know an option."""


def merged_tree(git: Git, base: str, ours: str, theirs: str) -> str | None:
    """The tree with both changes since `base`; None where they cannot be merged, or where git is too old to."""
    # Three commits that nobody keeps: git finds the base of a merge through them, and only so.
    root = commit_tree(git, base, [], "base", _DATE)
    sides = [commit_tree(git, tree, [root], name, _DATE) for tree, name in ((ours, "ours"), (theirs, "theirs"))]
    try:
        return git.word("merge-tree", "--write-tree", *sides).splitlines()[0]
    except GitFailed as failed:
        if failed.code in {_CLASH, _UNKNOWN}:
            return None
        raise  # git was killed, or cannot: nobody knows whether they clash
