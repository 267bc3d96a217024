"""The loop's own fields written back into the roadmap; every other byte stays.

The loop owns `status`, `passes` and `retryCount`, and `blockedReasons`, which it adds to an
item when it blocks it. A person who sets a blocked item to ready may leave the reasons: they
stay as a record until the item is taken up again, which empties them. They are never removed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from podium.core.errors import Fault, InputError
from podium.formats.json_text import Way, parse
from podium.workflows.roadmap.dependencies import Id, same_id
from podium.workflows.roadmap.item_edits import Edits, changes_of
from podium.workflows.roadmap.item_fields import STATUSES, shown
from podium.workflows.roadmap.items import Item, items_way, members_of

__all__ = ["Edits", "Owned", "changes_of", "owned_by", "rewritten"]


@dataclass(frozen=True)
class Owned:
    """What the loop says about one item."""

    status: str
    passes: bool
    retry_count: int
    reasons: tuple[str, ...] = ()
    """Why it is blocked; of no effect with any other status."""

    def __post_init__(self) -> None:
        if self.status not in STATUSES or self.passes != (self.status == "done") or self.retry_count < 0:
            raise ValueError(
                f"an item cannot be {self.status} with passes={self.passes}, retryCount={self.retry_count}"
            )


def owned_by(item: Item) -> Owned:
    """The fields as they stand."""
    return Owned(item.status, item.passes, item.retry_count, item.reasons)


def rewritten(text: str, path: str, owned: Mapping[Id, Owned]) -> str:
    """The text with these fields; InputError where an item is not there any more, or twice."""
    tree = parse(text, path)
    way, members = items_way(tree.value, path), members_of(tree.value, path)
    changes: dict[Way, Any] = {}
    faults: list[Fault] = []
    for item, fields in owned.items():
        places = [
            place
            for place, each in enumerate(members)
            if isinstance(each, dict) and "id" in each and same_id(each["id"], item)
        ]
        if len(places) != 1:
            what = (
                f"item {shown(item)} stands there twice"
                if places
                else f"item {shown(item)} is not there any more"
            )
            faults.append(Fault(path, what, "expected one item with this id; put the file back or mend it"))
            continue
        for name, value in _fields(fields, "blockedReasons" in members[places[0]]).items():
            changes[*way, places[0], name] = value
    if faults:
        raise InputError(faults)
    return tree.edited(changes)


def _fields(owned: Owned, has_reasons: bool) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "status": owned.status,
        "passes": owned.passes,
        "retryCount": owned.retry_count,
    }
    if owned.status == "blocked":
        fields["blockedReasons"] = [_sound(reason) for reason in owned.reasons]
    elif owned.status == "in_progress" and has_reasons:
        fields["blockedReasons"] = []
    return fields


def _sound(text: str) -> str:
    """Reasons hold what agents said; half of a surrogate pair could not be written at all."""
    return text.encode(errors="replace").decode()
