"""How far a run is, as a count of something, and what it has used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from podium.core.records import StepRecord
from podium.views import figures
from podium.views.board.board import Board
from podium.views.board.forecast import items_over, steps_over, time_left
from podium.views.board.spent import AXES, Spent
from podium.views.groups.words import progress as group_progress
from podium.views.groups.words import time_words
from podium.web.pages.words import UNKNOWN


@dataclass(frozen=True)
class Progress:
    done: int
    whole: int
    noun: str

    @property
    def percent(self) -> int:
        return 100 * self.done // self.whole if self.whole else 0

    @property
    def words(self) -> str:
        return f"{self.done} of {figures.plural(self.whole, self.noun)}"


def progress(board: Board) -> Progress | None:
    """Items, tasks or steps; None if nobody knows how many there are."""
    if (items := items_over(board)) is not None and items[1]:
        return Progress(*items, "item")
    known = group_progress(board.work)
    if known is not None and known.whole and board.status != "complete":
        return Progress(known.done, known.whole, "task")
    done, whole = steps_over(board)
    if board.status == "complete":
        return Progress(whole, whole, "step") if whole else None
    return Progress(done, whole, "step") if whole else None


def left(board: Board, now: float) -> str:
    """`about 4m left`; "" if nobody can know."""
    if (known := group_progress(board.work)) is not None and board.status == "active":
        return "" if known.minutes is None else time_words(known)
    seconds = time_left(board, now)
    return "" if seconds is None else f"about {figures.seconds(seconds)} left"


def said(spent: Spent, axis: str) -> str:
    """The sum, `at least` if some did not report, or `unknown`; never a zero that nobody
    counted.
    """
    return spent.words(axis) if spent.known(axis) else UNKNOWN


@dataclass(frozen=True)
class Used:
    """What the dispatches of one role used."""

    role: str
    dispatches: int
    seconds: str
    tokens_in: str
    tokens_out: str
    cost: str
    silent: int
    """Dispatches that did not report their cost."""


def used(role: str, records: Iterable[StepRecord]) -> Used:
    spent, took = Spent(), 0.0
    for record in records:
        usages: list[Mapping[str, Any]] = [
            *record.spent,
            *([record.usage] if record.finished else []),
        ]
        for usage in usages:
            spent.add(usage)
        took += figures.between(record.started, record.finished) or 0.0 if record.finished else 0.0
    tokens_in, tokens_out, cost = (said(spent, axis) for axis in AXES)
    return Used(
        role,
        spent.dispatches,
        figures.seconds(took),
        tokens_in,
        tokens_out,
        cost,
        spent.silent["cost_usd"],
    )


def by_role(records: Iterable[StepRecord]) -> list[Used]:
    """One line for each dispatched role, and the sum as the last."""
    found: dict[str, list[StepRecord]] = {}
    for record in records:
        if record.kind == "dispatch":
            found.setdefault(record.role or "agent", []).append(record)
    lines = [used(role, found[role]) for role in sorted(found)]
    return (
        [*lines, used("All", [each for role in sorted(found) for each in found[role]])]
        if lines
        else []
    )
