"""The last words of a command that drove a run: how it ended, where to look, what to type next."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from podium.views import figures, safe
from podium.views.board import Board
from podium.views.frame import Line, Tone


def closing(board: Board, *, advice: Sequence[str] = (), interrupted: bool = False) -> list[Line]:
    """`advice`: full commands from the engine; without them the board's own knowledge has to do."""
    if not board.run:
        return []
    word, tone = _ended(board, interrupted)
    lines: list[Line] = [[(" ", "plain"), (safe.line(word, 400), tone)]]
    commands = [safe.line(each, 400) for each in advice] or _next(board, interrupted)
    lines += [
        [(" next  " if index == 0 else "       ", "dim"), (each, "link")]
        for index, each in enumerate(commands)
    ]
    lines.append(
        [
            (" look  ", "dim"),
            (f"podium show {_run(board)}", "link"),
            ("  or  ", "dim"),
            (f"podium report {_run(board)}", "link"),
        ]
    )
    lines.append([(" files ", "dim"), (f".podium/runs/{safe.line(board.run, 120)}/", "plain")])
    return lines


def _run(board: Board) -> str:
    return shlex.quote(safe.line(board.run, 120))


def _ended(board: Board, interrupted: bool) -> tuple[str, Tone]:
    took = figures.seconds(board.elapsed())
    if board.status == "complete":
        findings = board.outcome == "completed_with_findings"
        return (
            (f"Complete with findings after {took}.", "ask")
            if findings
            else (f"Complete after {took}.", "good")
        )
    if board.status == "cancelled":
        return f"Cancelled: {board.reason}" if board.reason else "Cancelled.", "dim"
    if board.status == "blocked":
        return f"Blocked: {board.reason}", "bad"
    if board.status == "sleeping":
        return f"Asleep until {board.until or 'a timer passes'}: {board.reason}", "ask"
    if board.status == "waiting":
        several = f"{len(board.gates)} decisions" if len(board.gates) > 1 else "your decision"
        return f"Paused for {several}. Nothing runs and nothing is lost meanwhile.", "ask"
    word = "Interrupted" if interrupted else "Stopped"
    return f"{word} at {board.at or 'the start'}; the run can go on from here.", "ask"


def _next(board: Board, interrupted: bool) -> list[str]:
    if board.status == "waiting" and board.gates:
        asked = [each for gate in board.gates.values() for each in board.commands(gate)]
        return [safe.line(each, 400) for each in asked[:8]]
    if board.status == "blocked":
        return [f"podium resume {_run(board)} --because 'what you changed'"]
    if board.status in {"active", "sleeping", "waiting"} or (
        interrupted and board.status not in {"complete", "cancelled"}
    ):
        return [f"podium resume {_run(board)}"]
    return []
