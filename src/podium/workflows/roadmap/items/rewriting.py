"""The loop's own fields are written back into the roadmap; every other byte stays.

The loop owns `status`, `passes`, `retryCount` and `blockedReasons`, which it adds when it blocks an
item. A person who sets a blocked item to ready may leave the reasons: they stay as a record until
work on the item starts again, which empties the list. The field itself is never removed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from podium.core.errors import Fault, InputError
from podium.workflows.roadmap.items.dependencies import Id
from podium.workflows.roadmap.items.items import ROADMAP, STATUSES, Item, shown
from podium.workflows.roadmap.items.reading import members_of, reading

LOOP_FIELDS = ("status", "passes", "retryCount", "blockedReasons")


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
    items = {each.id: each for each in found.items}
    gone = [each for each in owned if each not in items]
    if gone:
        remedy = "expected one item with this id; restore the file or fix it"
        raise InputError(
            Fault(path, f"item {shown(each)} is not there any more", remedy) for each in gone
        )
    if not owned:
        return text
    changes = [{"id": each, **_fields(items[each], said)} for each, said in owned.items()]
    wanted: Any = {"items": changes} if isinstance(found.data, dict) else changes
    return ROADMAP.update(text, wanted, path)


def _fields(before: Item, owned: Owned) -> dict[str, Any]:
    reasons = before.reasons if owned.status in {"ready", "done"} else ()
    if owned.status == "blocked":
        # Reasons quote agents; half of a surrogate pair could not be written to the file.
        reasons = tuple(each.encode(errors="replace").decode() for each in owned.reasons)
    fields: dict[str, Any] = {
        "status": owned.status,
        "passes": owned.passes,
        "retryCount": owned.retry_count,
    }
    if owned.status == "blocked" or reasons != before.reasons:
        fields["blockedReasons"] = list(reasons)
    return fields


def loops_part(path: str, committed: str, text: str) -> str:
    """The committed text with the loop's own fields as another text has them."""
    was, now = reading(committed, path), reading(text, path)
    if _unowned(was.data) == _unowned(now.data):
        return text
    before = {each.id: _owned_of(each) for each in was.items}
    owned = {
        each.id: Owned(*_owned_of(each))
        for each in now.items
        if each.id in before and before[each.id] != _owned_of(each)
    }
    return rewritten(committed, path, owned)


def _owned_of(item: Item) -> tuple[str, bool, int, tuple[str, ...]]:
    return item.status, item.passes, item.retry_count, item.reasons


def _unowned(data: Any) -> Any:
    """The data without the loop's fields."""
    items = [
        {name: value for name, value in item.items() if name not in LOOP_FIELDS}
        for item in members_of(data)
    ]
    return {**data, "items": items} if isinstance(data, dict) else items
