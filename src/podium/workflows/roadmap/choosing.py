"""The loop's one decision: which item is next, or how the loop ends; and the report of the item
before it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from podium.core.verdict import Judgement
from podium.workflows.roadmap import reporting
from podium.workflows.roadmap.items import research
from podium.workflows.roadmap.items.items import Item
from podium.workflows.roadmap.items.projection import told
from podium.workflows.roadmap.items.reading import reading
from podium.workflows.roadmap.items.selection import (
    AllPass,
    Blocked,
    Choice,
    Deadlock,
    Next,
    candidate,
    choose,
    holds,
)
from podium.workflows.roadmap.runs import RoadmapRun

Texts = Mapping[str, str | None]


def choosing(run: RoadmapRun, texts: Texts, policy: Mapping[str, Any]) -> Judgement:
    text = texts[run.file]
    assert text is not None  # the engine checks the document before this step
    found = reading(text, run.file)
    items = found.items
    chances = _chances(run, items, keep_going=policy["keep_going"])
    choice = _choice(items, chances, keep_going=policy["keep_going"])
    said = _judged(run, items, choice, chances, texts, policy)
    if isinstance(choice, Next) and said.classification == "picked":
        said = replace(said, sets={**said.sets, "plan": found.shared(str(choice.item.id))})
    writes = research.noted(research.memory(texts), run.file, found.marks)
    ended = {**run.ended, "reported": True} if run.ended else {}
    sets = {"sent_on": "", "ended": ended, **said.sets}
    return replace(said, sets=sets, facts=_reported(run, choice), writes=writes)


def _chances(run: RoadmapRun, items: tuple[Item, ...], *, keep_going: bool) -> list[str]:
    """Blocked items that a person sent on: each gets one more try."""
    # `--keep-going` without a note asks to go past blocked items, as long as another item can be
    # started.
    past = keep_going and not run.note and isinstance(choose(items, keep_going=True), Next)
    again = run.sent_on == "again" and not past
    return [
        str(each.id)
        for each in items
        if each.status == "blocked" and (again or str(each.id) in run.chances)
    ]


def _choice(items: tuple[Item, ...], chances: list[str], *, keep_going: bool) -> Choice:
    sent_on = tuple(
        replace(each, status="in_progress") if str(each.id) in chances else each for each in items
    )
    choice = choose(sent_on, keep_going=keep_going)
    if isinstance(choice, Next):
        (found,) = (each for each in items if each.id == choice.item.id)
        return replace(choice, item=found)
    return choose(items, keep_going=keep_going) if chances else choice


def _judged(
    run: RoadmapRun,
    items: tuple[Item, ...],
    choice: Choice,
    chances: list[str],
    texts: Texts,
    policy: Mapping[str, Any],
) -> Judgement:
    match choice:
        case AllPass():
            return Judgement("ok", "COMPLETE", "every item passes", "complete")
        case Blocked(stopped, unreachable):
            return Judgement(
                "fail",
                "blocked",
                reporting.ending_blocked(stopped, unreachable, holds(items)),
                "blocked",
            )
        case Deadlock(found):
            return Judgement("fail", "deadlock", reporting.ending_deadlock(found), "deadlock")
        case Next(item):
            bound = policy["max_items"]
            if bound and run.taken >= bound:
                said = f"{run.taken} item{'s' * (run.taken > 1)} in this call; next: {item.id}"
                return Judgement("ok", "limit", said, "limit", pause=True)
            return Judgement(
                "ok",
                str(item.id),
                item.title,
                "picked",
                sets=_sets(run, items, item, chances, texts, policy),
            )


def _sets(
    run: RoadmapRun,
    items: tuple[Item, ...],
    item: Item,
    chances: list[str],
    texts: Texts,
    policy: Mapping[str, Any],
) -> dict[str, Any]:
    current = str(item.id)
    changed = research.outdated(item, research.memory(texts), run.file)
    return {
        "current": current,
        "ended": {},
        "bounded": False,
        # A ready item starts from the beginning; one that is in progress or was sent on continues
        # where it stopped.
        "begins": "anew" if item.status == "ready" else "",
        "chances": [each for each in chances if each != current],
        "left": sum(not each.passes for each in items) - 1,
        "taken": run.taken + 1 if policy["max_items"] else 0,
        "item": {
            **told(item),
            "id": current,
            "file": run.file,
            "research": research.mode(item.complexity, item.research, changed=changed),
            "retries": 0
            if item.status == "blocked"
            else min(item.retry_count, policy["max_retries"]),
            "max_retries": policy["max_retries"],
        },
    }


def _reported(run: RoadmapRun, choice: Choice) -> tuple[Mapping[str, Any], ...]:
    """The report of the item that just ended. It names the next item, so it waits until that is
    known.
    """
    if not run.ended or run.ended.get("reported"):
        return ()
    text = reporting.iteration(run.current, run.ended, candidate(choice))
    return (
        {
            "type": "roadmap.iteration",
            "item": run.current,
            "status": run.ended["status"],
            "text": text,
        },
    )
