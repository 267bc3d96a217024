"""roadmap.json as a projection: the loop's own fields are updated, and people's edits are taken
in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from podium.core.errors import Fault, InputError
from podium.core.run import Run
from podium.core.workflow import Projection
from podium.workflows.roadmap.items import research
from podium.workflows.roadmap.items.edits import changes_of
from podium.workflows.roadmap.items.items import Item
from podium.workflows.roadmap.items.reading import reading
from podium.workflows.roadmap.items.rewriting import Owned, rewritten
from podium.workflows.roadmap.runs import ItemRun, RoadmapRun


def items_of(text: str, path: str) -> tuple[Item, ...]:
    return reading(text, path).items


def _render(path: str, current: str, owned: Owned | None, text: str | None, _template: str) -> str:
    if text is None:
        raise InputError(
            Fault(path, "is missing", "put it back; git or an editor's copy may have it")
        )
    known = reading(text, path).ids.get(current) if owned else None
    # An item that people removed in the meantime is not put back.
    return rewritten(text, path, {known: owned}) if owned and known is not None else text


def _owned(data: Mapping[str, Any]) -> Owned:
    return Owned(data["status"], data["passes"], data["retryCount"], tuple(data["reasons"]))


def of_loop(run: RoadmapRun) -> Projection:
    """What the loop says about the item it has finished; while an item is worked on, its own run
    writes its fields.
    """
    owned = _owned(run.ended) if run.ended else None
    return Projection(
        run.file,
        partial(_render, run.file, run.current, owned),
        shared=True,
        read_back=partial(_loop_edited, run.file),
    )


def of_item(run: ItemRun) -> Projection:
    owned = Owned("in_progress", passes=False, retry_count=run.retries)
    return Projection(
        run.file,
        partial(_render, run.file, run.id, owned),
        shared=True,
        read_back=partial(_item_edited, run.file),
    )


def _loop_edited(path: str, text: str, run: Run) -> tuple[Run, tuple[str, ...]]:
    """A person edited the file between items: what they say about an item replaces what the loop
    said.
    """
    assert isinstance(run, RoadmapRun)
    items = items_of(text, path)
    changes = []
    found = next((each for each in items if str(each.id) == run.current), None)
    # `in_progress` was written by the item's own run, before the loop recorded how the item ended.
    if run.ended and found is not None and found.status not in {run.ended["status"], "in_progress"}:
        changes.append(f"{found.id} is {found.status}, was {run.ended['status']}")
        run.ended = {}
    now = reading(text, path).shared(run.current)
    if run.plan and now != run.plan:
        changes.append("items were edited")
        run.plan = now
    if changes:
        run.sent_on = "edited"
    return run, tuple(changes)


def _item_edited(path: str, text: str, run: Run) -> tuple[Run, tuple[str, ...]]:
    """An edit of the item being worked on stops its run until a person decides what the edit
    means for the work.
    """
    assert isinstance(run, ItemRun)
    found = next((each for each in items_of(text, path) if str(each.id) == run.id), None)
    if found is None:
        raise InputError(
            Fault(
                path,
                f"the item {run.id} is being worked on and is gone",
                "put it back, or cancel the run",
            )
        )
    changes = changes_of((_known(run, found),), (found,), found.id).mine
    if changes and run.step != "edited":
        run.resumes_at, run.step = run.step, "edited"
        run.visits["edited"] = run.visits.get("edited", 0) + 1
    changed = run.research == "narrowed" or list(found.criteria) != run.criteria
    run.research = research.mode(found.complexity, found.research, changed=changed)
    for name, value in told(found).items():
        setattr(run, name, value)
    run.edits = [*run.edits, *changes]
    return run, changes


def _known(run: ItemRun, found: Item) -> Item:
    """The item as its run knows it; fields that the run does not keep are as in the file."""
    known = replace(
        found,
        title=run.title,
        complexity=run.complexity,
        criteria=tuple(run.criteria),
        verification=tuple(run.verification),
        dependencies=found.dependencies
        if list(map(str, found.dependencies)) == run.dependencies
        else tuple(run.dependencies),
        research=found.research
        if told(found)["planning_research"] == run.planning_research
        else {name: tuple(each) for name, each in run.planning_research.items()} or None,
    )
    if sum(run.visits.values()) == 1:
        return known  # the run may not have written its own fields yet
    return replace(known, status="in_progress", passes=False, retry_count=run.retries)


def told(item: Item) -> dict[str, Any]:
    """The members of an item's run that come from the file."""
    return {
        "title": item.title,
        "complexity": item.complexity,
        "criteria": list(item.criteria),
        "verification": list(item.verification),
        "dependencies": [str(each) for each in item.dependencies],
        "planning_research": {name: list(each) for name, each in (item.research or {}).items()},
    }
