"""The parts of a report about groups: iterations, groups, tasks with their attempts, and why
they were rejected.
"""

from __future__ import annotations

import re

from podium.core import keys
from podium.core.effects import Check, Stage
from podium.views import figures
from podium.views.board.board import Board
from podium.views.board.groups import Iteration, Rejection, Task
from podium.views.groups.state import group_state, word_of
from podium.views.markup import code, prose, table
from podium.views.report.ledger import Ledger

LINES = 8
"""How many lines of evidence are shown; the step's folder has all of them."""
_RESULT = {
    "done": "accepted",
    "running": "at work",
    "failed": "**rejected**",
    "pending": "not begun",
    "skipped": "not begun",
}
_RULE = re.compile(r"[\W_]*")


def iterations(board: Board) -> list[str]:
    """One line per plan, if there was more than one or its review said no."""
    known = list(board.work.iterations.values())
    if len(known) < 2 and not any(each.status == "REJECTED" for each in known):
        return []
    rows = [
        [
            str(each.number + 1),
            f"**{prose(word_of(each.status), 40)}**"
            if each.status == "REJECTED"
            else prose(word_of(each.status), 40) or "open",
            f"{sum(task.accepted for task in each.tasks)} of {len(each.tasks)}",
            figures.seconds(figures.between(each.began, each.ended) if each.ended else None),
            prose(each.reason),
        ]
        for each in known
    ]
    return table(["Iteration", "Result", "Tasks accepted", "Time", "Review"], rows)


def groups(board: Board) -> list[str]:
    rows = []
    for each in board.work.iterations.values():
        for group in each.groups:
            result = (
                "accepted"
                if group.done
                else _RESULT[group_state(board, group)]
                if each is board.work.now
                else "left"
            )
            took = figures.between(group.began, group.ended) if group.ended else None
            rows.append(
                [
                    str(each.number + 1),
                    prose(group.name, 40),
                    prose(group.strategy, 40),
                    result,
                    f"{group.accepted} of {len(group.tasks)}",
                    figures.seconds(took),
                    ", ".join(code(task.id, 60) for task in group.tasks),
                ]
            )
    return table(["Iteration", "Group", "Strategy", "Result", "Accepted", "Time", "Tasks"], rows)


def tasks(board: Board, ledger: Ledger) -> list[str]:
    """One line per task: its status, how often it was tried, and how long agents worked on it."""
    rows = []
    for each in board.work.iterations.values():
        for group in each.groups:
            for task in group.tasks:
                word = prose(word_of(task.status), 40)
                most = (
                    f" of {board.work.max_attempts}"
                    if board.work.max_attempts >= task.attempt
                    else ""
                )
                rows.append(
                    [
                        str(each.number + 1),
                        prose(group.name, 40),
                        code(task.id, 60),
                        word if task.accepted else f"**{word}**",
                        f"{task.attempt}{most}" if task.attempt else figures.UNKNOWN,
                        figures.seconds(_worked(ledger, each, task)),
                        ", ".join(
                            f"{told.number} by {prose(_by(board, told), 40)}"
                            for told in task.rejections
                        ),
                    ]
                )
    return table(
        ["Iteration", "Group", "Task", "Result", "Attempts", "Agents' time", "Rejected"], rows
    )


def _worked(ledger: Ledger, iteration: Iteration, task: Task) -> float | None:
    """Seconds of all its dispatches and reviews."""
    homes = tuple(
        keys.join("iteration", iteration.number, kind, keys.path(task.id)) + "/"
        for kind in ("task", "review")
    )
    took = [
        figures.between(each.started, each.finished)
        for each in ledger.steps
        if each.finished and each.key.startswith(homes)
    ]
    return sum(each for each in took if each is not None) if took else None


def rejections(board: Board) -> list[str]:
    """Every attempt that was not accepted, with the evidence; tasks that failed together are
    listed together.
    """
    found: dict[tuple[int, Rejection], list[str]] = {}
    for each in board.work.iterations.values():
        for task in each.tasks:
            for told in task.rejections:
                found.setdefault((each.number, told), []).append(task.id)
    rows = [
        [
            str(number + 1),
            ", ".join(code(each, 60) for each in names),
            str(told.number),
            prose(word_of(told.status), 40),
            prose(_by(board, told), 40),
            "<br>".join(_evidence(told)) or figures.UNKNOWN,
        ]
        for (number, told), names in found.items()
    ]
    return table(["Iteration", "Tasks", "Attempt", "Result", "By", "Evidence"], rows)


def _evidence(told: Rejection) -> list[str]:
    """The first lines that say something, without drawn rules."""
    lines = [
        line
        for text in told.evidence
        for line in text[:20_000].splitlines()
        if not _RULE.fullmatch(line)
    ]
    return [prose(line, 160) for line in lines[:LINES]] + (
        [f"… {len(lines) - LINES} more lines"] if len(lines) > LINES else []
    )


def _by(board: Board, told: Rejection) -> str:
    step = board.steps.get(told.by)
    match step.effect if step is not None else None:
        case Check():
            return "build and test"
        case Stage(role=role):
            return role
        case _:
            return "its own result"
