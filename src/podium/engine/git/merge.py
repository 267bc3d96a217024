"""Merges work made side by side: a three-way merge of trees that touches no checkout and no
index.
"""

from __future__ import annotations

from collections.abc import Mapping

from podium.engine.git.git import Git, GitFailed
from podium.engine.git.trees import Entry, between, commit_tree, displaced, write_tree

_DATE = "1970-01-01T00:00:00Z"
_CLASH = 1
_UNKNOWN = 129
"""Git's exit code if it does not know an option."""


def merged_tree(git: Git, base: str, ours: str, theirs: str) -> str | None:
    """The tree with both changes since `base`; None if they cannot be merged, or if git is too
    old for it.
    """
    if (plain := _apart(git, base, ours, theirs)) is not None:
        return plain
    # Three commits that nobody keeps, because git finds the base of a merge only through commits.
    root = commit_tree(git, base, [], "base", _DATE)
    sides = [
        commit_tree(git, tree, [root], name, _DATE)
        for tree, name in ((ours, "ours"), (theirs, "theirs"))
    ]
    try:
        return git.word("merge-tree", "--write-tree", *sides).splitlines()[0]
    except GitFailed as failed:
        if failed.code in {_CLASH, _UNKNOWN}:
            return None
        raise  # git was killed or failed otherwise: nobody knows whether they conflict


def _apart(git: Git, base: str, ours: str, theirs: str) -> str | None:
    """The merged tree if no path changed on both sides; for this git need not be asked, so any
    version will do.
    """
    mine = {each.path for each in between(git, base, ours)}
    changes = {each.path: each.new for each in between(git, base, theirs)}
    return None if mine & changes.keys() else with_instead(git, ours, changes)


def with_instead(git: Git, tree: str, entries: Mapping[str, Entry | None]) -> str | None:
    """The tree with these entries instead of its own; None if other files would have to go."""
    if not entries:
        return tree
    new = write_tree(git, tree, entries)
    return None if displaced(git, tree, new, entries) else new
