"""What a person changed in a roadmap, in words, from a comparison of two readings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from podium.core.natural import natural
from podium.documents import Table
from podium.workflows.roadmap.items.dependencies import Id, same_id
from podium.workflows.roadmap.items.items import Item, shown

_NAMES = {part.name: part.key for part in Table(Item).parts if part.name != "research"}
"""The members of an item and their names in the file, except planningResearch."""


@dataclass(frozen=True)
class Edits:
    """What differs, one sentence per change."""

    mine: tuple[str, ...] = ()
    """Of the item being worked on."""
    others: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.mine or self.others)


def changes_of(before: Sequence[Item], after: Sequence[Item], mine: Id | None = None) -> Edits:
    """The changes from one reading to the other, sorted naturally by the items' ids."""
    old, new = {item.id: item for item in before}, {item.id: item for item in after}
    own: list[str] = []
    others: list[str] = []
    for each in sorted({*old, *new}, key=natural):
        found = own if mine is not None and same_id(each, mine) else others
        if each not in new:
            found.append(f"item {each} was removed: {shown(old[each].title)}")
        elif each not in old:
            found.append(f"item {each} was added: {shown(new[each].title)}")
        else:
            found += [f"item {each}: {words}" for words in _differences(old[each], new[each])]
    kept = [
        [item.id for item in items if item.id in old and item.id in new]
        for items in (before, after)
    ]
    if kept[0] != kept[1]:
        others.append("the items stand in another order")
    return Edits(tuple(own), tuple(others))


def _differences(old: Item, new: Item) -> Iterator[str]:
    for member, name in _NAMES.items():
        yield from _difference(name, getattr(old, member), getattr(new, member))
    if old.research is None or new.research is None:
        if old.research != new.research:
            yield f"planningResearch: {_state(old.research)} -> {_state(new.research)}"
        return
    for part in old.research:
        yield from _difference(f"planningResearch.{part}", old.research[part], new.research[part])


def _difference(name: str, old: Any, new: Any) -> Iterator[str]:
    if old == new:
        return
    if not isinstance(old, tuple):
        yield f"{name}: {shown(old)} -> {shown(new)}"
        return
    gone = [each for each in dict.fromkeys(old) if each not in new]
    come = [each for each in dict.fromkeys(new) if each not in old]
    yield from (f"{name}: {shown(each)} removed" for each in gone)
    yield from (f"{name}: {shown(each)} added" for each in come)
    if not gone and not come:
        yield (
            f"{name}: in another order"
            if len(old) == len(new)
            else f"{name}: {len(old)} -> {len(new)} entries"
        )


def _state(research: Mapping[str, tuple[str, ...]] | None) -> str:
    return "null" if research is None else f"{sum(map(len, research.values()))} findings"
