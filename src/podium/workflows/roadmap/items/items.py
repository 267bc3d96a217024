"""The items of a roadmap: read from the file, with every fault reported at once.

The file is an object with an array `items`, or the bare array. Other members, of the object or of
an item, belong to the author; the loop does not read them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from podium.core.digest import digest
from podium.core.errors import Fault, InputError
from podium.core.keys import component
from podium.core.nearest import nearest
from podium.formats.json_text import Tree, Way
from podium.workflows.roadmap.items.dependencies import Id
from podium.workflows.roadmap.items.faults import faults
from podium.workflows.roadmap.items.fields import shown

LONGEST_KEY = 100


@dataclass(frozen=True)
class Item:
    """One piece of work, as the file has it."""

    id: Id
    title: str
    priority: int | float
    complexity: str
    status: str
    passes: bool
    owner_agent: str
    dependencies: tuple[Id, ...]
    criteria: tuple[str, ...]
    verification: tuple[str, ...]
    retry_count: int
    research: Mapping[str, tuple[str, ...]] | None = field(hash=False)
    reasons: tuple[str, ...] = ()
    """Why it is blocked, or why it was the last time."""


def item_key(id: Id) -> str:
    """The item's part of a step's key; a long id is cut and made unique with its digest."""
    name = component(str(id))
    if len(name) <= LONGEST_KEY:
        return name
    return f"{name[: LONGEST_KEY - 13]}-{digest(str(id)).partition(':')[2][:12]}"


def items_way(value: Any, path: str) -> Way:
    """The way to the array of items; InputError if there is none."""
    if isinstance(value, list):
        return ()
    mend = "expected an object with an array 'items', or the array itself"
    if not isinstance(value, dict):
        raise InputError(Fault(path, f"the roadmap is {shown(value)}", mend))
    if "items" not in value:
        near = nearest("items", list(value))
        raise InputError(
            Fault(path, "items is missing", mend + (f"; is {near!r} meant?" if near else ""))
        )
    if not isinstance(value["items"], list):
        raise InputError(Fault(path, f"items is {shown(value['items'])}", mend))
    return ("items",)


def members_of(value: Any, path: str) -> Sequence[Any]:
    """The array of items as plain data."""
    found: Sequence[Any] = value["items"] if items_way(value, path) else value
    return found


def read_items(source: Any, path: str) -> tuple[Item, ...]:
    """The items of a tree, or of its plain value; InputError lists every fault."""
    value = source.value if isinstance(source, Tree) else source
    way, members = items_way(value, path), members_of(value, path)
    found = faults(members, "items" if way else "")
    if found:
        raise InputError(
            Fault(_where(source, path, (*way, each.place, each.field)), each.what, each.mend)
            for each in found
        )
    return tuple(map(_item, members))


def _where(source: Any, path: str, way: Way) -> str:
    return f"{path}:{source.line(way)}" if isinstance(source, Tree) else path


def _item(members: Mapping[str, Any]) -> Item:
    research = members["planningResearch"]
    return Item(
        id=members["id"],
        title=members["title"],
        priority=members["priority"],
        complexity=members["complexity"],
        status=members["status"],
        passes=members["passes"],
        owner_agent=members["ownerAgent"],
        dependencies=tuple(members["dependencies"]),
        criteria=tuple(members["acceptanceCriteria"]),
        verification=tuple(members["verification"]),
        retry_count=members["retryCount"],
        research=None
        if research is None
        else {name: tuple(texts) for name, texts in research.items()},
        reasons=tuple(members.get("blockedReasons", ())),
    )
