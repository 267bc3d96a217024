"""What waits for a person, in the space available: the first gate in full, the others as far as
they fit.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from podium.views import figures, safe
from podium.views.board.state import BoardState
from podium.views.gate import Gate
from podium.views.look import Line, Span, elided, paragraphs, width_of, wrapped

FILES = 6
"""Lines for a subject's files when the deciding commands are shown as well."""
_KINDS = {
    "high_risk": " (high risk)",
    "question": " has a question and",
    "drift": " (somebody changed a file)",
}
_IN: Span = ("   ", "plain")


def gate_lines(
    board: BoardState, width: int, room: int | None, *, commands: bool = True
) -> list[Line]:
    """All open gates, each after an empty line. Without enough `room`, all but the first share
    what is left.
    """
    gates = list(board.gates.values())
    blocks: list[list[Line]] = [
        [(), *asking(board, gate, width, commands=commands)] for gate in gates
    ]
    if room is None or sum(height(each, width) for each in blocks) <= room:
        return [line for each in blocks for line in each]
    first: list[Line] = [
        (),
        *asking(
            board, gates[0], width, commands=commands, most=max(2, room - 1 - (len(gates) > 1))
        ),
    ]
    left = room - height(first, width)
    others = gates[1:]
    shown = others if len(others) <= left else others[: max(0, left - 1)]
    lines = [*first, *(_briefly(gate, width) for gate in shown)]
    if len(shown) < len(others):
        more = figures.plural(len(others) - len(shown), "more decision")
        words = (
            f"{more} {'waits' if len(others) - len(shown) == 1 else 'wait'}: podium status "
            f"{shlex.quote(safe.line(board.run, 60))}"
        )
        lines.append([(" ◆ ", "ask"), (safe.line(words, width - 4), "ask")])
    return lines


def height(lines: Sequence[Line], width: int) -> int:
    """Lines on the terminal: a command longer than the terminal's width takes several."""
    return sum(max(1, -(-width_of(each) // max(1, width))) for each in lines)


def asking(
    board: BoardState, gate: Gate, width: int, *, commands: bool = True, most: int | None = None
) -> list[Line]:
    """An open gate: question, subject, and the commands that answer it. The question is cut
    first.
    """
    lines: list[Line] = [[(" ◆ ", "ask"), (safe.line(title(gate), width - 4), "ask")]]
    about = subject(gate, width, most=FILES)
    said: list[Line] = (
        [[_IN, (safe.line(each, 200), "link")] for each in board.commands(gate)[:6]]
        if commands
        else []
    )
    if most is not None:
        said = said[: max(1, most // 3)]
        about = subject(gate, width, most=min(FILES, most - 2 - len(said)))
    room = None if most is None else max(1, most - 1 - len(about) - height(said, width))
    return [*lines, *question(gate, width, room), *about, *said]


def title(gate: Gate) -> str:
    again = ", since what was approved has changed" if gate.again else ""
    return f"{gate.key}{_KINDS.get(gate.kind, '')} waits for you{again}"


def question(gate: Gate, width: int, most: int | None = None) -> list[Line]:
    """The prompt, in at most `most` lines."""
    many = "\n" in gate.prompt.strip()
    told = (paragraphs if many else wrapped)(
        gate.prompt, width - 4, min(16 if many else 6, most or 16)
    )
    return [[_IN, (each, "strong")] for each in told]


def subject(
    gate: Gate, width: int, changed: Sequence[str] = (), *, most: int | None = None
) -> list[Line]:
    """The files a decision is about, with digests, in `most` lines; `changed` differ since the gate
    opened.

    Whoever approves must know about all of them, so those that do not fit are counted.
    """
    found = sorted(gate.subject.items())
    if most is not None and most < 1:
        return []
    named = found if most is None or len(found) <= most else found[: most - 1]
    lines: list[Line] = []
    size = min(width - 18, max((safe.cells(safe.line(path)) for path, _ in named), default=0))
    for path, mark in named:
        new = "  changed since the gate opened" if path in changed else ""
        shown = (
            f"{safe.pad(elided(safe.line(path, 400), size), size)}  "
            f"{safe.line(figures.digest(mark), 12)}{new}"
        )
        lines.append([_IN, (safe.fit(shown, width - 4), "ask" if new else "dim")])
    if left := len(found) - len(named):
        lines.append(
            [_IN, (f"… and {figures.plural(left, 'more file' if named else 'file')}", "dim")]
        )
    return lines


def _briefly(gate: Gate, width: int) -> Line:
    head, prompt = safe.line(gate.key, 40), gate.prompt.strip().partition("\n")[0]
    return [
        (" ◆ ", "ask"),
        (head, "ask"),
        (f"  {safe.line(prompt, max(8, width - 6 - safe.cells(head)))}", "dim"),
    ]
