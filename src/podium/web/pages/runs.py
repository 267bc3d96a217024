"""The list of runs: what waits for a person first, then the newest; filtered, searched and
paged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from podium.core.workflow import Step
from podium.views import figures
from podium.views.standing import where
from podium.views.text import Told, board_of
from podium.web.pages import links
from podium.web.pages.frame import Frame
from podium.web.pages.progress import Progress, progress, said
from podium.web.pages.rendering import render

Event = Mapping[str, Any]

PAGE = 50
OPEN = "open"
"""The filter for everything that has not ended."""
STATUSES = ("waiting", "active", "blocked", "sleeping", "complete", "cancelled", "damaged")
_ENDED = frozenset({"complete", "cancelled", "damaged"})


@dataclass(frozen=True)
class Asked:
    """An open gate as the list shows it."""

    key: str
    kind: str
    prompt: str


@dataclass(frozen=True)
class Entry:
    """What the list shows of one run."""

    run: str
    workflow: str
    title: str
    status: str
    where: str = ""
    reason: str = ""
    progress: Progress | None = None
    at_work: float | None = None
    """Seconds somebody was at work on it."""
    cost: str = ""
    gates: tuple[Asked, ...] = ()
    started: str = ""
    updated: str = ""
    driven: bool = False
    far: bool = False
    """Whether workers of a fleet drive it."""
    outcome: str = ""
    """How it completed."""


@dataclass(frozen=True)
class Query:
    text: str = ""
    status: str = ""
    workflow: str = ""
    page: int = 1


def entry(summary: Told, events: Sequence[Event], steps: Iterable[Step] = ()) -> Entry:
    board = board_of(summary, events, steps)
    asked = tuple(
        Asked(
            str(each.get("key", "")),
            str(each.get("kind", "")),
            str(each.get("prompt", "")).strip().partition("\n")[0],
        )
        for each in summary.gates
    )
    over = str(summary.status) in _ENDED
    return replace(
        damaged(summary),
        where="" if over else where(board),
        reason=summary.reason.strip().partition("\n")[0],
        progress=progress(board),
        at_work=board.elapsed(),
        cost=said(board.spent, "cost_usd"),
        gates=asked,
        driven=summary.holder is not None,
    )


def damaged(summary: Told) -> Entry:
    """A run that cannot be read: only what its name says."""
    return Entry(
        summary.run,
        summary.workflow,
        summary.title,
        str(summary.status),
        reason=summary.reason,
        started=summary.started,
        updated=summary.updated,
        outcome=str(summary.outcome),
    )


def query(params: Mapping[str, str]) -> Query:
    """The query in the address; unknown values are ignored."""
    status, page = str(params.get("status", "")), str(params.get("page", "1"))
    return Query(
        text=str(params.get("q", "")).strip()[:200],
        status=status if status in {OPEN, *STATUSES} else "",
        workflow=str(params.get("workflow", ""))[:60],
        page=max(1, int(page)) if page.isascii() and page.isdecimal() and len(page) < 7 else 1,
    )


def page(frame: Frame, entries: Sequence[Entry], query: Query, now: float) -> str:
    found = sorted((each for each in entries if _fits(each, query)), key=lambda each: each.run)
    found.sort(key=lambda each: each.started, reverse=True)
    found.sort(key=lambda each: (not each.gates, each.status != "active" or not each.driven))
    pages = max(1, -(-len(found) // PAGE))
    number = min(query.page, pages)
    shown = found[(number - 1) * PAGE : number * PAGE]
    counts = {status: sum(each.status == status for each in entries) for status in STATUSES}
    filters = [
        ("", "all", len(entries)),
        (OPEN, "not ended", sum(each.status not in _ENDED for each in entries)),
    ]
    filters += [(status, "", counts[status]) for status in STATUSES if counts[status]]
    return render(
        "runs.html",
        frame=frame,
        live="/events",
        place="runs",
        title="Runs",
        entries=[(each, _when(each, now)) for each in shown],
        asking=sum(bool(each.gates) for each in entries),
        filters=[
            (value, word, count, links.listing(query.text, value, query.workflow))
            for value, word, count in filters
        ],
        workflows=sorted({each.workflow for each in entries}),
        query=query,
        number=number,
        pages=pages,
        total=len(found),
        before=links.listing(query.text, query.status, query.workflow, number - 1),
        after=links.listing(query.text, query.status, query.workflow, number + 1),
    )


def _fits(each: Entry, query: Query) -> bool:
    if query.status == OPEN:
        if each.status in _ENDED:
            return False
    elif query.status and each.status != query.status:
        return False
    if query.workflow and each.workflow != query.workflow:
        return False
    words = query.text.casefold().split()
    text = f"{each.run} {each.title} {each.workflow} {each.where} {each.reason}".casefold()
    return all(word in text for word in words)


def _when(each: Entry, now: float) -> str:
    """`5m ago`, if known."""
    last = figures.moment(each.updated)
    return f"{figures.seconds(max(10.0, now - last)).split(' ')[0]} ago" if last is not None else ""
