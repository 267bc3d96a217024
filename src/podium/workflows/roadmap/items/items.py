"""`roadmap.json`: the items of a roadmap, declared.

The file is an object with an array `items`, or the bare array. Other members, of the object or of
an item, belong to the author; the loop does not read them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from podium.core.digest import digest
from podium.core.keys import component
from podium.core.waves import Cycle
from podium.documents import (
    Document,
    Either,
    Issue,
    Many,
    Maybe,
    Named,
    Number,
    Table,
    Text,
    Word,
    part,
    record,
)
from podium.documents.issues import Path, spelled
from podium.workflows.roadmap.items.dependencies import Id, Register, rings

LONGEST_KEY = 100
RESEARCH = ("patterns", "constraints", "risks", "fileLocations", "openDecisions")
COMPLEXITIES = ("simple", "medium", "complex")
STATUSES = ("ready", "in_progress", "blocked", "done")
_BREAKS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def _line_fault(text: str) -> str:
    """Ids, titles and owners appear inside lines of reports; a line break in one could forge
    another line.
    """
    return "is not one line of text" if _BREAKS.search(text) else ""


def _id_fault(text: str) -> str:
    return _line_fault(text) or ("has space around it" if text != text.strip() else "")


_LINE = Text(refuse=_line_fault)
_ID = Either(Number(least=None), Text(refuse=_id_fault, like="US-7"))
_STRINGS = Many(Text(empty=True))


@record()
class Item:
    """One piece of work, as the file has it."""

    id: Id = part(value=_ID, identity=True, default="", always=True, like="US-1")
    title: str = part(value=_LINE)
    priority: int | float = part(value=Number(least=None, whole=False), like=1)
    complexity: str = part(value=Word(COMPLEXITIES))
    status: str = part(value=Word(STATUSES))
    passes: bool
    owner_agent: str = part(value=_LINE, key="ownerAgent", like="implement")
    dependencies: tuple[Id, ...] = part(value=Many(_ID), like=[])
    criteria: tuple[str, ...] = part(value=Many(Text(), least=1), key="acceptanceCriteria")
    verification: tuple[str, ...] = part(value=Many(Text()), like=[])
    retry_count: int = part(key="retryCount")
    research: Mapping[str, tuple[str, ...]] | None = part(
        value=Maybe(Named(_STRINGS, closed=RESEARCH)), key="planningResearch"
    )
    reasons: tuple[str, ...] = part(value=_STRINGS, key="blockedReasons", default=(), program=True)
    """Why it is blocked, or why it was the last time."""


@record()
class Container:
    items: tuple[Item, ...]


def _whole(value: Container | tuple[Item, ...]) -> Iterator[Issue]:
    """Each item's state, and the ids and dependencies of all items together."""
    way: Path = ("items",) if isinstance(value, Container) else ()
    items = value.items if isinstance(value, Container) else value
    places: dict[str, int] = {}
    for at, item in enumerate(items):
        if item.id != "":  # else it is missing or faulty
            places.setdefault(str(item.id), at)
    firsts = [items[at] for at in places.values()]
    known = Register(item.id for item in firsts)
    for at, item in enumerate(items):
        if item.id == "":
            continue
        here, name = (*way, at), f"item {item.id}"
        if (item.status == "done") != item.passes:
            what = f"status is {shown(item.status)} although passes is {shown(item.passes)}"
            remedy = "passes true with status done, false with every other status"
            yield Issue((*here, "status"), f"{name}: {what}", remedy, [(*here, "passes")])
        if type(item.id) is not type(firsts[0].id):
            kinds = ("a text", "a number") if isinstance(item.id, str) else ("a number", "a text")
            what = "id is {}, the id of the first item is {}".format(*kinds)
            yield Issue((*here, "id"), f"{name}: {what}", "ids of one type in one file")
        if (first := places[str(item.id)]) != at:
            what = f"the id stands in {spelled((*way, first))} already"
            yield Issue((*here, "id"), f"{name}: {what}", "an id of its own for each item")
        for what, remedy in known.unmet(item.id, item.dependencies):
            yield Issue((*here, "dependencies"), f"{name}: {what}", remedy)
    for ring in rings({item.id: item.dependencies for item in firsts}):
        what = f"items wait for each other in a cycle: {Cycle(tuple(map(str, ring)))}"
        place = (*way, places[str(ring[0])], "dependencies")
        yield Issue(place, what, "take one of these dependencies out")


ROADMAP: Document[Container | tuple[Item, ...]] = Document(
    "roadmap.json",
    Container,
    root=Either(Table(Container), Many(Table(Item))),
    checks=[_whole],
)


def item_key(id: Id) -> str:
    """The item's part of a step's key; a long id is cut and made unique with its digest."""
    name = component(str(id))
    if len(name) <= LONGEST_KEY:
        return name
    return f"{name[: LONGEST_KEY - 13]}-{digest(str(id)).partition(':')[2][:12]}"


def shown(value: Any) -> str:
    """A value as the file has it, shortened to fit a line."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:59]}…"
