"""A commit on the branch that is checked out, of exactly the paths that are named.

Whatever else the user has staged, changed or left untracked stays as it is: the commit is made with an index of
our own, and of the user's index only the committed paths are brought to the new state. Hooks are not run, since
they are code that agents may have had a hand in.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping

from podium.core.errors import Halted
from podium.engine.git.git import Git, GitFailed
from podium.engine.git.trees import (
    GITLINK,
    commit_tree,
    composed,
    enter,
    entries,
    lstat_inside,
    scratch_index,
)

_UNDER_WAY = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply", "BISECT_LOG")


def commit_paths(git: Git, paths: Iterable[str], message: str, trailers: Mapping[str, str], date: str) -> str | None:
    """The commit's id; the one that is there already where a crash came after it; None where nothing differs."""
    head = git.maybe("rev-parse", "-q", "--verify", "HEAD")
    text = composed(message, trailers)
    if head and git.word("cat-file", "commit", head).partition("\n\n")[2].strip() == text.strip():
        _refresh(git, head, paths)
        return head
    _refuse_under_way(git)
    tree = _tree(git, head, sorted(set(paths)))
    if head and tree == git.word("rev-parse", f"{head}^{{tree}}"):
        return None
    commit = commit_tree(git, tree, [head] if head else [], text, date, _user(git))
    git.run("update-ref", "-m", f"podium: {message.partition(chr(10))[0]}", "HEAD", commit, head or "0" * len(commit))
    _refresh(git, commit, paths)
    return commit


def _user(git: Git) -> dict[str, str]:
    """The person whose branch it is; a commit there is theirs, and its trailers say what made it."""
    name, mail = git.maybe("config", "user.name"), git.maybe("config", "user.email")
    if not name or not mail:
        return {}
    return {f"GIT_{side}_{what}": value for side in ("AUTHOR", "COMMITTER") for what, value in (("NAME", name), ("EMAIL", mail))}


def _refuse_under_way(git: Git) -> None:
    for name in _UNDER_WAY:
        if os.path.lexists(git.git_dir / name):
            raise Halted(f"git is in the middle of something ({name}); finish or abort it, then resume")


def _tree(git: Git, head: str | None, paths: list[str]) -> str:
    """HEAD's tree with these paths as they are in the checkout."""
    known = entries(git, head) if head else {}
    there, gone = [], []
    for path in paths:
        found = lstat_inside(git.work_tree, path)
        file_before = path in known and known[path][0] != GITLINK
        # A folder where there was a file is not the file any more; else it is a submodule.
        if isinstance(found, os.stat_result) and not (file_before and stat.S_ISDIR(found.st_mode)):
            there.append(path)
        elif path in known:
            gone.append(path)
    left_out = _ignored(git, [path for path in there if path not in known])
    with scratch_index(git, head) as mine:
        enter(mine, [path for path in there if path not in left_out], gone)
        return mine.word("write-tree")


def _ignored(git: Git, paths: list[str]) -> set[str]:
    """What the user keeps out of the repository stays out, also where a run keeps it up to date."""
    if not paths:
        return set()
    try:
        return set(os.fsdecode(git.run("check-ignore", "-z", "--stdin", paths=paths)).split("\0")) - {""}
    except GitFailed as failed:
        if failed.code == 1:  # none of them
            return set()
        raise


def _refresh(git: Git, commit: str, paths: Iterable[str]) -> None:
    """The committed paths in the user's own index, so that `git status` does not show them as changed."""
    known = entries(git, commit)
    wanted = sorted(set(paths))
    enter(git, [path for path in wanted if path in known and os.path.lexists(git.work_tree / path)],
          [path for path in wanted if path not in known])  # fmt: skip
