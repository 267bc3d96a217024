"""The loop's own fields are written back into the roadmap; every other byte stays.

The loop owns `status`, `passes`, `retryCount` and `blockedReasons`, which it adds when it blocks an
item. A person who sets a blocked item to ready may leave the reasons: they stay as a record until
work on the item starts again, which empties the list. The field itself is never removed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from podium.core.errors import Fault, InputError
from podium.formats.json_text import Tree, Way
from podium.workflows.roadmap.items.dependencies import Id
from podium.workflows.roadmap.items.fields import STATUSES, shown
from podium.workflows.roadmap.items.items import Item
from podium.workflows.roadmap.items.reading import reading, remember

__all__ = ["Owned", "loops_part", "rewritten"]


@dataclass(frozen=True)
class Owned:
    """What the loop says about one item."""

    status: str
    passes: bool
    retry_count: int
    reasons: tuple[str, ...] = ()
    """Why it is blocked; ignored with any other status."""

    def __post_init__(self) -> None:
        if (
            self.status not in STATUSES
            or self.passes != (self.status == "done")
            or self.retry_count < 0
        ):
            raise ValueError(
                f"an item cannot be {self.status} with passes={self.passes}, "
                f"retryCount={self.retry_count}"
            )


def rewritten(text: str, path: str, owned: Mapping[Id, Owned]) -> str:
    """The text with these fields; InputError if an item is no longer there."""
    found = reading(text, path)
    gone = [each for each in owned if each not in found.places]
    if gone:
        mend = "expected one item with this id; restore the file or fix it"
        raise InputError(
            Fault(path, f"item {shown(each)} is not there any more", mend) for each in gone
        )
    changes: dict[Way, Any] = {}
    items: dict[Id, Item] = {}
    for each, said in owned.items():
        place = found.places[each]
        items[each] = _said(found.items[place], said)
        changes |= {
            (*found.way, place, name): value
            for name, value in _fields(found.items[place], items[each]).items()
        }
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    # Only positions in the text are needed here; its value has been read already.
    after = Tree(None, text[len(mark) :], mark).edited(changes)
    if after != text:
        remember(after, path, found.after(items))
    return after


def _said(item: Item, owned: Owned) -> Item:
    """The item after the loop's fields are applied."""
    reasons = item.reasons if owned.status in {"ready", "done"} else ()
    if owned.status == "blocked":
        # Reasons quote agents; half of a surrogate pair could not be written to the file.
        reasons = tuple(each.encode(errors="replace").decode() for each in owned.reasons)
    return replace(
        item,
        status=owned.status,
        passes=owned.passes,
        retry_count=owned.retry_count,
        reasons=reasons,
    )


def _fields(before: Item, now: Item) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "status": now.status,
        "passes": now.passes,
        "retryCount": now.retry_count,
    }
    if now.status == "blocked" or now.reasons != before.reasons:
        fields["blockedReasons"] = list(now.reasons)
    return fields


def loops_part(path: str, committed: str, text: str) -> str:
    """The committed text with the loop's own fields as another text has them."""
    was, now = reading(committed, path), reading(text, path)
    if _unowned(committed, was.way) == _unowned(text, now.way):
        return text
    owned = {
        each.id: Owned(each.status, each.passes, each.retry_count, each.reasons)
        for each in now.items
        if each.id in was.places and _owned_of(was.items[was.places[each.id]]) != _owned_of(each)
    }
    return rewritten(committed, path, owned) if owned else committed


def _owned_of(item: Item) -> tuple[str, bool, int, tuple[str, ...]]:
    return item.status, item.passes, item.retry_count, item.reasons


def _unowned(text: str, way: Way) -> Any:
    """The value without the loop's fields."""
    whole = inner = json.loads(text.removeprefix("\ufeff"))
    for part in way:
        inner = inner[part]
    for item in inner:
        for name in ("status", "passes", "retryCount", "blockedReasons"):
            item.pop(name, None)
    return whole
