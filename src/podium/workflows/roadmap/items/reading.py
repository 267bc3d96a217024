"""A parsed roadmap with answers to frequent questions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

from podium.core.digest import digest
from podium.workflows.roadmap.items import research
from podium.workflows.roadmap.items.dependencies import Id
from podium.workflows.roadmap.items.items import ROADMAP, Container, Item


@dataclass(frozen=True)
class Reading:
    """The items of one text."""

    items: tuple[Item, ...]
    data: Any
    """The whole file as plain data."""

    @cached_property
    def ids(self) -> Mapping[str, Id]:
        """Each id as text to the id."""
        return {str(each.id): each.id for each in self.items}

    @cached_property
    def marks(self) -> Mapping[str, str]:
        """What each item's research was written for."""
        return research.marks(self.items)

    def shared(self, current: str) -> str:
        """The digest of everything people own, including the state of every item except the
        current one.
        """
        plain = [_without_state(each) if str(each.id) == current else each for each in self.items]
        return digest(repr(plain))


def _without_state(item: Item) -> Item:
    return replace(item, status="ready", passes=False, retry_count=0, reasons=())


@lru_cache(maxsize=4)  # before a write and after it, and those of another roadmap
def reading(text: str, path: str) -> Reading:
    """The parsed text; InputError lists every fault."""
    found = ROADMAP.read(text, path)
    value = found.sound()
    return Reading(value.items if isinstance(value, Container) else value, found.data)


def members_of(data: Any) -> list[Any]:
    """The array of items in the plain data of a sound file."""
    items: list[Any] = data["items"] if isinstance(data, dict) else data
    return items
