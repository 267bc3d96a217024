"""The difference between two trees: as a patch that `git apply` takes, and in numbers."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from podium.engine.git.git import SETTINGS, Git, split

PATCH_BYTES = 20 * 1024 * 1024
_DIFF = (
    "-p",
    "--binary",
    "--full-index",
    "--no-renames",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--src-prefix=a/",
    "--dst-prefix=b/",
)


def patch_between(
    git: Git,
    old: str,
    new: str,
    *,
    paths: Sequence[str] = (),
    notes: Sequence[str] = (),
    max_bytes: int = PATCH_BYTES,
) -> bytes:
    """The patch, only of these paths if any are named; `notes` are lines at its top."""
    only = ("--", *(f":(literal){path}" for path in paths)) if paths else ()
    diff = _compare(git, *_DIFF, old, new, *only)
    lines = list(notes)
    if len(diff) > max_bytes:
        lines.append(
            f"# Podium: the patch has {len(diff)} bytes; only the first {max_bytes} are here"
        )
    return "".join(f"{line}\n" for line in lines).encode(errors="replace") + diff[:max_bytes]


def lines_between(git: Git, old: str, new: str) -> dict[str, tuple[int | None, int | None]]:
    """Path to the numbers of lines added and removed; None for what is no text."""
    found = {}
    for row in split(_compare(git, "--numstat", "-z", "--no-renames", old, new)):
        added, removed, path = row.split("\t", 2)
        found[path] = (_number(added), _number(removed))
    return found


def _number(text: str) -> int | None:
    return int(text) if text.isdecimal() else None


def _compare(git: Git, *words: str) -> bytes:
    """Attributes could declare a text binary, and readers would not see it. Without a work tree
    and an index no attributes of the project apply; git before 2.41 has no option for that.
    """
    with tempfile.TemporaryDirectory(prefix="podium-patch-") as empty:
        plain = git.at(work_tree=Path(empty), index=Path(empty, "none"))
        return plain.run(
            "diff-tree",
            "-r",
            *words,
            env={"GIT_ATTR_NOSYSTEM": "1"},
            settings=(*SETTINGS, "core.attributesFile=/dev/null"),
        )
