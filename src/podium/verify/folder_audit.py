"""Which files of a view did the agent change? For views that are a plain folder of inputs."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from podium.core.digest import digest
from podium.core.globs import matches
from podium.state.inside import is_deep, listed
from podium.state.regular import read_regular


@dataclass(frozen=True)
class Stray:
    """One thing in a view that the contract does not allow."""

    path: str
    what: str
    """added, changed, deleted, symlink, special, oversize, deep …"""
    protected: bool = False


def walk(folder: str | Path) -> Iterator[tuple[str, os.stat_result]]:
    """Every file, link and device below the folder, in sorted order; links are never followed.

    A folder is listed only if it is too deep to enter.
    """
    todo = [""]
    while todo:
        below = todo.pop()
        for entry in listed(f"{folder}/{below}"):
            path = f"{below}/{entry.name}" if below else entry.name
            if entry.is_dir(follow_symlinks=False) and not is_deep(path):
                todo.append(path)
            else:
                yield path, entry.stat(follow_symlinks=False)


def strays(
    folder: Path, manifest: Mapping[str, str], outputs: frozenset[str], patterns: Sequence[str] = ()
) -> list[Stray]:
    """What differs from the manifest (path to digest) apart from the promised outputs and paths
    that match `patterns`.
    """
    found: list[Stray] = []
    seen: set[str] = set()
    root = os.fspath(folder)
    for path, facts in walk(root):
        seen.add(path)
        if stat.S_ISDIR(facts.st_mode):
            found.append(Stray(path, "deep"))
            continue
        if path in outputs or (patterns and matches(path, patterns)):
            continue
        if stat.S_ISLNK(facts.st_mode):
            found.append(Stray(path, "symlink", path in manifest))
        elif not stat.S_ISREG(facts.st_mode):
            found.append(Stray(path, "special", path in manifest))
        elif path not in manifest:
            found.append(Stray(path, "added"))
        elif changed(f"{root}/{path}", facts, manifest[path]):
            found.append(Stray(path, "changed", protected=True))
    found += [
        Stray(path, "deleted", protected=True)
        for path in manifest
        if path not in seen and path not in outputs
    ]
    return sorted(found, key=lambda each: each.path)


def changed(where: str, facts: os.stat_result, was: str) -> bool:
    if facts.st_size > 50_000_000:
        return True
    data = read_regular(where)
    return data is None or digest(data) != was
