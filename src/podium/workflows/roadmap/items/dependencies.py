"""Dependencies that can never be met: on unknown ids, on the item itself, in rings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

Id = int | str
"""All ids of one file are of one type."""


class Register:
    """The ids of a file, looked up by what was written where an id was meant."""

    def __init__(self, ids: Iterable[Id]) -> None:
        self._written: dict[str, Id] = {}
        for each in ids:
            self._written.setdefault(str(each), each)
        self._bare: dict[str, Id] = {}

    def near(self, id: Id) -> Id | None:
        """The same id, or one that differs only in type, case and punctuation."""
        found = self._written.get(str(id))
        if found is None:
            self._bare = self._bare or {
                _bare(each): each for each in reversed(self._written.values())
            }
            found = self._bare.get(_bare(id))
        return found

    def unmet(self, id: Id, dependencies: Iterable[Id]) -> Iterator[tuple[str, str]]:
        """Dependencies of one item that name no item, or the item itself: what, and the way out."""
        for each in dict.fromkeys(dependencies):
            near = self.near(each)
            if same_id(each, id):
                yield f"dependencies names the item itself, {each!r}", "take it out"
            elif near is None or not same_id(each, near):
                hint = "" if near is None or same_id(near, id) else f"; did you mean {near!r}?"
                what = f"dependencies names {each!r}, which is not an item"
                yield what, f"expected ids of items in this file{hint}"


def _bare(id: Id) -> str:
    return re.sub(r"[\W_]+", "", str(id)).casefold()


def same_id(one: Id, other: Id) -> bool:
    return type(one) is type(other) and one == other


def rings(waits: Mapping[Id, Sequence[Id]]) -> list[tuple[Id, ...]]:
    """Items that wait for each other in a ring; no item is in two rings, and waiting for itself is
    not a ring.

    Each ring begins with its first item in the file; rings are ordered by that item.
    """
    place = {name: number for number, name in enumerate(waits)}
    left = {
        name: [each for each in dict.fromkeys(deps) if each in place and each != name]
        for name, deps in waits.items()
    }
    found: list[tuple[Id, ...]] = []
    while left := _knotted(left):
        way: list[Id] = []
        seen: set[Id] = set()
        at = next(iter(left))
        while at not in seen:
            way.append(at)
            seen.add(at)
            at = left[at][0]
        ring = way[way.index(at) :]
        first = ring.index(min(ring, key=place.__getitem__))
        found.append((*ring[first:], *ring[:first]))
        inside = set(ring)
        left = {
            name: [each for each in deps if each not in inside]
            for name, deps in left.items()
            if name not in inside
        }
    return sorted(found, key=lambda ring: place[ring[0]])


def _knotted(waits: Mapping[Id, Sequence[Id]]) -> dict[Id, list[Id]]:
    """What remains after repeatedly removing every item that waits for nothing."""
    followers: dict[Id, list[Id]] = {name: [] for name in waits}
    count = {name: len(deps) for name, deps in waits.items()}
    for name, deps in waits.items():
        for each in deps:
            followers[each].append(name)
    free = [name for name, number in count.items() if not number]
    while free:
        for name in followers[free.pop()]:
            count[name] -= 1
            if not count[name]:
                free.append(name)
    return {
        name: [each for each in waits[name] if count[each]]
        for name, number in count.items()
        if number
    }
