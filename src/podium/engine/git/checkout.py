"""A person's checkout as a run sees it: which branch it is on, and which changes in it are the
person's.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from podium.core.errors import Halted
from podium.engine.git.git import Git, split

_POINTS = "ref: refs/heads/"
_OPERATIONS = {
    "MERGE_HEAD": "merge",
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "BISECT_LOG": "bisect",
    "sequencer": "cherry-pick or revert",
}


@dataclass(frozen=True, kw_only=True)
class Checkout:
    """A person's checkout, and the run that looks at it."""

    git: Git
    run_id: str
    target: str
    """The run's branch."""
    date: str
    spare: Path
    """A folder of the run on the same disk as the checkout."""
    podium: str = ""
    """Podium's own folder from the top level; empty if it is outside."""
    ours: Callable[[str], bool] = lambda _: False
    """Whether a path, from the top level, is the program's own and so not a change of the
    person's.
    """

    def changes(self) -> list[str]:
        """The person's changed and untracked paths, from the top level."""
        return [path for path in changes(self.git) if not self.ours(path)]


def current(git: Git) -> str:
    """The checked-out branch; empty for a detached HEAD."""
    place = git.git_dir / "HEAD"
    text = "" if place.is_symlink() else os.fsdecode(place.read_bytes()).strip()
    if text.startswith(_POINTS) and text != f"{_POINTS}.invalid":
        return text.removeprefix(_POINTS)
    # No branch, or a repository that does not keep refs in files and has only a stub here for old
    # programs.
    return (git.maybe("symbolic-ref", "-q", "HEAD") or "").removeprefix("refs/heads/")


def under_way(git: Git) -> str:
    """The operation that git is in the middle of; "" if none."""
    return next(
        (word for name, word in _OPERATIONS.items() if os.path.lexists(git.git_dir / name)), ""
    )


def refuse_under_way(git: Git) -> None:
    """Halted while git is in the middle of an operation: a person must finish or abort it."""
    if operation := under_way(git):
        raise Halted(
            f"a {operation} is in progress in the repository; finish or abort it, then resume"
        )


def changes(git: Git) -> list[str]:
    """Changed and untracked paths, both names of a rename; a repository inside the checkout ends
    with a slash.
    """
    told = (
        "--porcelain=v1",
        "-z",
        "--untracked-files=all",
        "--no-renames",
        "--ignore-submodules=none",
    )
    return sorted({part[3:] for part in split(git.run("status", *told))})
