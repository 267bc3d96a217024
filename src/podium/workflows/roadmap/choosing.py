"""The loop's one decision: which item is next, or how the loop ends; and the report of the item before it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from podium.core.digest import digest
from podium.core.verdict import Judgement
from podium.workflows.roadmap import reporting
from podium.workflows.roadmap.items import Item
from podium.workflows.roadmap.projection import items_of, shared_digest, told
from podium.workflows.roadmap.runs import RoadmapRun
from podium.workflows.roadmap.selection import AllPass, Blocked, Choice, Deadlock, Next, candidate, choose

CRITERIA = ".podium/roadmap-criteria.json"
"""Digests of the acceptance criteria as they were when an item was first seen: what its research was written for."""


def choosing(run: RoadmapRun, texts: Mapping[str, str | None], policy: Mapping[str, Any]) -> Judgement:
    text = texts[run.file]
    assert text is not None  # the document was looked at before this step
    items = items_of(text, run.file)
    known = _known(texts.get(CRITERIA), run.file)
    choice = choose(items, keep_going=policy["keep_going"])
    facts = _reported(run, choice)
    writes = _noted(texts.get(CRITERIA), run.file, known, items)
    match choice:
        case AllPass():
            return Judgement("ok", "COMPLETE", "every item passes", "complete", facts=facts, writes=writes)
        case Blocked(stopped, unreachable):
            reason = reporting.ending_blocked(stopped, unreachable)
            return Judgement("fail", "blocked", reason, "blocked", stop="item_blocked", facts=facts, writes=writes)
        case Deadlock(holds):
            return Judgement("fail", "deadlock", reporting.ending_deadlock(holds), "deadlock", facts=facts, writes=writes)
        case Next(item):
            return _next(run, items, item, known, policy, facts, writes)


def _next(
    run: RoadmapRun, items: tuple[Item, ...], item: Item, known: Mapping[str, str], policy: Mapping[str, Any],
    facts: tuple[Mapping[str, Any], ...], writes: Mapping[str, str],
) -> Judgement:  # fmt: skip
    bound = policy["max_items"]
    if bound and run.taken >= bound:
        said = f"{bound} items done in this call; next: {item.id}"
        return Judgement("ok", "limit", said, "limit", facts=facts, writes=writes, pause=True)
    current = str(item.id)
    sets = {
        "current": current,
        "ended": {},
        "left": sum(not each.passes for each in items) - 1,
        "taken": run.taken + 1 if bound else 0,
        "plan": shared_digest(items, current),
        "item": {
            **told(item),
            "id": current,
            "file": run.file,
            "research": _research(item, known),
            "planning_research": {name: list(found) for name, found in (item.research or {}).items()},
            "retries": min(item.retry_count, policy["max_retries"]),
            "max_retries": policy["max_retries"],
        },
    }
    return Judgement("ok", current, item.title, "picked", sets=sets, facts=facts, writes=writes)


def _research(item: Item, known: Mapping[str, str]) -> str:
    """Skip, in full, or narrowed: what the planner found holds while the criteria are those it was found for."""
    if not any((item.research or {}).values()):
        return "full"
    if known.get(str(item.id), _criteria(item)) != _criteria(item):
        return "narrowed"
    return "full" if item.complexity == "complex" else "skip"


def _criteria(item: Item) -> str:
    return digest(json.dumps(item.criteria)).partition(":")[2][:16]


def _known(text: str | None, path: str) -> Mapping[str, str]:
    return dict(_notes(text).get(path, {}))


def _notes(text: str | None) -> dict[str, Any]:
    """A note that cannot be read is no reason to stop: then every item is seen for the first time."""
    try:
        found = json.loads(text or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) and all(isinstance(each, dict) for each in found.values()) else {}


def _noted(text: str | None, path: str, known: Mapping[str, str], items: tuple[Item, ...]) -> Mapping[str, str]:
    now = {str(each.id): known.get(str(each.id), _criteria(each)) for each in items if any((each.research or {}).values())}
    if now == known:
        return {}
    return {CRITERIA: json.dumps({**_notes(text), path: now}, indent=1, sort_keys=True) + "\n"}


def _reported(run: RoadmapRun, choice: Choice) -> tuple[Mapping[str, Any], ...]:
    """The report of the item that just ended; it names the next one, so it waits until that is known."""
    if not run.ended or run.ended["status"] == "in_progress":
        return ()
    text = reporting.iteration(run.current, run.ended, candidate(choice))
    return ({"type": "roadmap.iteration", "item": run.current, "status": run.ended["status"], "text": text},)
