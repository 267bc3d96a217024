"""One-line descriptions of groups: their progress, by the numbers of progress.yaml, and which
one starts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from podium.views.board import counters
from podium.views.board.groups import Work, mapping, order_of


@dataclass(frozen=True)
class Progress:
    """The numbers of progress.yaml."""

    percent: int
    done: int
    whole: int
    minutes: int | None
    """Minutes left; None while nobody can know."""
    confidence: str


def progress(work: Work) -> Progress | None:
    """None before a plan has said how much there is to do."""
    percent, whole = (
        counters.number(work.metrics, name) for name in ("percent_complete", "tasks_total")
    )
    if percent is None or whole is None:
        return None
    done, minutes = (
        counters.number(work.metrics, name)
        for name in ("tasks_completed", "remaining_minutes_estimate")
    )
    return Progress(
        min(percent, 100), done or 0, whole, minutes, str(work.metrics.get("eta_confidence") or "")
    )


def time_words(known: Progress, *, sure: bool = False) -> str:
    """`about 2m left`, in the whole minutes of progress.yaml; `sure` adds the confidence."""
    minutes = known.minutes or 0
    if not minutes:
        return "nearly done"
    words = (
        f"about {minutes}m left"
        if minutes < 60
        else f"about {minutes // 60}h {minutes % 60:02}m left"
    )
    return f"{words} ({known.confidence} confidence)" if sure and known.confidence else words


def progress_words(work: Work) -> str:
    """`71%, 3 of 4 tasks, 1 of 2 groups, about 2m left (low confidence)`; "" before there is a
    plan.
    """
    known, now = progress(work), work.now
    if known is None or now is None:
        return ""
    done, whole = sum(each.done for each in now.groups), len(now.groups)
    tasks = f"{known.done} of {known.whole} tasks, {done} of {whole} groups" if whole else ""
    left = "" if known.percent == 100 or known.minutes is None else time_words(known, sure=True)
    return ", ".join(
        each for each in (f"{known.percent}%", tasks, left, iteration_words(work)) if each
    )


def iteration_words(work: Work) -> str:
    """`iteration 2 of 5`, as people count them."""
    number = work.now.number + 1 if work.now else 1
    return f"iteration {number}" + (
        f" of {work.max_iterations}" if work.max_iterations >= number else ""
    )


def group_begins(event: Mapping[str, Any], work: Work) -> str | None:
    """For a check that chose the groups' next move: `group A begins (parallel): TASK-1, TASK-2`, or
    "" if none begins.

    None for every other event. `work`: as it was before.
    """
    sets = mapping(event, "sets")
    if (
        event.get("type") != "step.finished"
        or event.get("outcome") != "ok"
        or not {"group", "batch", "order"} <= sets.keys()
    ):
        return None
    name = str(sets["group"] or "")
    known = work.now.group(name) if work.now is not None else None
    if not name or (known is not None and known.began):
        return ""
    group = next((each for each in order_of(sets) if str(each.get("group", "")) == name), {})
    return (
        f"group {name} begins ({group.get('strategy', '')}): "
        f"{', '.join(counters.texts(group, 'tasks'))}"
    )


@dataclass(frozen=True)
class Named:
    """What a person referred to by name."""

    title: str
    tasks: tuple[str, ...]


def tasks_named(work: Work, name: str) -> Named | None:
    """A task by its id, or a group by its name; None if no iteration has either."""
    for each in reversed(work.iterations.values()):
        for group in each.groups:
            if group.name == name:
                return Named(
                    (
                        f"group {group.name} · {group.strategy} · {group.accepted} of "
                        f"{len(group.tasks)} accepted"
                    ),
                    tuple(one.id for one in group.tasks),
                )
            for task in group.tasks:
                if task.id == name:
                    most = f" of {work.max_attempts}" if work.max_attempts >= task.attempt else ""
                    tried = f"attempt {task.attempt}{most}" if task.attempt else "not begun"
                    return Named(
                        (
                            f"{name} · group {group.name} · "
                            f"{task.status.lower().replace('_', ' ')} · {tried}"
                        ),
                        (name,),
                    )
    return None
