"""Times of files as build tools compare them with what they built.

A layer of a tree keeps the times of when it was made. What the person built since may be younger
than a file that it was not built from, and make or cargo would take the one for made of the other.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Sequence

from podium.engine.git.git import Git
from podium.engine.git.trees import entries
from podium.engine.views.files import opened
from podium.engine.views.layers import listed, lookup, put
from podium.project.dependencies import Item

LARGEST = 100_000_000
"""Bytes of a file whose content is compared; a larger one has the time of its layer."""
_TIMELESS = frozenset(
    {"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".coverage"}
    | {".import_linter_cache", "htmlcov", "coverage", ".nyc_output", ".tap", ".eslintcache"}
    | {".DS_Store", ".idea", ".vscode", "log", "logs", "tmp", "temp"}
)


def built(dependencies: Iterable[Item]) -> bool:
    """Whether something among these can be older or younger than what it was built from."""
    return any(
        item.role not in {"installed", "secret"}
        and item.path.rstrip("/").rpartition("/")[2] not in _TIMELESS
        and not item.path.rstrip("/").endswith((".egg-info", ".dist-info", ".log"))
        for item in dependencies
    )


def renew(git: Git, tree: str, own: str, layers: Sequence[str], below: Sequence[str]) -> None:
    """Put files into a view's own layer whose times would deceive: what is as in the checkout gets
    its time, and everything else is new. `layers`: those of the tree; `below`: all of the view's.
    """
    made_ns = os.lstat(f"{layers[-1]}/../boot").st_mtime_ns
    later = {path for layer in layers[:-1] for path in _files(layer)}
    for path, (mode, _) in entries(git, tree).items():
        if not mode.startswith("100"):
            continue
        theirs = _regular(git.work_tree / path)
        if path not in later and theirs is not None and theirs.st_mtime_ns < made_ns:
            continue
        shown = lookup(below, path)
        if shown is None or not stat.S_ISREG(shown.facts.st_mode):
            continue
        if shown.facts.st_size > LARGEST:
            continue
        with os.fdopen(opened(shown.place), "rb") as file:
            data = file.read()
        same = theirs is not None and _has(git.work_tree / path, theirs, data)
        if same and theirs is not None and theirs.st_mtime_ns == shown.facts.st_mtime_ns:
            continue
        put(own, path, data, stat.S_IMODE(shown.facts.st_mode), below)
        if same and theirs is not None:
            os.utime(f"{own}/{path}", ns=(theirs.st_mtime_ns, theirs.st_mtime_ns))


def _files(layer: str) -> Iterable[str]:
    left = [(layer, "")]
    while left:
        folder, under = left.pop()
        for item in listed(folder):
            if item.is_dir(follow_symlinks=False):
                left.append((item.path, f"{under}{item.name}/"))
            else:
                yield f"{under}{item.name}"


def _regular(place: os.PathLike[str]) -> os.stat_result | None:
    try:
        facts = os.lstat(place)
    except OSError:
        return None
    return facts if stat.S_ISREG(facts.st_mode) else None


def _has(place: os.PathLike[str], facts: os.stat_result, data: bytes) -> bool:
    """Whether a file of the checkout has this content."""
    if facts.st_size != len(data):
        return False
    try:
        with os.fdopen(os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "rb") as file:
            return file.read() == data
    except OSError:
        return False
