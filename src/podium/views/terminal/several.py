"""Several runs below each other, in the space available: active runs have rows, resting ones a
line.
"""

from __future__ import annotations

from collections.abc import Sequence

from podium.views import figures
from podium.views.asking import gate_lines, height
from podium.views.board.board import Board
from podium.views.drawing import entries
from podium.views.folding import fitted
from podium.views.frame import NARROW, Below, frame, headline, meter
from podium.views.look import Line, Look, cropped
from podium.views.standing import where

LIVE = frozenset({"", "active", "waiting"})
LEAST = 4
"""A headline, a row, the meter and an empty line; with less space a run gets only its headline."""


def stacked(boards: Sequence[Board], look: Look, below: Below | None = None) -> list[Line]:
    """One run as usual; several one after the other, and what waits for a person below all of
    them.
    """
    if len(boards) == 1:
        return frame(boards[0], look, below)
    width = max(look.width, NARROW)
    half = look.height // 2 if look.height else None
    foot = below(width, half) if below else _gates(boards, width, half, commands=not look.last)
    if not look.height:
        return [*_all(boards, [None] * len(boards), look, width), *foot]
    room = max(1, look.height - 1 - height(foot, width))
    shares = _shares(boards, look, width, room)
    hidden = 0
    if not any(shares) and len(boards) > room:
        # There is not even space for all headlines: those of active runs come first.
        boards = sorted(boards, key=lambda each: each.status not in LIVE)
        hidden, boards = len(boards) - room + 1, boards[: room - 1]
    lines = _all(boards, shares[: len(boards)], look, width)
    lines += [[(f" … {figures.plural(hidden, 'more run')}", "dim")]] if hidden else []
    return [*(cropped(line, width) for line in lines), *foot][: look.height - 1]


def _all(
    boards: Sequence[Board], shares: Sequence[int | None], look: Look, width: int
) -> list[Line]:
    lines: list[Line] = []
    before: int | None = None
    for board, share in zip(boards, shares, strict=True):
        # Single headlines follow each other; a run with rows is set apart.
        lines += [()] if lines and not (share == 0 and before == 0) else []
        lines += _one(board, share, look, width)
        before = share
    return lines


def _one(board: Board, share: int | None, look: Look, width: int) -> list[Line]:
    if share == 0:
        return [
            headline(
                board, _still(board, look), width, where(board) if board.status in LIVE else ""
            )
        ]
    head = headline(board, _still(board, look), width)
    rows = fitted(entries(board, _still(board, look), width), share)
    return [head, *rows, meter(board, _still(board, look), width)]


def _still(board: Board, look: Look) -> Look:
    """In a run that rests, nothing turns and no clock runs."""
    return (
        look
        if board.status in {"", "active"}
        else Look(look.width, look.height, None, last=look.last)
    )


def _shares(boards: Sequence[Board], look: Look, width: int, room: int) -> list[int | None]:
    """Lines for the rows of each run, 0 for a headline alone: resting runs give way to active
    ones.
    """
    needs = [len(fitted(entries(board, _still(board, look), width), None)) for board in boards]
    if sum(needs) + 3 * len(boards) - 1 <= room:
        return [None] * len(boards)
    live = [place for place, board in enumerate(boards) if board.status in LIVE]
    shares: list[int | None] = [0] * len(boards)
    # First every headline with a line after it, then as many runs with rows as there is space for.
    left = room - 2 * len(boards)
    live = live[: max(0, left // (LEAST - 2))]
    # The smallest first, so that what one does not need is left for the others.
    for turn, place in enumerate(sorted(live, key=lambda each: (needs[each], each))):
        share = max(1, min(needs[place], left // (len(live) - turn) - 1))
        shares[place] = share
        left -= share + 1  # plus the meter
    return shares


def _gates(boards: Sequence[Board], width: int, room: int | None, *, commands: bool) -> list[Line]:
    lines: list[Line] = []
    for board in boards:
        if board.gates:
            left = None if room is None else room - height(lines, width)
            if left is not None and left < LEAST:
                lines.append([(" ◆ ", "ask"), ("more decisions wait: podium status", "ask")])
                break
            lines += gate_lines(board, width, left, commands=commands)
    return lines
