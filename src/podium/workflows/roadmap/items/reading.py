"""A parsed roadmap with cached answers to frequent questions; a text that the loop wrote itself
is not parsed again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from podium.core.digest import digest
from podium.formats.json_text import Way, parse
from podium.workflows.roadmap.items import research
from podium.workflows.roadmap.items.dependencies import Id
from podium.workflows.roadmap.items.items import Item, items_way, read_items

KEPT = 4
"""How many texts are remembered: one from before a write, one from after, and those of another
roadmap.
"""


@dataclass
class Reading:
    """The items of one text."""

    items: tuple[Item, ...]
    way: Way
    """The way to the array of items."""
    _shared: dict[str, str] = field(default_factory=dict)

    @cached_property
    def places(self) -> Mapping[Id, int]:
        return {each.id: place for place, each in enumerate(self.items)}

    @cached_property
    def ids(self) -> Mapping[str, Id]:
        """Each id as text to the id."""
        return {str(each): each for each in self.places}

    @cached_property
    def marks(self) -> Mapping[str, str]:
        """What each item's research was written for."""
        return research.marks(self.items)

    def shared(self, current: str) -> str:
        """The digest of everything people own, including the state of every item except the
        current one.
        """
        if current not in self._shared:
            plain = [
                _without_state(each) if str(each.id) == current else each for each in self.items
            ]
            self._shared[current] = digest(repr(plain))
        return self._shared[current]

    def after(self, changed: Mapping[Id, Item]) -> Reading:
        """The reading of the text that results when the loop writes its own fields of these
        items.
        """
        found = Reading(tuple(changed.get(each.id, each) for each in self.items), self.way)
        (only,) = changed if len(changed) == 1 else ("",)
        if str(only) in self._shared:
            found._shared[str(only)] = self._shared[str(only)]
        # The loop never changes ids, criteria or research.
        vars(found).update(
            {
                name: value
                for name, value in vars(self).items()
                if name in {"places", "ids", "marks"}
            }
        )
        return found


def _without_state(item: Item) -> Item:
    return replace(item, status="", passes=False, retry_count=0, reasons=())


_known: dict[tuple[str, str], Reading] = {}


def reading(text: str, path: str) -> Reading:
    """The parsed text; InputError lists every fault."""
    found = _known.get((text, path))
    if found is None:
        tree = parse(text, path)
        found = Reading(read_items(tree, path), items_way(tree.value, path))
        remember(text, path, found)
    return found


def remember(text: str, path: str, found: Reading) -> None:
    _known[text, path] = found
    while len(_known) > KEPT:
        del _known[next(iter(_known))]


def forget() -> None:
    """Forget every text, so that it is parsed again."""
    _known.clear()
