"""Which item comes next, or why none does; the order of the file does not count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from podium.core.dataclass import dataclass
from podium.workflows.roadmap.items.dependencies import Id
from podium.workflows.roadmap.items.items import Item, natural


@dataclass(frozen=True)
class Next:
    """The item to work on."""

    item: Item
    resumed: bool
    """Whether it was taken up before and left."""


@dataclass(frozen=True)
class AllPass:
    """Nothing is left to do."""


@dataclass(frozen=True)
class Blocked:
    """Blocked items stand, and what is left waits for them or is not to be begun."""

    items: tuple[Item, ...]
    unreachable: tuple[Item, ...]
    """What cannot be reached any more because of them, over any number of dependencies."""


@dataclass(frozen=True)
class Hold:
    """One reason why one item cannot be begun."""

    item: Id
    dependency: Id | None
    """None where the item itself is left out."""
    why: str


@dataclass(frozen=True)
class Deadlock:
    """Nothing can be begun, nothing is blocked, and not all items pass."""

    holds: tuple[Hold, ...]


Choice = Next | AllPass | Blocked | Deadlock


def choose(items: Sequence[Item], skip: frozenset[Id] = frozenset(), *, keep_going: bool = False) -> Choice:
    """The next item: one that was left in progress, else the lowest priority and then the lowest id.

    Both need all their dependencies done, and neither may be in `skip`. A blocked item
    stops everything unless `keep_going`; then only what waits for it is out.
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
    """What waits for a blocked item, directly or not; a finished item holds nothing back."""
    return waiting_for([item for item in items if item.status not in {"done", "blocked"}], blocked)


def waiting_for(items: Iterable[Item], first: Iterable[Item]) -> tuple[Item, ...]:
    """Of these items, what waits for one of the first ones, directly or over others of them."""
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


def next_after(
    items: Sequence[Item], skip: frozenset[Id] = frozenset(), *, keep_going: bool = False
) -> Item | None:
    """The next candidate for the report; none where all pass or nothing can be begun."""
    found = choose(items, skip, keep_going=keep_going)
    return found.item if isinstance(found, Next) else None


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
    """Which dependency holds which item."""
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
