"""What may run side by side: layers of a dependency graph, and batches that share no file.

Items keep the order given: a plan's author numbers the work, and the same plan must always
give the same waves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations


@dataclass(frozen=True)
class Cycle:
    """Items that wait for each other, each for the next and the last for the first."""

    ids: tuple[str, ...]

    def __str__(self) -> str:
        return " waits for ".join((*self.ids, self.ids[0]))


@dataclass(frozen=True)
class Unknown:
    """An item that waits for something that is not there."""

    id: str
    dep: str

    def __str__(self) -> str:
        return f"{self.id} waits for {self.dep}, which does not exist"


def waves(
    items: Mapping[str, Sequence[str]], limit: int | None = None
) -> list[list[str]] | Cycle | Unknown:
    """Layers in which no item waits for another of its layer, none larger than `limit`."""
    _require(limit)
    for name, deps in items.items():
        for dep in deps:
            if dep not in items:
                return Unknown(name, dep)
    layers: list[list[str]] = []
    waiting = dict(items)
    while waiting:
        ready = [name for name, deps in waiting.items() if not any(dep in waiting for dep in deps)]
        if not ready:
            return _cycle(waiting)
        layers.extend(_split(ready, limit))
        for name in ready:
            del waiting[name]
    return layers


def _cycle(waiting: Mapping[str, Sequence[str]]) -> Cycle:
    """Everything left waits for something that is left, so following the dependencies must lead
    to a cycle.
    """
    way: list[str] = []
    at = next(iter(waiting))
    while at not in way:
        way.append(at)
        at = next(dep for dep in waiting[at] if dep in waiting)
    ring = way[way.index(at) :]
    order = {name: place for place, name in enumerate(waiting)}
    first = ring.index(min(ring, key=order.__getitem__))
    return Cycle((*ring[first:], *ring[:first]))


def _split(ready: Sequence[str], limit: int | None) -> Iterator[list[str]]:
    size = limit or len(ready)
    for begin in range(0, len(ready), size):
        yield list(ready[begin : begin + size])


def _require(limit: int | None) -> None:
    if limit is not None and limit < 1:
        raise ValueError(f"limit is {limit}; it must be 1 or more")


def conflicts(files: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    """Pairs of items whose patterns can match the same file.

    In doubt they conflict: a false conflict costs time, a missed one costs work. An item
    that names no file conflicts with none; use `**` for one that may touch anything.
    """
    read = {name: tuple(map(_normal, patterns)) for name, patterns in files.items()}
    return [
        (one, other)
        for one, other in combinations(read, 2)
        if any(_overlap(mine, theirs) for mine in read[one] for theirs in read[other])
    ]


def batches(
    ids: Sequence[str], files: Mapping[str, Sequence[str]], limit: int | None = None
) -> list[list[str]]:
    """The ids in batches without conflicts inside; of two that conflict, the one given first
    runs first.
    """
    _require(limit)
    clash: dict[str, set[str]] = {name: set() for name in ids}
    for one, other in conflicts({name: files.get(name, ()) for name in ids}):
        clash[one].add(other)
        clash[other].add(one)
    found: list[list[str]] = []
    place: dict[str, int] = {}
    for name in ids:
        at = max((place[other] + 1 for other in clash[name] if other in place), default=0)
        while at < len(found) and limit is not None and len(found[at]) >= limit:
            at += 1
        if at == len(found):
            found.append([])
        found[at].append(name)
        place[name] = at
    return found


_ACROSS = "\0"
"""One character for `**`, which crosses folders; a single star does not."""


def _normal(pattern: str) -> str:
    """A pattern as `core.globs` reads it, in one spelling, and wider where tools and file systems
    differ.

    Case is ignored, brackets and braces match anything, and `..` leads anywhere.
    """
    parts = [part for part in pattern.strip().casefold().split("/") if part not in {"", "."}]
    if ".." in parts or not parts:
        return _ACROSS
    plain = re.sub(r"\{[^}]*\}", "**", "/".join(parts))
    plain = re.sub(r"\[[^\]/]+\]", "*", plain)
    # `**/x` also matches `x` itself, so the slash goes with the stars.
    return re.sub(r"\*\*+/?", _ACROSS, plain)


def _overlap(one: str, other: str) -> bool:
    """A path may be a file or a folder, so each pattern also matches everything below it."""
    return _meet(one, other) or _meet(f"{one}/{_ACROSS}", other) or _meet(one, f"{other}/{_ACROSS}")


def _meet(one: str, other: str) -> bool:
    """Whether some text matches both patterns."""
    if not _may_meet(one, other):
        return False
    # ends[j]: what was read of `one` and the first j characters of `other` can match the same text.
    ends = [True, *(False for _ in other)]
    for j, sign in enumerate(other, 1):
        ends[j] = ends[j - 1] and sign in _STARS
    for mine in one:
        before = ends
        ends = [before[0] and mine in _STARS, *(False for _ in other)]
        for j, sign in enumerate(other, 1):
            ends[j] = (
                (mine in _STARS and (before[j] or (ends[j - 1] and _fits(mine, sign))))
                or (sign in _STARS and (ends[j - 1] or (before[j] and _fits(sign, mine))))
                or (
                    mine not in _STARS
                    and sign not in _STARS
                    and before[j - 1]
                    and _same(mine, sign)
                )
            )
    return ends[-1]


_STARS = frozenset({"*", _ACROSS})


def _fits(star: str, sign: str) -> bool:
    """Whether a star can take in one more character."""
    return star == _ACROSS or sign != "/"


def _same(mine: str, sign: str) -> bool:
    return mine == sign or ("?" in {mine, sign} and "/" not in {mine, sign})


def _may_meet(one: str, other: str) -> bool:
    """Different letters before the first wildcard rule out a common text; most pairs end here."""
    mine, theirs = (re.split(r"[*?\0]", each, maxsplit=1)[0] for each in (one, other))
    return mine.startswith(theirs) or theirs.startswith(mine)
