"""The timeline of a run: rows of bars on one scale, few enough to read whatever the run's size."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from podium.views import figures
from podium.views.board.board import Board
from podium.web.pages.scale import Scale, scale
from podium.web.pages.spans import Span, spans

Event = Mapping[str, Any]

_TRIES = re.compile(r"(?:/\d+)+$")
ROWS = 48
"""The most rows that can be read; in a larger run, whole branches share rows."""
HIGH, HEAD, THIN = 26, 30, 2.0
"""Height of a row, of the axis, and the width below which neighbouring bars become one."""
NARROW, WIDE = 860.0, 6_000.0


@dataclass
class Bar:
    x: float
    width: float
    tone: str
    sort: str
    title: str
    key: str = ""
    """Empty if it stands for several."""
    label: str = ""
    count: int = 1


@dataclass
class Lane:
    name: str
    """Empty if it continues the row above."""
    detail: str = ""
    bars: list[Bar] = field(default_factory=list)
    hidden: int = 0


@dataclass(frozen=True)
class Fold:
    x: float
    width: float
    words: str


@dataclass(frozen=True)
class Timeline:
    lanes: tuple[Lane, ...]
    width: float
    height: float
    ticks: tuple[tuple[float, str], ...]
    folds: tuple[Fold, ...]
    rests: tuple[Fold, ...]
    steps: int
    words: str
    """Everything in one sentence, for people who cannot see it."""


def timeline(
    events: Sequence[Event], now: float | None = None, board: Board | None = None
) -> Timeline | None:
    """The timeline; None if nothing was started. Without `now` (nobody drives the run) it ends with
    the last event.

    `board`: knows what people call the work that a key is about.
    """
    found = spans(events)
    told = [each for each in found if each.sort != "rest"]
    if not told:
        return None
    last = max(figures.moment(event.get("ts")) or 0.0 for event in events[-50:])
    end = max(now or last, last, *(each.ended or 0.0 for each in told))
    start = min(each.began for each in told)
    width = min(WIDE, max(NARROW, 3.0 * len(told)))
    busy = [(each.began, each.until(end)) for each in told if each.sort != "gate"]
    placed = scale(busy or [(start, end)], start, end, width)
    lanes = _lanes(told, placed, end, board or Board())
    folds = tuple(
        Fold(each.x, each.width, figures.seconds(each.end - each.start))
        for each in placed.pieces
        if each.folded
    )
    rests = [
        (placed.x(each.began), placed.x(each.until(end)), each.word)
        for each in found
        if each.sort == "rest"
    ]
    agents = {each.role for each in told if each.sort == "work" and each.role}
    words = (
        f"{figures.plural(sum(each.sort == 'work' for each in told), 'dispatch')} of "
        f"{figures.plural(len(agents), 'role')} in {figures.seconds(end - start)}; at most "
        f"{_most(told, end)} at once"
    )
    return Timeline(
        tuple(lanes),
        width,
        HEAD + HIGH * len(lanes) + 6,
        tuple(placed.ticks()),
        folds,
        tuple(Fold(first, last - first, word) for first, last, word in rests),
        len(told),
        words,
    )


def _most(told: Sequence[Span], end: float) -> int:
    """How many were at work at the same moment."""
    marks = sorted(
        mark
        for each in told
        if each.sort == "work"
        for mark in ((each.began, 1), (each.until(end), -1))
    )
    most = here = 0
    for _, change in marks:
        here += change
        most = max(most, here)
    return most


def _lanes(told: Sequence[Span], placed: Scale, end: float, board: Board) -> list[Lane]:
    for name in (_row_name, _plain, _branch):
        groups: dict[str, list[Span]] = {}
        for each in told:
            groups.setdefault(
                "decisions" if each.sort == "gate" else name(board, each.key), []
            ).append(each)
        if len(groups) <= ROWS:
            break
    lanes: list[Lane] = []
    for group, members in groups.items():
        lanes += _packed(group, members, placed, end)
    return lanes[: 2 * ROWS]


def _row_name(board: Board, key: str) -> str:
    """What the board calls it: every round and attempt of one piece of work is in one row."""
    path = board.path(key)
    names = [
        each.name for each in (path[1:] if len(path) > 1 and path[1].kind == "visit" else path)
    ]
    if not names:
        return _plain(board, key)
    return _TRIES.sub("", "/".join(names))


def _plain(_board: Board, key: str) -> str:
    """The key without its numbers."""
    parts = [part for part in key.split("/") if not part.isdecimal()]
    return (
        unquote("/".join(parts[1:] if parts[:1] == ["iteration"] and len(parts) > 1 else parts))
        or key
    )


def _branch(board: Board, key: str) -> str:
    """The first part of the key."""
    return _plain(board, key).partition("/")[0]


def _packed(name: str, members: Sequence[Span], placed: Scale, end: float) -> list[Lane]:
    """Bars that overlap are below each other; those too thin to tell apart become one."""
    ends: list[float] = []
    lanes: list[Lane] = []
    for each in members:
        x, until = placed.x(each.began), placed.x(each.until(end))
        at = next((place for place, taken in enumerate(ends) if taken <= each.began), None)
        if at is None:
            if len(lanes) >= ROWS:
                lanes[-1].hidden += 1
                continue
            at = len(lanes)
            ends.append(0.0)
            lanes.append(Lane("" if lanes else name, "" if lanes else _whose(name, members)))
        ends[at] = each.until(end)
        _put(lanes[at], each, x, max(until - x, THIN), end)
    return lanes


def _whose(name: str, members: Sequence[Span]) -> str:
    roles = list(dict.fromkeys(each.role for each in members if each.role and each.sort == "work"))
    said = roles[0] if len(roles) == 1 else figures.plural(len(roles), "role") if roles else ""
    return "" if said == name.rpartition("/")[2] else said


def _put(lane: Lane, span: Span, x: float, width: float, end: float) -> None:
    before = lane.bars[-1] if lane.bars else None
    if (
        before is not None
        and width <= THIN * 2
        and x - (before.x + before.width) < 1
        and before.tone == span.tone
        and before.width < 60
    ):
        before.width = max(before.width, x + width - before.x)
        before.count += 1
        before.key, before.label = "", ""
        before.title = f"{before.count} steps, the last is {span.key}"
        return
    took = figures.seconds(span.until(end) - span.began)
    again = f", try {span.attempt}" if span.attempt > 1 else ""
    title = f"{span.key}{again}: {span.word or 'at work'}, {took}" + (
        f" ({span.role})" if span.role else ""
    )
    label = took if width >= 44 else ""
    lane.bars.append(Bar(x, width, span.tone, span.sort, title, span.key, label))
