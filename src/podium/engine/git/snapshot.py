"""Reads the user's checkout into a tree, without touching its index."""

from __future__ import annotations

import os
import stat
import tempfile
import threading
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from podium.engine.git.git import Git, GitFailed, call, split
from podium.engine.git.trees import (
    ABSENT,
    FULL_ID,
    GITLINK,
    RAW,
    Entry,
    differences,
    enter,
    entries,
    hash_files,
    lstat_inside,
    scratch_index,
    staged,
    storable,
    tree_of,
    write_tree,
)
from podium.state.lock import one_by_one

EXCLUDED = """\
.podium/
node_modules/
.venv/
venv/
__pycache__/
*.pyc
.pytest_cache/
.mypy_cache/
.ruff_cache/
.tox/
.gradle/
target/
dist/
build/
.DS_Store
"""
"""What a folder without git most likely does not want in its snapshots; its own .gitignore is
obeyed as well.
"""


@dataclass(frozen=True)
class Own:
    """Podium's own folder, which is not part of the project: state written during a step is not
    the step's input.
    """

    folder: str
    """From the top level; empty if it is outside."""

    def has(self, path: str) -> bool:
        return bool(self.folder) and (path == self.folder or path.startswith(f"{self.folder}/"))


@dataclass(frozen=True)
class Brought:
    """What a run brought into the checkout.

    Agents also write ignore rules. Their rules must not hide from the next step what the run made,
    nor reveal to it what a person keeps out of git.
    """

    paths: Collection[str] = ()
    """Files that count even though rules ignore them by now."""
    rules: Collection[str] = ()
    """Trees whose ignore rules still apply to everything else."""


NOTHING_BROUGHT = Brought()
RULES = ".gitignore"


@dataclass(frozen=True)
class Checkpoint:
    """The user's checkout as it was at one moment."""

    commit: str
    tree: str
    left_out: tuple[str, ...] = ()
    """Untracked files that were too large, unreadable or not files at all, and repositories in
    the project.
    """
    beside: tuple[str, ...] | None = None
    """What lay in it that git does not take, ignored or left out, from the top level; folders end
    with a slash. None if nobody looked.
    """
    taken_ns: int = 0
    """When it was taken, by the clock that files are stamped with; 0 = not by looking at it."""


@dataclass(frozen=True)
class Taken:
    """The checkout at one moment."""

    head: str
    tree: str
    left_out: tuple[str, ...]
    """Untracked paths that are not in it."""
    ignored: tuple[str, ...] = ()
    """Paths that rules cover; folders end with a slash."""


def ensure_shadow(git: Git) -> None:
    """Make the repository that keeps the snapshots of a folder without git."""
    (git.git_dir / "info").mkdir(parents=True, exist_ok=True)
    with one_by_one(
        str(git.git_dir)
    ):  # agents side by side may all be the first, and `init` must run alone
        # `init` makes these last: a repository interrupted in the making is made again.
        if (git.git_dir / "HEAD").is_file() and (git.git_dir / "objects/info").is_dir():
            return
        (git.git_dir / "info/exclude").write_text(
            EXCLUDED
        )  # first, because a repository without its rules would be used
        call(("init", "--quiet", "--bare", "--template=", str(git.git_dir)), cwd=git.work_tree)


def take(
    git: Git, own: Own, max_bytes: int, *, remember: bool, brought: Brought = NOTHING_BROUGHT
) -> tuple[str, tuple[str, ...]]:
    """The checkout's tree, and the untracked paths that are not in it.

    With `remember`, for a repository of ours, the index replaces the repository's own, so that the
    next snapshot reads only files that have changed.
    """
    real = git.git_dir / "index"
    with scratch_index(git, real) as mine:
        present, absent = _tracked(mine, own)
        new, left_out = _untracked(mine, own, max_bytes, brought)
        enter(mine, present | new, absent)
        tree = mine.word("write-tree")
        if remember and mine.index is not None and mine.index.exists():
            spare = real.with_name(f"index.{os.getpid()}-{threading.get_native_id()}")
            spare.write_bytes(mine.index.read_bytes())
            stamp = os.stat(mine.index)
            os.utime(spare, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
            os.replace(spare, real)
    return tree, tuple(sorted(left_out))


def over_head(
    git: Git, own: Own, max_bytes: int, brought: Brought = NOTHING_BROUGHT
) -> Taken | None:
    """The checkout's tree as HEAD's tree with what differs, found in one call; None before the
    first commit.
    """
    told = (
        "--porcelain=v2",
        "-z",
        "--branch",
        "--no-ahead-behind",
        "--untracked-files=all",
        "--no-renames",
        "--ignored=matching",
    )
    # Not "all", which would also hide which commit of a submodule is staged.
    head, staged, loose, others = "", dict[str, Entry | None](), list[str](), list[str]()
    ignored: list[str] = []
    for line in split(git.run("status", *told, "--ignore-submodules=dirty")):
        if line.startswith("# branch.oid "):
            head = line.split(" ")[2]
        elif line.startswith("1 "):
            _, letters, _, _, mode, _, _, key, path = line.split(" ", 8)
            if letters[0] != ".":
                staged[path] = None if mode == ABSENT else (mode, key)
            if letters[1] != "." and mode != GITLINK:
                loose.append(path)
        elif line.startswith("u "):
            loose.append(line.split(" ", 10)[10])
        elif line.startswith("? "):
            others.append(line[2:])
        elif line.startswith("! "):
            ignored.append(line[2:])
    if not FULL_ID.fullmatch(head):
        return None
    tree = tree_of(git, head)
    known = {*entries(git, tree, brought.paths), *staged, *loose}
    new, left_out = _sorted_out(git, _counted(git, others, known, brought), own, max_bytes)
    present, absent = _there_or_gone(git, loose, own)
    removed: dict[str, Entry | None] = {**staged, **dict.fromkeys(absent)}
    now = hash_files(git, tree, present | new, store=True, over=removed)
    # As in git, the files that exist win over those that were there.
    changed = write_tree(git, tree, {**removed, **now})
    return Taken(head, changed, tuple(sorted(left_out)), _outside(ignored, own, known))


def ignored(git: Git, own: Own) -> tuple[str, ...]:
    """What the rules cover in the checkout; a folder that is covered stands for all in it."""
    listed = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
    return _outside(split(git.run(*listed)), own, ())


def _outside(paths: Iterable[str], own: Own, known: Collection[str]) -> tuple[str, ...]:
    return tuple(
        sorted(path for path in paths if not own.has(path.rstrip("/")) and path not in known)
    )


def _tracked(mine: Git, own: Own) -> tuple[set[str], set[str]]:
    """Tracked paths that may differ from the index, and those that are gone."""
    found = differences(mine.run("diff-files", *RAW, "--ignore-submodules=all"))
    return _there_or_gone(mine, (each.path for each in found), own)


def _there_or_gone(git: Git, paths: Iterable[str], own: Own) -> tuple[set[str], set[str]]:
    present: set[str] = set()
    absent: set[str] = set()
    for path in paths:
        if own.has(path):
            continue
        (present if storable(lstat_inside(git.work_tree, path)) else absent).add(path)
    return present, absent


def _untracked(mine: Git, own: Own, max_bytes: int, brought: Brought) -> tuple[set[str], set[str]]:
    found = split(mine.run("ls-files", "-z", "--others", "--exclude-standard"))
    return _sorted_out(mine, _counted(mine, found, (), brought), own, max_bytes)


def _counted(git: Git, untracked: list[str], known: Collection[str], brought: Brought) -> list[str]:
    """Untracked paths by the current rules, without what the run's rule changes reveal, and with
    what they hide.
    """
    hidden = {
        path
        for tree in brought.rules
        for path in _ignored_by(git, tree, set(untracked).difference(brought.paths))
    }
    told = {*untracked, *known}
    places = {path: lstat_inside(git.work_tree, path) for path in brought.paths if path not in told}
    more = [path for path, place in places.items() if storable(place)]
    return [*(path for path in untracked if path not in hidden), *more]


def _ignored_by(git: Git, tree: str, paths: Collection[str]) -> set[str]:
    rules = [path for path in entries(git, tree) if path.rpartition("/")[2] == RULES]
    if not rules or not paths:
        return set()
    with (
        tempfile.TemporaryDirectory(prefix="podium-rules-") as empty,
        staged(git, tree, rules, Path(empty, "tree")) as there,
    ):
        try:
            asked = ("check-ignore", "--no-index", "-z", "--stdin")
            return set(
                split(
                    git.at(work_tree=there, index=Path(empty, "none")).run(
                        *asked, paths=sorted(paths)
                    )
                )
            )
        except GitFailed as failed:
            if failed.code == 1:
                return set()  # none of them
            raise


def _sorted_out(
    git: Git, untracked: Iterable[str], own: Own, max_bytes: int
) -> tuple[set[str], set[str]]:
    """Untracked files to take and paths to leave; git lists a repository inside the checkout
    with a slash.
    """
    taken: set[str] = set()
    left: set[str] = set()
    for path in untracked:
        if own.has(path.rstrip("/")):
            continue
        (
            taken if not path.endswith("/") and _wanted(git.work_tree / path, max_bytes) else left
        ).add(path)
    return taken, left


def _wanted(path: Path, max_bytes: int) -> bool:
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return False  # somebody's temporary file
    if stat.S_ISLNK(found.st_mode):
        return True
    return stat.S_ISREG(found.st_mode) and found.st_size <= max_bytes and os.access(path, os.R_OK)
