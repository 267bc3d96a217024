"""Whose a branch is: the mark that a run leaves in git's configuration, and that configuration
without marks.
"""

from __future__ import annotations

import re

from podium.engine.git.git import Git

_SECTION = re.compile(rb"^[ \t]*\[", re.MULTILINE)
_MARK = re.compile(rb"^[ \t]*podiumrun[ \t]*=[^\n]*(?:\n|\Z)", re.MULTILINE | re.IGNORECASE)
_BARE = re.compile(rb"[ \t]*\[branch [^\n]*\]\s*")


def owner(git: Git, branch: str) -> str:
    """The run that made a branch; "" if none did."""
    return git.maybe("config", _name(branch)) or ""


def mark(git: Git, branch: str, run: str) -> None:
    # Spelled as git lists it: other machines rebuild the file from that list, and must get the same
    # bytes.
    git.run("config", _name(branch), run)


def unmark(git: Git, branch: str) -> None:
    git.run("config", "--unset", _name(branch))


def _name(branch: str) -> str:
    return f"branch.{branch}.podiumrun"


def without_marks(config: bytes) -> bytes:
    """The text of a configuration without marks, and without sections that contain nothing else."""
    starts = [each.start() for each in _SECTION.finditer(config)] or [len(config)]
    parts = [
        config[: starts[0]],
        *(config[a:b] for a, b in zip(starts, [*starts[1:], len(config)], strict=False)),
    ]
    found = [(part, _MARK.sub(b"", part)) for part in parts]
    return b"".join(left for part, left in found if part == left or not _BARE.fullmatch(left))


def same_but_for_marks(old: bytes | None, new: bytes | None) -> bool:
    """Whether two texts of a configuration differ only in marks, which another run of the
    project may leave, too.
    """
    return without_marks(old or b"") == without_marks(new or b"")
