"""Every fault of a list of items: first of each item alone, then of all ids and dependencies
together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from podium.workflows.roadmap.items.dependencies import Id, Register, rings, spoken, unmet
from podium.workflows.roadmap.items.fields import Complaint, complaints, contradiction, is_id, shown


class Found(NamedTuple):
    """A fault and where it is."""

    place: int
    field: str
    """The member it is about; empty for the whole item."""
    what: str
    mend: str


def faults(items: Sequence[Any], array: str) -> list[Found]:
    """The faults in the order of the items, rings last; `array` is the list's name in the file."""
    found: list[Found] = []
    ids = {
        index: members["id"]
        for index, members in enumerate(items)
        if isinstance(members, dict) and is_id(members.get("id"))
    }
    firsts: dict[str, int] = {}
    for index, known_id in ids.items():
        firsts.setdefault(str(known_id), index)
    register = Register(ids.values())
    for index, members in enumerate(items):
        place = f"{array}[{index}]"
        if not isinstance(members, dict):
            found.append(Found(index, "", f"{place} is {shown(members)}", "expected an object"))
            continue
        wrong = [*complaints(members), *_contradictions(members)]
        if index in ids:
            wrong += unmet(ids[index], _dependencies(members), register)
            wrong += _unlike(ids[index], next(iter(ids.values())))
            wrong += _repeated(index, firsts[str(ids[index])], array)
        found += [
            Found(index, each.field, f"item {_name(members, place)}: {each.what}", each.mend)
            for each in wrong
        ]
    waits = {ids[index]: _dependencies(items[index]) for index in firsts.values()}
    for ring in rings(waits):
        what = f"items wait for each other in a cycle: {spoken(ring)}"
        found.append(
            Found(firsts[str(ring[0])], "dependencies", what, "take one of these dependencies out")
        )
    return found


def _contradictions(members: Mapping[str, Any]) -> Iterator[Complaint]:
    status, passes = members.get("status"), members.get("passes")
    if isinstance(status, str) and isinstance(passes, bool):
        yield from contradiction(status, passes)


def _unlike(id: Id, first: Id) -> Iterator[Complaint]:
    if type(id) is not type(first):
        kind, other = ("a text", "a number") if isinstance(id, str) else ("a number", "a text")
        what = f"id is {kind}, the id of the first item is {other}"
        yield Complaint("id", what, "expected ids of one type in one file")


def _repeated(index: int, first: int, array: str) -> Iterator[Complaint]:
    if index != first:
        yield Complaint(
            "id",
            f"the id stands in {array}[{first}] already",
            "expected an id of its own for each item",
        )


def _dependencies(members: Mapping[str, Any]) -> list[Id]:
    found = members.get("dependencies")
    return [each for each in found if is_id(each)] if isinstance(found, list) else []


def _name(members: Mapping[str, Any], place: str) -> str:
    """How a person finds the item: its id and title if it has them, else its place in the array."""
    title = members.get("title")
    name = shown(members["id"]).strip('"') if is_id(members.get("id")) else place
    return f"{name} {shown(title)}" if isinstance(title, str) and title.strip() else name
