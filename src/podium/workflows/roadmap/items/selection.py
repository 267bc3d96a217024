"""Which item comes next, or why none does; the order in the file does not matter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from podium.core.natural import natural
from podium.workflows.roadmap.items.dependencies import Id
from podium.workflows.roadmap.items.items import Item


@dataclass(frozen=True)
class Next:
    """The item to work on."""

    item: Item
    resumed: bool
    """Whether work on it had begun before."""


@dataclass(frozen=True)
class AllPass:
    """Nothing is left to do."""


@dataclass(frozen=True)
class Blocked:
    """Some items are blocked, and no other item can or may be started."""

    items: tuple[Item, ...]
    unreachable: tuple[Item, ...]
    """Items that depend on a blocked one, directly or indirectly."""


@dataclass(frozen=True)
class Hold:
    """One reason why one item cannot start."""

    item: Id
    dependency: Id | None
    """None if the item itself is skipped."""
    why: str


@dataclass(frozen=True)
class Deadlock:
    """Nothing can start, nothing is blocked, and not all items pass."""

    holds: tuple[Hold, ...]


Choice = Next | AllPass | Blocked | Deadlock


def choose(
    items: Sequence[Item], skip: frozenset[Id] = frozenset(), *, keep_going: bool = False
) -> Choice:
    """The next item: one left in progress, else the ready one with the lowest priority, then the
    lowest id.

    It must have all dependencies done and not be in `skip`. A blocked item stops everything; with
    `keep_going`, only the items that wait for it.
    """
    if all(item.passes for item in items):
        return AllPass()
    blocked = _sorted(item for item in items if item.status == "blocked")
    if blocked and not keep_going:
        return Blocked(blocked, unreachable(items, blocked))
    done = {item.id for item in items if item.status == "done"}
    free = [item for item in items if item.id not in skip and done.issuperset(item.dependencies)]
    if left := _sorted(item for item in free if item.status == "in_progress"):
        return Next(left[0], resumed=True)
    if ready := [item for item in free if item.status == "ready" and not item.passes]:
        return Next(min(ready, key=lambda item: (item.priority, natural(item.id))), resumed=False)
    if blocked:
        return Blocked(blocked, unreachable(items, blocked))
    return Deadlock(holds(items, skip))


def unreachable(items: Sequence[Item], blocked: Iterable[Item]) -> tuple[Item, ...]:
    """Items that wait for a blocked one, directly or indirectly, through unfinished items only."""
    return waiting_for([item for item in items if item.status not in {"done", "blocked"}], blocked)


def waiting_for(items: Iterable[Item], first: Iterable[Item]) -> tuple[Item, ...]:
    """Those of these items that wait for one of `first`, directly or through others of them."""
    waiting: dict[Id, list[Item]] = {}
    for item in items:
        for each in item.dependencies:
            waiting.setdefault(each, []).append(item)
    found: dict[Id, Item] = {}
    ends = [item.id for item in first]
    while ends:
        for item in waiting.get(ends.pop(), ()):
            if item.id not in found:
                found[item.id] = item
                ends.append(item.id)
    return _sorted(found.values())


def candidate(choice: Choice) -> str:
    """What the report says under `Next candidate`."""
    match choice:
        case Next(item):
            return f"{item.id} {item.title}"
        case AllPass():
            return "COMPLETE"
        case Blocked(items):
            return f"none: {', '.join(str(item.id) for item in items)} blocked"
        case Deadlock(holds):
            waiting = dict.fromkeys(str(hold.item) for hold in holds)
            return f"none: waiting for what cannot come: {', '.join(waiting)}"


def holds(items: Sequence[Item], skip: frozenset[Id] = frozenset()) -> tuple[Hold, ...]:
    """Which dependency holds back which item."""
    known = {item.id: item for item in items}
    found: list[Hold] = []
    for item in _sorted(item for item in items if item.status != "done"):
        if item.id in skip:
            found.append(Hold(item.id, None, "is left out of this call"))
        for each in sorted(set(item.dependencies), key=natural):
            why = _why(each, known)
            if why:
                found.append(Hold(item.id, each, why))
    return tuple(found)


def _why(id: Id, known: Mapping[Id, Item]) -> str:
    if id not in known:
        return "does not exist"
    status = known[id].status
    return "" if status == "done" else f"is {status}, not done"


def _sorted(items: Iterable[Item]) -> tuple[Item, ...]:
    return tuple(sorted(items, key=lambda item: natural(item.id)))
