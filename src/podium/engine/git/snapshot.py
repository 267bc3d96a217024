"""Reading the user's checkout into a tree, without touching its index."""

from __future__ import annotations

import os
import stat
import threading
from dataclasses import dataclass
from pathlib import Path

from podium.engine.git.git import Git, call, split
from podium.engine.git.trees import RAW, differences, enter, lstat_inside, scratch_index
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
"""What a folder without git most likely does not want in its snapshots; its own .gitignore is obeyed as well."""


@dataclass(frozen=True)
class Own:
    """Podium's own folder, which is no part of the project: state written during a step is not the step's input."""

    folder: str
    """From the top level; empty where it is outside."""

    def has(self, path: str) -> bool:
        return bool(self.folder) and (path == self.folder or path.startswith(f"{self.folder}/"))


def ensure_shadow(git: Git) -> None:
    """The repository that keeps the snapshots of a folder without git."""
    (git.git_dir / "info").mkdir(parents=True, exist_ok=True)
    with one_by_one(str(git.git_dir)):  # agents side by side may all be the first, and `init` refuses company
        # What `init` makes last: a repository cut off in the making is made again.
        if (git.git_dir / "HEAD").is_file() and (git.git_dir / "objects/info").is_dir():
            return
        (git.git_dir / "info/exclude").write_text(EXCLUDED)  # before it, because one without its rules would do
        call(("init", "--quiet", "--bare", "--template=", str(git.git_dir)), cwd=git.work_tree)


def take(git: Git, own: Own, max_bytes: int, *, remember: bool) -> tuple[str, tuple[str, ...]]:
    """The checkout's tree, and the untracked paths that are not in it.

    With `remember` the index replaces the repository's own, which is ours then: the next snapshot reads only
    files that changed.
    """
    real = git.git_dir / "index"
    with scratch_index(git, real) as mine:
        present, absent = _tracked(mine, own)
        new, left_out = _untracked(mine, own, max_bytes)
        enter(mine, present | new, absent)
        tree = mine.word("write-tree")
        if remember and mine.index is not None and mine.index.exists():
            spare = real.with_name(f"index.{os.getpid()}-{threading.get_native_id()}")
            spare.write_bytes(mine.index.read_bytes())
            stamp = os.stat(mine.index)
            os.utime(spare, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
            os.replace(spare, real)
    return tree, tuple(sorted(left_out))


def clean(git: Git, own: Own) -> bool:
    found = split(
        git.run(
            "status", "--porcelain", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=all"
        )
    )
    return all(own.has(line[3:]) for line in found)


def _tracked(mine: Git, own: Own) -> tuple[set[str], set[str]]:
    """Tracked paths that may differ from the index, and those that are gone."""
    present: set[str] = set()
    absent: set[str] = set()
    for each in differences(mine.run("diff-files", *RAW, "--ignore-submodules=all")):
        if own.has(each.path):
            continue
        place = lstat_inside(mine.work_tree, each.path)
        there = place is not None and not isinstance(place, str) and _is_file(place)
        (present if there else absent).add(each.path)
    return present, absent


def _untracked(mine: Git, own: Own, max_bytes: int) -> tuple[set[str], set[str]]:
    """Untracked files to take and paths to leave; git lists a repository in the checkout with a slash."""
    taken: set[str] = set()
    left: set[str] = set()
    for path in split(mine.run("ls-files", "-z", "--others", "--exclude-standard")):
        if own.has(path.rstrip("/")):
            continue
        (taken if not path.endswith("/") and _wanted(mine.work_tree / path, max_bytes) else left).add(path)
    return taken, left


def _wanted(path: Path, max_bytes: int) -> bool:
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return False  # somebody's temporary file
    if stat.S_ISLNK(found.st_mode):
        return True
    return stat.S_ISREG(found.st_mode) and found.st_size <= max_bytes and os.access(path, os.R_OK)


def _is_file(found: os.stat_result) -> bool:
    return stat.S_ISREG(found.st_mode) or stat.S_ISLNK(found.st_mode)
