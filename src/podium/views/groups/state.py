"""The current state of a group and a task: from the run's state, and from what its agents are
doing.
"""

from __future__ import annotations

from dataclasses import dataclass

from podium.core import keys
from podium.core.effects import Check
from podium.views.board.board import Board
from podium.views.board.groups import FAILED, Group, Task
from podium.views.board.row import Row, State

PHASE = "Tasks"
"""The phase whose steps the table of groups replaces."""
_STATES: dict[str, State] = {
    "PENDING": "pending",
    "ACCEPTED": "done",
    **dict.fromkeys(FAILED, "failed"),
}


@dataclass(frozen=True)
class Standing:
    """One task as people see it."""

    task: Task
    state: State
    word: str
    row: Row | None = None
    """The dispatch it is about: the current one, or the last."""
    said: str = ""


def inside(board: Board, name: str) -> bool:
    """Whether the groups show what the row of this step would."""
    step = board.steps.get(name)
    return board.work.now is not None and step is not None and step.phase == PHASE


def checking(board: Board) -> Row | None:
    """The group's build and test, while they run."""
    for name, row in board.rows.items():
        step = board.steps.get(name)
        command = (
            step is not None and isinstance(step.effect, Check) and step.effect.kind == "command"
        )
        if command and inside(board, name) and row.state == "running":
            return row
    return None


def group_state(board: Board, group: Group) -> State:
    if group.done:
        return "done"
    if group.name != board.work.group or not group.began:
        return "skipped" if board.status in {"complete", "cancelled"} else "pending"
    return {"blocked": "failed", "cancelled": "skipped"}.get(board.status, "running")  # type: ignore[return-value]


def standing(board: Board, group: Group, task: Task) -> Standing:
    work, review = (_row(board, kind, task) for kind in ("task", "review"))
    # What was wrong with a whole group is said once, on the group's line.
    wrong = "" if group.failure and _by_check(board, task) else _wrong(task)
    again = f"again: {wrong}" if wrong and task.number > task.rejections[-1].number else ""
    if task.accepted:
        return Standing(task, "done", "accepted", work)
    if review is not None and review.state == "running":
        return Standing(task, "running", "in review", review, review.last)
    if work is not None and work.state == "running":
        return Standing(task, "running", "at work", work, work.last or again)
    if work is not None and work.state == "waiting":
        return Standing(task, "waiting", "asks", work, work.last)
    if _awaited(board, group, task):
        return _dispatched(task, work, again)
    state = _STATES.get(task.status, "done")
    return Standing(task, state, word_of(task.status), work, wrong if state == "failed" else "")


def _awaited(board: Board, group: Group, task: Task) -> bool:
    """Whether it belongs to a batch that may still be at work, so that the state cannot say yet
    how it ended.
    """
    row = board.rows.get(board.at)
    return (
        group.name == board.work.group
        and task.id in board.work.batch
        and row is not None
        and row.kind == "cluster"
    )


def _dispatched(task: Task, row: Row | None, again: str) -> Standing:
    if row is None or not row.finished:
        return Standing(task, "pending", "pending", row, row.last if row else again)
    word = word_of(row.verdict.partition(":")[0] or row.state)
    # The row already shows the word it ended with.
    said = row.last.removeprefix(f"{row.verdict}: ")
    return Standing(task, "failed" if row.state == "failed" else "done", word, row, said)


def word_of(status: str) -> str:
    """The status as in tasks.yaml, in lower case."""
    return status.lower().replace("_", " ")


def _row(board: Board, kind: str, task: Task) -> Row | None:
    """The dispatch of its current attempt."""
    now = board.work.now
    path = (
        board.path(
            keys.join("iteration", now.number, kind, keys.path(f"{task.id}/{max(task.number, 1)}"))
        )
        if now
        else []
    )
    return path[-1] if path else None


def _wrong(task: Task) -> str:
    """What was wrong with it last time."""
    return next(iter(task.rejections[-1].evidence), "") if task.rejections else ""


def _by_check(board: Board, task: Task) -> bool:
    """Whether its last rejection came from the group's build and test."""
    step = board.steps.get(task.rejections[-1].by) if task.rejections else None
    return step is not None and isinstance(step.effect, Check)
