"""Whose a branch is: the mark that a run leaves in git's configuration, and that configuration without any."""

from __future__ import annotations

import re

from podium.core.regex import regex
from podium.engine.git.git import Git

_SECTION = regex(rb"^[ \t]*\[", re.MULTILINE)
_MARK = regex(rb"^[ \t]*podiumrun[ \t]*=[^\n]*(?:\n|\Z)", re.MULTILINE | re.IGNORECASE)
_BARE = regex(rb"[ \t]*\[branch [^\n]*\]\s*")


def owner(git: Git, branch: str) -> str:
    """The run that made a branch; "" where none did."""
    return git.maybe("config", _name(branch)) or ""


def mark(git: Git, branch: str, run: str) -> None:
    # In the letters in which git lists it: elsewhere the file is written anew from that list, and must have the same bytes.
    git.run("config", _name(branch), run)


def unmark(git: Git, branch: str) -> None:
    git.run("config", "--unset", _name(branch))


def _name(branch: str) -> str:
    return f"branch.{branch}.podiumrun"


def without_marks(config: bytes) -> bytes:
    """The text of a configuration without marks, and without the sections that hold nothing else."""
    starts = [each.start() for each in _SECTION.finditer(config)] or [len(config)]
    parts = [config[: starts[0]], *(config[a:b] for a, b in zip(starts, [*starts[1:], len(config)], strict=False))]
    found = [(part, _MARK.sub(b"", part)) for part in parts]
    return b"".join(left for part, left in found if part == left or not _BARE.fullmatch(left))


def same_but_for_marks(old: bytes | None, new: bytes | None) -> bool:
    """Whether two texts of a configuration differ in nothing but marks: another run of the project makes one, too."""
    return without_marks(old or b"") == without_marks(new or b"")
