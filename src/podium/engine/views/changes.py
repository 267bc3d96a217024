"""What a program changed in a layered view, read from the upper folder alone: cost grows with the
change.

A path whose content, kind and mode are what they were is no change; the kernel also copies up what
was merely touched. Read it once every process of the view has ended.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from podium.engine.views.files import opened
from podium.engine.views.layers import (
    Entry,
    entry,
    is_opaque,
    is_whiteout,
    listed,
    names,
    open_to_us,
    walk,
)
from podium.state.inside import is_deep

_PIECE = 1 << 18


class Change(NamedTuple):
    """One path that may differ from what it was."""

    path: str
    after: Entry | None
    """What is there now; None: nothing."""


class _Folder(NamedTuple):
    """A folder of the upper layer that is still to be compared."""

    place: str
    below: tuple[str, ...]
    """The same folder in the layers below, top first."""
    under: str
    """Its path with a slash, or nothing."""
    anew: bool
    """Whether it, or a folder it is in, was made again, so that what the stack has here and it
    has not is gone.
    """


def changes(
    upper: str, below: Sequence[str], *, skipped: Collection[str] = (), touched: bool = False
) -> list[Change]:
    """Every path that differs, folders included; nothing at or below the skipped paths.

    `touched`: also files that were written with the content they had.
    """
    result: list[Change] = []
    left = [_Folder(upper, tuple(below), "", anew=False)]
    while left:
        folder = left.pop()
        open_to_us(folder.place)
        present = [item.name for item in listed(folder.place)]
        for name in present:
            if f"{folder.under}{name}" not in skipped:
                left += _compare(folder, name, result, skipped, touched=touched)
        for name in set(names(folder.below)).difference(present) if folder.anew else ():
            path, lower = f"{folder.under}{name}", entry(folder.below, name)
            if lower is not None and path not in skipped:
                result += _gone(path, lower, skipped)
    return result


def _compare(
    folder: _Folder, name: str, result: list[Change], skipped: Collection[str], *, touched: bool
) -> Sequence[_Folder]:
    """Add what changed at one name; returns the folder to look into, if it is one."""
    place, path = f"{folder.place}/{name}", f"{folder.under}{name}"
    facts, before = os.lstat(place), entry(folder.below, name)
    if is_whiteout(facts):
        result += _gone(path, before, skipped) if before is not None else ()
        return ()
    after = Entry(place, facts, (place,) if stat.S_ISDIR(facts.st_mode) else ())
    if after.is_folder:
        merged = before.folders if before is not None else ()
        if not merged or is_deep(path):
            result.append(Change(path, after))
        if is_deep(path):
            return ()  # reported as it is: no path can name what is in it
        anew = bool(merged) and (folder.anew or is_opaque(place))
        return (_Folder(place, merged, f"{path}/", anew=anew),)
    if before is None or before.is_folder or touched or not _same(before, after):
        result.append(Change(path, after))
        result += _inside(path, before, skipped) if before is not None else ()
    return ()


def _gone(path: str, before: Entry, skipped: Collection[str]) -> Iterator[Change]:
    yield Change(path, None)
    yield from _inside(path, before, skipped)


def _inside(path: str, before: Entry, skipped: Collection[str]) -> Iterator[Change]:
    for inner, _ in walk(before.folders, f"{path}/", skipped):
        yield Change(inner, None)


def _same(before: Entry, after: Entry) -> bool:
    mode, other = before.facts.st_mode, after.facts.st_mode
    if stat.S_IFMT(mode) != stat.S_IFMT(other):
        return False
    if stat.S_ISLNK(mode):
        return os.readlink(before.place) == os.readlink(after.place)
    if not stat.S_ISREG(mode):
        return before.facts.st_rdev == after.facts.st_rdev
    same = mode == other and before.facts.st_size == after.facts.st_size
    return same and _same_bytes(before.place, after.place)


def _same_bytes(one: str, other: str) -> bool:
    first, second = opened(one), opened(other)
    try:
        while (piece := os.read(first, _PIECE)) == os.read(second, _PIECE):
            if not piece:
                return True
        return False
    finally:
        os.close(first)
        os.close(second)
