"""Where a run stands, in one line: the step, item or wave, how often it was tried, and how much
is done.
"""

from __future__ import annotations

from podium.core.run import DONE
from podium.views import figures
from podium.views.board.board import Board
from podium.views.board.forecast import item_word, items_over
from podium.views.board.row import OVER, Row
from podium.views.groups.state import inside
from podium.views.groups.words import iteration_words, progress


def where(board: Board, *, brief: bool = False) -> str:
    """`item US-2: testing, attempt 2 of 3; 1 of 3 items done`, `ct, round 2: 1 of 4 done`, or the
    step alone.

    `brief`: only the place.
    """
    if board.at == DONE:
        return DONE
    row = board.rows.get(board.at)
    if board.work.now is not None:
        return _grouped(board, row, brief=brief)
    items = None if brief else items_over(board)
    counted = f"; {items[0]} of {figures.plural(items[1], item_word(board))} done" if items else ""
    if row is None:
        return (board.at or "the start") + counted
    home = _home(board, row)
    if home is not None and (child := _present(home)) is not None:
        return _child(home, child, brief=brief) + counted
    return _step(board, row) + counted


def _grouped(board: Board, row: Row | None, *, brief: bool) -> str:
    """`group A: TASK-2, TASK-3; iteration 2 of 5; 1 of 4 tasks accepted`, or the step of a run
    that has groups.
    """
    work, now = board.work, board.work.now
    group = now.group(work.group) if now is not None and inside(board, board.at) else None
    if group is None:
        place = _step(board, row) if row is not None else board.at or "the start"
    else:
        tasks = [each for each in group.tasks if each.id in work.batch]
        place = f"group {group.name}" + (
            f": {', '.join(each.id for each in tasks[:4])}" if tasks else ""
        )
        place += f" and {len(tasks) - 4} more" if len(tasks) > 4 else ""
    if brief:
        return place
    known = progress(work)
    counted = (
        f"{known.done} of {figures.plural(known.whole, 'task')} accepted"
        if known and known.whole
        else ""
    )
    return "; ".join(
        each
        for each in (
            place,
            iteration_words(work) if now is not None and now.number else "",
            counted,
        )
        if each
    )


def _home(board: Board, row: Row) -> Row | None:
    """The step whose child runs say more than the step itself, also between two of them."""
    if row.kind == "fan_out":
        return row
    return (
        next((each for each in board.rows.values() if each.kind == "fan_out"), None)
        if row.kind == "check"
        else None
    )


def _present(home: Row) -> Row | None:
    """The child being worked on; otherwise the last one that ended badly, or just the last."""
    rows = list(home.children.values())
    busy = [row for row in rows if row.state not in {*OVER, "failed"}]
    bad = [row for row in rows if row.state == "failed"]
    return next(iter(busy or bad[-1:] or rows[-1:]), None)


def _child(home: Row, child: Row, *, brief: bool) -> str:
    inner = [row for row in child.children.values() if row.key]
    at = inner[-1].name if inner else ""
    words = [
        f"{home.name} {child.name}" + (f": {at}" if at else ""),
        "" if brief else child.effort(),
    ]
    state = {"failed": "blocked", "waiting": "waits for you", "done": "done"}.get(child.state, "")
    return ", ".join(each for each in (*words, state) if each)


def _step(board: Board, row: Row) -> str:
    visits = [each for each in row.children.values() if each.kind == "visit"]
    present = next(
        (each for each in visits if each.state == "running"), visits[-1] if visits else row
    )
    effort = f", {present.effort()}" if present.effort() else ""
    done, whole = present.over()
    if whole and present.state == "running":
        return f"{present.name}{effort}: {done} of {whole} done"
    # If the run stopped between two steps, its own phase is still that of the previous step.
    phase = (
        step.phase
        if (step := board.steps.get(board.at)) is not None and step.phase
        else board.phase
    )
    told = (
        f" ({phase})"
        if phase and phase.lower() not in {present.name, present.name.replace("-", " ")}
        else ""
    )
    return f"{present.name}{effort}{told}"
