"""The last words of a command that drove a run: how it ended, what it achieved, what to type
next, where to look.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from podium.proof.sentences import SHOWN
from podium.views import figures, safe
from podium.views.board import counters
from podium.views.board.board import Board
from podium.views.board.forecast import item_word, items_over
from podium.views.delivery_lines import change_block, proof_block, weakened_block
from podium.views.lines import ended_by
from podium.views.look import ENDS, Line, Tone, wrapped
from podium.views.proving import proof_state
from podium.views.standing import where

REASONS, WARNINGS, MOST = 12, 2, 8
"""How many lines of a reason, how many warnings, and how many lines of one sentence are shown."""
FILES, WEAKENED, NAMES, PRINTED = 13, 8, 20, 12
"""Lines for files of the code, for weakened tests, for failing tests, and for their output."""


def closing(
    board: Board, width: int, *, advice: Sequence[str] = (), interrupted: bool = False
) -> list[Line]:
    """`advice`: full commands from the engine; without them the board's own knowledge must do.
    Commands are never broken.
    """
    if not board.run:
        return []
    word, *more = _ended(board, interrupted)
    lines = _broken(" ", "   ", [word[0]], word[1], width)
    for each, tone in more:
        lead = " " * (3 + len(each) - len(each.lstrip()))
        lines += _broken(lead, f"{lead}  ", [each], tone, width)
    told = any(gate.delivery.proof for gate in board.gates.values())
    lines += [] if told else come_to(board, width)
    lines += failures(board, width) if board.status == "blocked" else []
    lines += (
        _broken(" made  ", "       ", [", ".join(made)], "plain", width)
        if (made := sums(board))
        else []
    )
    lines += _broken(" note  ", "       ", _warnings(board), "ask", width)
    commands = [safe.line(each, 400) for each in advice] or _next(board, interrupted)
    look = [f"podium {verb} {_run(board)}" for verb in ("report", "show", "log")]
    lines += _listed("next", commands)
    lines += _listed("look", [each for each in look if each not in commands][:2])
    lines.append([(" files ", "dim"), (f".podium/runs/{safe.line(board.run, 120)}/", "plain")])
    return lines


def come_to(board: Board, width: int) -> list[Line]:
    """What is proven, and the code: of a run at rest, and of one that has ended."""
    delivery, room = board.delivery, max(20, width - 7)
    lines = _led(" proof ", proof_block(delivery, room))
    lines += _led("       ", weakened_block(delivery, room, WEAKENED))
    code = change_block(delivery, room, FILES)
    if delivery.total > FILES - 1:
        code.append([(f"podium report {_run(board)} lists them all", "link")])
    return lines + _led(" code  ", code)


def _led(lead: str, lines: Sequence[Line]) -> list[Line]:
    return [[(lead if not index else "       ", "dim"), *line] for index, line in enumerate(lines)]


def failures(board: Board, width: int) -> list[Line]:
    """The tests that fail, by name, and what their command printed last."""
    lines: list[Line] = []
    for record in board.proof.values():
        if proof_state(record) not in {"failed", "not_run"} or record.get("waived"):
            continue
        names = list(map(str, record.get("new") or record.get("failing") or ()))
        names = names if len(names) > SHOWN else []  # the proof has named them
        shown = names if len(names) <= NAMES else names[: NAMES - 1]
        lines += _led(" fails ", [[(safe.line(name, max(20, width - 8)), "bad")] for name in shown])
        if len(shown) < len(names):
            lines.append([("       ", "dim"), (f"… and {len(names) - len(shown)} more", "dim")])
        printed = safe.block(str(record.get("output", "")), width=max(20, width - 9))[-PRINTED:]
        if printed:
            command = safe.line(record.get("command", ""), max(20, width - 24))
            lines.append([(f"       The last lines of `{command}`:", "dim")])
            lines += [[("       │ ", "dim"), (line, "plain")] for line in printed]
    return lines


def _broken(lead: str, under: str, texts: Sequence[str], tone: Tone, width: int) -> list[Line]:
    """Sentences in lines of this width, each broken at words."""
    found = [
        each
        for text in texts
        for each in wrapped(safe.line(text, 400), max(20, width - len(under)), MOST)
    ]
    return [[(under if index else lead, "dim"), (each, tone)] for index, each in enumerate(found)]


def _listed(name: str, commands: Sequence[str]) -> list[Line]:
    return [
        [(f" {name}  " if not index else "       ", "dim"), (each, "link")]
        for index, each in enumerate(commands)
    ]


def sums(board: Board) -> list[str]:
    """What it achieved, in numbers: items or tasks, further attempts, rounds, commits."""
    found: list[str] = []
    if (items := items_over(board)) is not None:
        found.append(f"{items[0]} of {figures.plural(items[1], item_word(board))} done")
        retries = sum(child.attempt - 1 for child in board.children() if child.attempt > 1)
        # If everything is complete, a person has done what was blocked.
        blocked = (
            sum(child.state == "failed" for child in board.children())
            if board.status != "complete"
            else 0
        )
        found += [f"{blocked} blocked"] if blocked else []
        found += [figures.plural(retries, "more attempt")] if retries else []
    found += _grouped(board)
    visits = [
        visit
        for row in board.rows.values()
        for visit in row.children.values()
        if visit.kind == "visit"
    ]
    if board.work.now is None and (
        tasks := [task for visit in visits for task in visit.children.values()]
    ):
        failed = sum(task.state == "failed" for task in tasks)
        found.append(
            f"{figures.plural(len(tasks), 'task')} in {figures.plural(len(visits), 'wave')}"
        )
        found += [f"{failed} failed"] if failed else []
    kinds = {"cluster"} if any(row.kind == "cluster" for row in board.rows.values()) else {"stage"}
    again = [row for row in board.rows.values() if row.round > 1 and row.kind in kinds]
    found += [
        f"{(row.role if row.kind == 'cluster' else '') or row.name} {row.round} rounds"
        for row in again
    ]
    if board.commits:
        found.append(figures.plural(len(board.commits), "commit"))
    elif board.landed and board.status == "complete":
        found.append(
            f"{figures.plural(len(board.landed), 'file')} of code in your checkout, not committed"
        )
    return found


def _grouped(board: Board) -> list[str]:
    """Tasks of the last iteration in their groups, further attempts, iterations."""
    now = board.work.now
    if now is None or not (now.groups or now.number):
        return []
    done, whole = sum(each.accepted for each in now.tasks), len(now.tasks)
    counted = (
        figures.plural(whole, "task")
        if done == whole
        else f"{done} of {figures.plural(whole, 'task')}"
    )
    found = [f"{counted} in {figures.plural(len(now.groups), 'group')}"] if whole else []
    more = sum(
        max(0, each.number - 1) for known in board.work.iterations.values() for each in known.tasks
    )
    found += [figures.plural(more, "more attempt")] if more else []
    return [*found, figures.plural(len(board.work.iterations), "iteration")]


def _warnings(board: Board) -> list[str]:
    said = [
        *counters.texts(board.counters, "warnings"),
    ]
    return (
        said
        if len(said) <= WARNINGS
        else [f"{len(said)} warnings; podium report {_run(board)} lists them"]
    )


def _run(board: Board) -> str:
    return shlex.quote(safe.line(board.run, 120))


def _ended(board: Board, interrupted: bool) -> list[tuple[str, Tone]]:
    """How it ended; a long reason continues in lines of its own."""
    took = figures.seconds(board.elapsed())
    if board.status == "complete":
        word, tone = ENDS.get(board.outcome, ("complete", "good"))
        comma = "," if "," in word else ""
        return [(f"{word[:1].upper()}{word[1:]}{comma} after {took}.", tone)]
    if board.status == "cancelled":
        said = ended_by(board.reason)
        return [(safe.line(f"{said[:1].upper()}{said[1:]}", 400), "dim")]
    if board.status == "blocked":
        first, *more = board.reason.removeprefix("blocked: ").splitlines() or [""]
        cut = [*more[: REASONS - 1], "…"] if len(more) > REASONS else more
        return [
            (safe.line(f"Blocked: {first}", 400), "bad"),
            *((_indented(each), "plain") for each in cut),
        ]
    if board.status == "sleeping":
        return [
            (
                safe.line(f"Asleep until {board.until or 'a timer passes'}: {board.reason}", 400),
                "ask",
            )
        ]
    if board.status == "waiting":
        several = f"{len(board.gates)} decisions" if len(board.gates) > 1 else "your decision"
        return [(f"Paused for {several}. Until then nothing runs, and nothing is lost.", "ask")]
    if board.status == "gone":
        return [
            (
                safe.line(
                    (
                        f"{board.reason}; it was at {where(board, brief=True)}, and can be "
                        "resumed from there."
                    ),
                    400,
                ),
                "bad",
            )
        ]
    word = "Interrupted" if interrupted else "Stopped"
    return [
        (
            safe.line(
                f"{word} at {where(board, brief=True)}; the run can be resumed from here.", 400
            ),
            "ask",
        )
    ]


def _indented(line: str) -> str:
    return " " * min(8, len(line) - len(line.lstrip())) + safe.line(line, 300)


def _next(board: Board, interrupted: bool) -> list[str]:
    if board.status == "waiting" and board.gates:
        asked = [each for gate in board.gates.values() for each in board.commands(gate)]
        return [safe.line(each, 400) for each in asked[:8]]
    if board.status == "blocked":
        return [f"podium resume {_run(board)} --because 'what you changed'"]
    if board.status in {"active", "sleeping", "waiting", "gone"} or (
        interrupted and board.status not in {"complete", "cancelled"}
    ):
        return [f"podium resume {_run(board)}"]
    return []
