"""Work made side by side, brought together: a three-way merge of trees that touches no checkout and no index."""

from __future__ import annotations

from collections.abc import Mapping

from podium.engine.git.git import Git, GitFailed
from podium.engine.git.index_file import Entry
from podium.engine.git.listing import in_the_way, listing, rebuilt
from podium.engine.git.trees import between, commit_tree

_DATE = "1970-01-01T00:00:00Z"
_CLASH = 1
_UNKNOWN = 129
"""What git ends with where it does not know an option."""


def merged_tree(git: Git, base: str, ours: str, theirs: str) -> str | None:
    """The tree with both changes since `base`; None where they cannot be merged, or where git is too old to."""
    if (plain := _apart(git, base, ours, theirs)) is not None:
        return plain
    # Three commits that nobody keeps: git finds the base of a merge through them, and only so.
    root = commit_tree(git, base, [], "base", _DATE)
    sides = [commit_tree(git, tree, [root], name, _DATE) for tree, name in ((ours, "ours"), (theirs, "theirs"))]
    try:
        return git.word("merge-tree", "--write-tree", *sides).splitlines()[0]
    except GitFailed as failed:
        if failed.code in {_CLASH, _UNKNOWN}:
            return None
        raise  # git was killed, or cannot: nobody knows whether they clash


def _apart(git: Git, base: str, ours: str, theirs: str) -> str | None:
    """The merged tree where no path changed on both sides: any git can do that, and none needs to be asked."""
    mine = {each.path for each in between(git, base, ours)}
    changes = {each.path: each.new for each in between(git, base, theirs)}
    return None if mine & changes.keys() else with_instead(git, ours, changes)


def with_instead(git: Git, tree: str, entries: Mapping[str, Entry | None]) -> str | None:
    """The tree with these entries in the place of its own; None where other files would have to go for them."""
    if not entries:
        return tree
    here = listing(git, tree)
    made = {path for path, entry in entries.items() if entry is not None}
    gone = entries.keys() - made
    if any(path in here.levels for path in gone):
        return None  # a folder stands where a file was: what is in it is nobody's to remove
    if in_the_way((path for path in here.files if path not in gone), here.levels, made):
        return None
    return rebuilt(git, tree, entries)
