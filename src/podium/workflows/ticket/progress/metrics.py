"""Numbers of `progress.yaml`, computed from plain facts: percentage, time left, lead and cycle
times.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from podium.documents import Maybe, Number, Word, part, record
from podium.workflows.ticket import times
from podium.workflows.ticket.request.prompt_document import STAMP

BEFORE_REVIEW = 95
"""The highest percentage before the iteration is accepted."""


_MINUTES = Maybe(Number(whole=False))


@record(whole=True)
class Metrics:
    """The members in the order of the file."""

    tasks_total: int = 0
    tasks_completed: int = 0
    groups_total: int = 0
    groups_completed: int = 0
    percent_complete: int = part(value=Number(most=100), default=0)
    elapsed_minutes_estimate: float = 0
    remaining_minutes_estimate: int | None = part(value=_MINUTES, default=None)
    eta_confidence: str = part(value=Word(("low", "medium", "high")), default="low")
    first_code_change_at: str | None = part(value=Maybe(STAMP), default=None)
    lead_time_to_first_code_change_minutes: float | None = None
    latest_group_cycle_minutes_estimate: float | None = None
    latest_iteration_cycle_minutes_estimate: float | None = None


@dataclass(frozen=True)
class GroupWork:
    """One group of the plan: how many tasks run side by side, and how long it took once it is
    done.
    """

    tasks: int
    rounds: int
    """How many batches one pass over its tasks takes."""
    accepted: int = 0
    minutes: float | None = None
    """Wall time from its first dispatch to its acceptance, including all attempts; None while it
    is open.
    """

    @property
    def width(self) -> float:
        """How many tasks run side by side on average."""
        return self.tasks / self.rounds if self.rounds else 1.0


def percent(accepted: int, total: int, *, before: int = 0, iteration_accepted: bool = False) -> int:
    """Never above 95 before acceptance, and never below `before`, the last value of the same
    iteration.
    """
    if iteration_accepted:
        return 100
    now = BEFORE_REVIEW * accepted // total if total > 0 else 0
    return max(min(before, BEFORE_REVIEW), min(now, BEFORE_REVIEW), 0)


def remaining(groups: Sequence[GroupWork]) -> int | None:
    """Whole minutes left, rounded up; None until one group is done.

    For each finished group, the working minutes per accepted task are its wall time times its
    width, divided by its accepted tasks. Their median times the open tasks, divided by the width of
    the groups left, is the result.
    """
    done = [each for each in groups if each.minutes is not None and each.accepted]
    if not done:
        return None
    from statistics import median  # noqa: PLC0415  # brings fractions and decimals with it

    each_task = median((group.minutes or 0.0) * group.width / group.accepted for group in done)
    left = [each for each in groups if each.minutes is None]
    open_tasks = sum(max(each.tasks - each.accepted, 0) for each in left)
    if not open_tasks:
        return 0
    width = sum(each.tasks for each in left) / max(sum(each.rounds for each in left), 1)
    return math.ceil(round(each_task * open_tasks / max(width, 1.0), 6))


def confidence(finished_groups: int) -> str:
    return "low" if finished_groups < 2 else "medium" if finished_groups < 5 else "high"


def first_change(known: str | None, stamps: Iterable[str | None]) -> str | None:
    """The earliest moment a task changed code; a moment already known stays."""
    if known:
        return known
    found = [(moment, each) for each in stamps if (moment := times.moment(each)) is not None]
    return min(found)[1] if found else None


def measure(
    groups: Sequence[GroupWork],
    *,
    created_at: str,
    now: datetime,
    before: Metrics | None = None,
    same_iteration: bool = True,
    iteration_accepted: bool = False,
    code_changes: Iterable[str | None] = (),
    iteration_minutes: float | None = None,
) -> Metrics:
    """All members at once; `before` are the ones last written."""
    last = before or Metrics()
    done = [each for each in groups if each.minutes is not None]
    total = sum(each.tasks for each in groups)
    accepted = sum(min(each.accepted, each.tasks) for each in groups)
    changed = first_change(last.first_code_change_at, code_changes)
    start = times.moment(created_at)
    shown = percent(
        accepted,
        total,
        before=last.percent_complete if same_iteration else 0,
        iteration_accepted=iteration_accepted,
    )
    return Metrics(
        tasks_total=total,
        tasks_completed=accepted,
        groups_total=len(groups),
        groups_completed=len(done),
        percent_complete=shown,
        elapsed_minutes_estimate=times.minutes(start, now) or 0,
        remaining_minutes_estimate=0 if iteration_accepted else remaining(groups),
        eta_confidence=confidence(len(done)),
        first_code_change_at=changed,
        lead_time_to_first_code_change_minutes=times.minutes(start, times.moment(changed)),
        latest_group_cycle_minutes_estimate=_latest(done, last.latest_group_cycle_minutes_estimate),
        latest_iteration_cycle_minutes_estimate=(
            last.latest_iteration_cycle_minutes_estimate
            if iteration_minutes is None
            else times.short(iteration_minutes)
        ),
    )


def _latest(done: Sequence[GroupWork], known: float | None) -> float | None:
    """Groups are done in the order of the plan, so the last one is the latest."""
    return times.short(done[-1].minutes or 0.0) if done else known


def progress_line(metrics: Metrics) -> str:
    """What people see while groups run, with a question mark until a group is done."""
    left = (
        "?"
        if metrics.remaining_minutes_estimate is None
        else str(metrics.remaining_minutes_estimate)
    )
    return (
        f"Progress: {metrics.percent_complete}% | Completed: "
        f"{metrics.tasks_completed}/{metrics.tasks_total} tasks"
        f" | ETA: ~{left} min remaining"
    )
