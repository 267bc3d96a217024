"""A commit on the checked-out branch, of exactly the named paths.

Whatever else the user has staged, changed or left untracked stays as it is: the commit is made with
an index of our own, and in the user's index only the committed paths are updated. Hooks are not
run, since agents may have changed that code.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable, Mapping

from podium.core.errors import Halted
from podium.engine.git import drivers
from podium.engine.git.branch import Tip
from podium.engine.git.checkout import refuse_under_way
from podium.engine.git.git import Git, GitFailed, split
from podium.engine.git.own_part import NOTHING_THEIRS, Before, index_entries, without_theirs
from podium.engine.git.trees import (
    FILE,
    GITLINK,
    Entry,
    commit_tree,
    composed,
    enter,
    entries,
    hash_files,
    lstat_inside,
    put,
    scratch_index,
    write_tree,
)


def commit_paths(
    git: Git,
    paths: Iterable[str],
    message: str,
    trailers: Mapping[str, str],
    date: str,
    always: Collection[str] = (),
    before: Before = NOTHING_THEIRS,
    texts: Mapping[str, bytes | None] | None = None,
) -> str | None:
    """The commit's id, also if it is already there because a crash came after it; None if nothing
    differs.

    `always`: paths to commit even if rules ignore them, because the run made them and the rules
    came later. `before`: the files as the run began with these paths; what a person had changed
    there stays uncommitted. `texts`: to commit instead of what the checkout has; None: nothing.
    """
    wanted, text = sorted(set(paths)), composed(message, trailers)
    head = _head(git)
    if head and head.text.strip() == text.strip():
        own = entries(git, head.tree, wanted)
        now = hash_files(git, head.tree, own, store=False)
        _refresh(git, head.tree, [path for path in wanted if now.get(path) == own.get(path)])
        return head.commit
    refuse_under_way(git)
    wanted = _filtered(git, wanted)
    whole = tree = _tree(git, head, wanted, always)
    partial: dict[str, Entry | None] = {}
    if head:
        tree = _instead(git, head, tree, texts or {})
        if before.commit:
            rest = [path for path in wanted if path not in (texts or {})]
            tree = without_theirs(git, head.tree, tree, before, rest)
        if tree == head.tree:
            return None
        if tree != whole:
            now, own = entries(git, whole, wanted), entries(git, tree, wanted)
            apart = [path for path in wanted if now.get(path) != own.get(path)]
            partial = index_entries(git, head.tree, tree, apart)
    commit = commit_tree(git, tree, [head.commit] if head else [], text, date, _user(git))
    last = head.commit if head else "0" * len(commit)
    git.run("update-ref", "-m", f"podium: {text.partition(chr(10))[0]}", "HEAD", commit, last)
    put(git, partial)
    _refresh(git, tree, [path for path in wanted if path not in partial])
    return commit


def _instead(git: Git, head: Tip, tree: str, texts: Mapping[str, bytes | None]) -> str:
    """The tree with these texts; where there is none, with what HEAD has."""
    known = entries(git, head.tree, list(texts))
    wanted: dict[str, Entry | None] = {}
    for path, text in texts.items():
        mode, name = known.get(path, (FILE, ""))
        if text is not None:
            name = git.word("hash-object", "-w", "--stdin", f"--path={path}", stdin=text)
        wanted[path] = (mode, name) if name else None
    return write_tree(git, tree, wanted)


def _head(git: Git) -> Tip | None:
    """What HEAD is, in one call; None before the first commit."""
    first, _, rest = git.run("cat-file", "--batch", stdin=b"HEAD\n").partition(b"\n")
    if first.split(b" ")[1:2] != [b"commit"]:
        commit = git.maybe("rev-parse", "-q", "--verify", "HEAD")
        return Tip(commit, git.word("rev-parse", f"{commit}^{{tree}}"), "") if commit else None
    commit, _, size = os.fsdecode(first).split(" ")
    lines, _, text = os.fsdecode(rest[: int(size)]).partition("\n\n")
    return Tip(commit, lines.split()[1], text)


def _user(git: Git) -> dict[str, str]:
    """The person whose branch it is: a commit there is theirs, and its trailers say what made
    it.
    """
    told = split(
        os.fsencode(git.maybe("config", "-z", "--get-regexp", r"^user\.(name|email)$") or "")
    )
    known = {
        name: value for name, _, value in (each.partition("\n") for each in told)
    }  # of several, the last one counts
    name, mail = known.get("user.name"), known.get("user.email")
    if not name or not mail:
        return {}
    return {
        f"GIT_{side}_{what}": value
        for side in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", name), ("EMAIL", mail))
    }


def _filtered(git: Git, paths: list[str]) -> list[str]:
    """The paths that Podium may commit: not those under a filter that it does not run, which a
    person must commit.
    """
    names = drivers.filters(git.left_out())
    if not names or not paths:
        return paths
    told = split(git.run("check-attr", "-z", "--stdin", "filter", paths=paths))
    under = {path: name for path, name in zip(told[::3], told[2::3], strict=True) if name in names}
    if under and (open_ := [path for path in under if path in _differing(git)]):
        raise Halted(
            f"{open_[0]} goes through the git filter {under[open_[0]]!r}, which runs a "
            "program of the project, and Podium runs none "
            f"that an agent can change. Commit {', '.join(open_)} yourself, or name a program "
            "outside of the project; then resume"
        )
    return [path for path in paths if path not in under]


def _differing(git: Git) -> frozenset[str]:
    """What is not committed, according to the person's own index: what they have committed is in
    order.
    """
    told = split(git.run("status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames"))
    return frozenset(each[3:] for each in told)


def _tree(git: Git, head: Tip | None, paths: list[str], always: Collection[str]) -> str:
    """HEAD's tree with these paths as they are in the checkout."""
    known = entries(git, head.tree, paths) if head else {}
    there, gone = [], []
    for path in paths:
        found = lstat_inside(git.work_tree, path)
        file_before = path in known and known[path][0] != GITLINK
        # A folder in the place of a file means that the file is gone; otherwise it is a submodule.
        if isinstance(found, os.stat_result) and not (file_before and stat.S_ISDIR(found.st_mode)):
            there.append(path)
        elif path in known:
            gone.append(path)
    left_out = _ignored(git, [path for path in there if path not in known and path not in always])
    taken = [path for path in there if path not in left_out]
    if head is None:
        with scratch_index(git, None) as mine:
            enter(mine, taken, gone)
            return mine.word("write-tree")
    removed: dict[str, Entry | None] = dict.fromkeys(gone)
    now = hash_files(git, head.tree, taken, store=True, over=removed)
    # What is in the way of the files that exist goes, as in git's own index.
    return write_tree(git, head.tree, {**removed, **now})


def _ignored(git: Git, paths: list[str]) -> set[str]:
    """What the user keeps out of the repository stays out, even if a run keeps it up to date."""
    if not paths:
        return set()
    try:
        return set(
            os.fsdecode(git.run("check-ignore", "-z", "--stdin", paths=paths)).split("\0")
        ) - {""}
    except GitFailed as failed:
        if failed.code == 1:  # none of them
            return set()
        raise


def _refresh(git: Git, tree: str, paths: Collection[str]) -> None:
    """Update the committed paths in the user's own index, so that `git status` does not show
    them as changed.
    """
    known = entries(git, tree, paths)
    enter(
        git,
        [path for path in paths if path in known and os.path.lexists(git.work_tree / path)],
        [path for path in paths if path not in known],
    )
