"""What waits for a person, in the space available: the first gate in full, the others as far as
they fit.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence

from podium.views import figures, safe
from podium.views.board.state import BoardState
from podium.views.delivery_lines import change_block, proof_block, weakened_block
from podium.views.gate import Gate
from podium.views.look import Line, Span, elided, paragraphs, width_of, wrapped

FILES = 20
"""Lines of a list of files where there is room for all of them; the rest is counted."""
WHOLE = 200
_IN: Span = ("   ", "plain")
Part = Callable[[int], list[Line]]
"""Takes the most lines; returns what fits."""


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
    """An open gate: what is proven, the code, the question, the files, and the commands that
    answer it.
    """
    lines: list[Line] = [[(" ◆ ", "ask"), (safe.line(title(gate), width - 4), "ask")]]
    said: list[Line] = (
        [[_IN, (safe.line(each, 200), "link")] for each in board.commands(gate)[:6]]
        if commands
        else []
    )
    if most is not None:
        said = said[: max(1, most // 3)]
    room = None if most is None else max(1, most - 1 - height(said, width))
    return [*lines, *matter(gate, width, room), *said]


def title(gate: Gate) -> str:
    again = ", since what was approved has changed" if gate.again else ""
    return f"Your turn: {gate.place}{_kind(gate)}{again}"


def _kind(gate: Gate) -> str:
    if gate.about_tests:
        return " (tests were changed)"
    return {"high_risk": " (high risk)", "drift": " (somebody changed a file)"}.get(gate.kind, "")


def matter(gate: Gate, width: int, room: int | None, changed: Sequence[str] = ()) -> list[Line]:
    """What a person has to know, in at most `room` lines: the proof first, then the code, the
    question, and the documents. How a step changed tests comes before its code.
    """
    delivery, inner = gate.delivery, width - 4
    parts: dict[str, Part] = {
        "proof": lambda most: _inside(proof_block(delivery, inner, most)),
        "weakened": lambda most: _inside(weakened_block(delivery, inner, most)),
        "code": lambda most: _inside(change_block(delivery, inner, min(most, FILES))),
        "question": lambda most: question(gate, width, most),
        "documents": lambda most: subject(gate, width, changed, most=min(most, FILES)),
    }
    order = ["proof", "question", *parts] if gate.about_tests else [*parts]
    most = dict.fromkeys(parts, WHOLE) if room is None else _shares(parts, room)
    return [line for name in dict.fromkeys(order) for line in parts[name](most[name])]


def _shares(parts: Mapping[str, Part], room: int) -> dict[str, int]:
    """How many lines each part gets: first the least that it needs, then in the order in which
    they matter to whoever decides.
    """
    wants = {name: len(part(WHOLE)) for name, part in parts.items()}
    given = dict.fromkeys(parts, 0)
    for least in (1, 2, WHOLE):
        for name in ("proof", "question", "weakened", "code", "documents"):
            more = min(wants[name], least) - given[name]
            given[name] += max(0, min(more, room - sum(given.values())))
    return given


def _inside(lines: Sequence[Line]) -> list[Line]:
    return [[_IN, *line] for line in lines]


def question(gate: Gate, width: int, most: int | None = None) -> list[Line]:
    """The prompt, in at most `most` lines."""
    many = "\n" in gate.prompt.strip()
    if most is not None and most < 1:
        return []
    limit = min(160 if gate.about_tests else 16 if many else 6, most or 16)
    told = (paragraphs if many else wrapped)(gate.prompt, width - 4, limit)
    return [[_IN, (each, "strong")] for each in told]


def subject(
    gate: Gate, width: int, changed: Sequence[str] = (), *, most: int | None = None
) -> list[Line]:
    """The files a decision is about besides those of the code, with digests, in `most` lines;
    `changed` differ since the gate opened.

    Whoever approves must know about all of them, so those that do not fit are counted.
    """
    code = {file.path for file in gate.delivery.files} - {*changed}
    found = sorted((path, mark) for path, mark in gate.subject.items() if path not in code)
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
