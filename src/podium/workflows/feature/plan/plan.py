"""A plan as values: waves of tasks, the limits a planner must keep, and who works on what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Mode = Literal["initial", "replan", "extension"]
MODES: tuple[Mode, ...] = ("initial", "replan", "extension")

PLAN_SECTIONS = ("Planning Mode", "Execution Waves", "Dependency Graph", "Pre-Mortem")
"""What plan.md must contain; the first may also be a line `Planning Mode: initial`."""

AGENTS = ("implementer", "documentation-writer")
"""Who may work on a task; the first one does if none is named."""

LARGEST_PLAN = 200
"""Unfinished tasks in one plan. Each is a dispatch, so a plan with more is not the plan of one
feature; the bound also limits how much work a planner can cause.
"""

MAX_FILES = 3
MAX_DEPENDENCIES = 2
MAX_LINES = 500
EFFORTS = ("Low", "Medium")


@dataclass(frozen=True)
class PlannedTask:
    """A task in its place."""

    id: str
    depends_on: tuple[str, ...] = ()
    agent: str = ""
    """As written; empty if none is named."""


@dataclass(frozen=True)
class Plan:
    mode: str = ""
    """One of MODES; empty if the document names none of them."""
    waves: tuple[tuple[PlannedTask, ...], ...] = ()


def subwaves(wave: Sequence[PlannedTask], limit: int) -> tuple[tuple[PlannedTask, ...], ...]:
    """A wave in parts of at most `limit`, in the order of the plan."""
    if limit < 1:
        raise ValueError(f"limit is {limit}; it must be 1 or more")
    return tuple(tuple(wave[start : start + limit]) for start in range(0, len(wave), limit))


def agent_of(task: PlannedTask) -> tuple[str, str]:
    """Who works on a task, and a warning if the plan names an unknown agent."""
    if not task.agent:
        return AGENTS[0], ""
    said = "-".join(task.agent.replace("_", " ").replace("-", " ").split()).casefold()
    if said in AGENTS:
        return said, ""
    known = " and ".join(AGENTS)
    return AGENTS[
        0
    ], f"{task.id}: unknown agent '{task.agent[:80]}'; {AGENTS[0]} works on it (known are {known})"
