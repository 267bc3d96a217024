"""Whether Research is dispatched for an item, and a record of the criteria its planning research
was written for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from podium.core.digest import digest
from podium.workflows.roadmap.items.items import Item

Mode = Literal["skip", "full", "narrowed"]
CRITERIA = ".podium/cache/roadmap-criteria.json"
"""What planning research was written for, recorded when an item is first seen: roadmap to item
to digests.
"""
FORMER = ".podium/runs/roadmap-criteria.json"
"""Its former place, among the folders of runs: whatever listed runs took the file for one."""


def memory(texts: Mapping[str, str | None]) -> str | None:
    """The record, from `CRITERIA` or else `FORMER`."""
    return texts.get(CRITERIA) or texts.get(FORMER)


def mode(complexity: str, research: Mapping[str, Sequence[str]] | None, *, changed: bool) -> Mode:
    """Skip, full or narrowed: the planner's findings are valid only for the criteria they were
    written for.
    """
    if not any((research or {}).values()):
        return "full"
    if changed:
        return "narrowed"
    return "skip" if complexity == "medium" else "full"


def outdated(item: Item, notes: str | None, path: str) -> bool:
    """Whether the item's criteria have changed since its planning research was written."""
    return _outdated(_of(notes).get(path, {}).get(str(item.id)), _mark(item))


def _outdated(known: str | None, now: str) -> bool:
    return known is not None and known != now and _research(known) == _research(now)


def marks(items: Sequence[Item]) -> Mapping[str, str]:
    """For each item with research, the mark of its criteria and research today."""
    return {str(each.id): _mark(each) for each in items if any((each.research or {}).values())}


def noted(notes: str | None, path: str, marks: Mapping[str, str]) -> Mapping[str, str]:
    """The updated record, by its path; empty if nothing changed."""
    whole = _of(notes)
    known = whole.get(path, {})
    now = {
        name: known[name] if _outdated(known.get(name), mark) else mark
        for name, mark in marks.items()
    }
    if now == known:
        return {}
    return {CRITERIA: json.dumps({**whole, path: now}, indent=1, sort_keys=True) + "\n"}


def _mark(item: Item) -> str:
    """Digests of criteria and research: whoever writes new research writes it for the criteria
    of that day.
    """
    return f"{_short(item.criteria)} {_short(sorted((item.research or {}).items()))}"


def _research(mark: str) -> str:
    return mark.partition(" ")[2]


def _short(value: Any) -> str:
    return digest(json.dumps(value)).partition(":")[2][:16]


def _of(notes: str | None) -> dict[str, dict[str, str]]:
    """An unreadable record is no reason to stop: every item then counts as seen for the first
    time.
    """
    try:
        found = json.loads(notes or "{}")
    except ValueError:
        return {}
    if not isinstance(found, dict):
        return {}
    return {path: each for path, each in found.items() if _is_marks(each)}


def _is_marks(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(each, str) for each in value.values())
