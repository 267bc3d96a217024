"""What a Planner may do to a roadmap, and the shortest roadmap that a good one writes.

A Planner adds items and may replan those that nobody has begun. It must not change an item that is
begun, finished or blocked, the fields the loop owns, or anything else in the file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Any

from podium.core.digest import canonical
from podium.core.errors import InputError
from podium.core.natural import natural
from podium.documents import Table
from podium.documents.json_tree import load_json
from podium.workflows.roadmap.items.dependencies import Id
from podium.workflows.roadmap.items.items import Item, shown
from podium.workflows.roadmap.items.reading import members_of, reading
from podium.workflows.roadmap.items.rewriting import LOOP_FIELDS

_NUMBER_LAST = re.compile(r"(.*?)([0-9]{1,18})", re.DOTALL)


def check_plan(before_text: str | None, after_text: str, path: str) -> tuple[str, ...]:
    """Every fault of a roadmap that a Planner wrote or extended; InputError if the old one was
    already faulty.
    """
    before = reading(before_text, path) if before_text is not None else None
    try:
        after = reading(after_text, path)
    except InputError as refused:
        return tuple(map(str, refused.faults))
    faults = [*_container(before.data, after.data)] if before else []
    if not after.items:
        faults.append("the roadmap has no items (expected at least one)")
    earlier = {each["id"]: each for each in members_of(before.data)} if before else {}
    faults += _order([*earlier], [each.id for each in after.items if each.id in earlier])
    for item, members in zip(after.items, members_of(after.data), strict=True):
        if item.id in earlier:
            faults += _kept(earlier[item.id], members)
        else:
            faults += _fresh(item)
    return tuple(faults)


def _container(before: Any, after: Any) -> Iterator[str]:
    if type(before) is not type(after):
        form = "an object with 'items'" if isinstance(before, dict) else "a bare array"
        yield f"the roadmap was {form} and must stay that"
    elif isinstance(before, dict):
        for name in before:
            if name != "items" and name not in after:
                yield f"the member {shown(name)} beside 'items' is gone (put it back as it was)"
            elif name != "items" and canonical(before[name]) != canonical(after[name]):
                yield f"the member {shown(name)} beside 'items' was changed (put it back as it was)"


def _order(before: Sequence[Id], after: Sequence[Id]) -> Iterator[str]:
    there = set(after)
    for each in before:
        if each not in there:
            yield f"item {each} is gone (every id that was there is kept)"
    if [each for each in before if each in there] != list(after):
        yield (
            "the ids stand in another order (expected "
            f"{', '.join(map(str, before[:20]))}{' …' * (len(before) > 20)})"
        )


def _kept(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    """An item that nobody has begun may be replanned, but only the loop changes its state."""
    begun = before["status"] != "ready"
    names = dict.fromkeys([*before, *after]) if begun else LOOP_FIELDS
    why = (
        f"the item is {before['status']} and is left as it was"
        if begun
        else "only the loop changes it"
    )
    for name in names:
        if canonical(before.get(name)) != canonical(after.get(name)) or (name in before) != (
            name in after
        ):
            yield f"item {before['id']}: {name} was changed ({why})"


def _fresh(item: Item) -> Iterator[str]:
    for name, found, expected in (
        ("status", item.status, "ready"),
        ("passes", item.passes, False),
        ("retryCount", item.retry_count, 0),
        ("blockedReasons", list(item.reasons), []),
    ):
        if found != expected:
            yield f"item {item.id} is new: {name} is {shown(found)} (expected {shown(expected)})"


def compose_plan(members: Mapping[str, Any], template: str, facts: Mapping[str, str]) -> str:
    """The shortest roadmap that a Planner can answer with; `template` is the text of the current
    one, if any.

    `members` may hold `items`, each with as few members as needed, and members beside `items`.
    Without items, one new item about the goal is added.
    """
    standing = load_json(template) if template.strip() else {"items": []}
    there = [*members_of(standing)]
    wanted: Sequence[Mapping[str, Any]] = members.get("items", ({},))
    taken = [each["id"] for each in there]
    for given in wanted:
        name = given.get("id", next_id(taken))
        taken.append(name)
        there.append(_short(name, facts) | dict(given))
    whole = {**standing, **members, "items": there} if isinstance(standing, dict) else there
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def next_id(taken: Sequence[Id]) -> Id:
    """An id that continues from the highest one, in the same style."""
    if not taken:
        return "US-1"
    highest = max(taken, key=natural)
    if not isinstance(highest, str):
        return highest + 1
    found = _NUMBER_LAST.fullmatch(highest)
    start, digits = (found[1], found[2]) if found else (f"{highest}-", "1")
    candidates = (f"{start}{number:0{len(digits)}d}" for number in count(int(digits) + 1))
    return next(each for each in candidates if each not in taken)


def _short(id: Id, facts: Mapping[str, str]) -> dict[str, Any]:
    """An item with the required members only."""
    goal = next((facts[name] for name in ("Title", "Goal", "Task") if facts.get(name)), "")
    title = (
        " ".join("".join(char if char.isprintable() else " " for char in goal).split())
        or f"Item {id}"
    )
    return {
        **Table(Item).example(),
        "id": id,
        "title": title,
        "acceptanceCriteria": [f"{title}: done as asked"],
        "planningResearch": None,
    }
