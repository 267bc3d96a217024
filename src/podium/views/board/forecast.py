"""How far a run is and how much is left, as far as that can be said honestly."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence

from podium.core.effects import Cluster, FanOut, Stage
from podium.core.run import DONE
from podium.core.workflow import Step
from podium.views.board import counters
from podium.views.board.board import Board
from podium.views.board.row import OVER, Row

ENOUGH = 2
"""Finished dispatches needed before a median says anything."""


def steps_over(board: Board) -> tuple[int, int]:
    """Steps finished, and steps in all.

    A step that a loop will repeat is not finished. Checks take no agent's time and are not counted,
    and rare steps may never come.
    """
    order = [
        name
        for name, row in board.rows.items()
        if row.kind != "check" and not _rare(board.steps.get(name))
    ]
    names = list(board.rows)
    here = names.index(board.at) if board.at in names else len(names)
    behind = {"done"} if board.status == "cancelled" else OVER
    over = sum(board.rows[name].state in behind and names.index(name) <= here for name in order)
    return over, len(order)


def _rare(step: Step | None) -> bool:
    return step is not None and step.rare


def items_over(board: Board) -> tuple[int, int] | None:
    """Items done and items in all, for a run that has a child run for each; None for any other."""
    if first_home(board) is None:
        return None
    done = {child.name for child in _items(board) if child.state == "done"}
    if whole := counters.number(board.counters, "items"):
        return min(len(done), whole), whole
    left = counters.number(board.counters, "left")
    if left is None:
        return None
    current = str(board.counters.get("current") or "")
    # The current item is not counted in `left`; blocked ones are.
    return len(done), len(done) + left + int(bool(current) and current not in done)


def item_word(board: Board) -> str:
    """What people call the things that each have a child run."""
    return next(
        (step.effect.noun for step in board.steps.values() if isinstance(step.effect, FanOut)),
        "item",
    )


def items_to_come(board: Board) -> int:
    """Items that nobody has started."""
    done, whole = items_over(board) or (0, 0)
    begun = sum(child.state not in {"done", "skipped"} for child in _items(board))
    return max(0, whole - done - begun)


def first_home(board: Board) -> Row | None:
    """The step whose items are counted, if several steps have items."""
    return next((row for row in board.rows.values() if row.kind == "fan_out"), None)


def _items(board: Board) -> list[Row]:
    return [
        child
        for row in board.rows.values()
        if row.kind == "fan_out"
        for child in row.children.values()
    ]


def time_left(board: Board, now: float) -> float | None:
    """Seconds of agents' work still to come; None if nobody can know."""
    if board.status != "active" or not board.at:
        return None
    if (counted := items_over(board)) is not None:
        blocked = sum(child.state == "failed" for child in _items(board))
        return items_left(
            _took(board, "done", None),
            counted[1] - counted[0] - blocked,
            _took(board, "running", now),
        )
    row = board.rows.get(board.at)
    running = row.seconds(now) if row is not None and row.state == "running" else None
    left = stages_left(board.steps, board.at)
    step = board.steps.get(board.at)
    more = (
        counters.parts_left(board.counters)
        if step is not None and isinstance(step.effect, Cluster)
        else 0
    )
    return seconds_left(board.took, None if left is None else left + more, running)


def _took(board: Board, state: str, now: float | None) -> list[float]:
    return [
        took
        for each in _items(board)
        if each.state == state and (took := each.seconds(now)) is not None
    ]


def stages_left(steps: Mapping[str, Step], at: str) -> int | None:
    """Agent stages on the shortest way from `at` to the end, including that step.

    None if the workflow has child runs; then items are counted, if their number is known.
    """
    if any(isinstance(step.effect, FanOut) for step in steps.values()):
        return None
    queue, seen = [(0, at)], set[str]()
    while queue:
        cost, name = heapq.heappop(queue)
        if name == DONE:
            return cost
        step = steps.get(name)
        if name in seen or step is None:
            continue
        seen.add(name)
        work = 1 if isinstance(step.effect, Stage | Cluster) else 0
        for target in step.exits:
            heapq.heappush(queue, (cost + work, target))
    return None


def seconds_left(took: Sequence[float], left: int | None, running: float | None) -> float | None:
    """Seconds of agents' work still to come, from the median of the dispatches so far."""
    if left is None or len(took) < ENOUGH:
        return None
    typical = _median(took)
    if running is None or left == 0:
        return typical * left
    return typical * (left - 1) + max(0.0, typical - running)


def items_left(took: Sequence[float], left: int, running: Sequence[float]) -> float | None:
    """The same for items, as many at once as now; the first that is done shows how long one
    takes.
    """
    if not took:
        return None
    typical = _median(took)
    under_way = [max(0.0, typical - each) for each in running]
    return typical * max(0, left - len(under_way)) / max(1, len(under_way)) + max(
        under_way, default=0.0
    )


def _median(took: Sequence[float]) -> float:
    """Like `statistics.median`; that module takes as long to load as everything else `podium
    status` imports.
    """
    ordered, middle = sorted(took), len(took) // 2
    return ordered[middle] if len(took) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
