"""A board drawn as lines of styled spans: the terminal, `status` and tests share this one drawing.

No colour is decided here: a span names what it means, whoever prints it knows the colour.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from podium.views import figures, safe
from podium.views.board import Board
from podium.views.gate import Gate
from podium.views.row import Row, State

Tone = Literal["plain", "dim", "strong", "good", "bad", "busy", "ask", "link"]
Span = tuple[str, Tone]
Line = Sequence[Span]

ICONS: dict[State, str] = {
    "pending": "○", "running": "●", "done": "✓", "failed": "✗", "waiting": "◆", "stale": "↻", "skipped": "·",
}  # fmt: skip
TONES: dict[State, Tone] = {
    "pending": "dim", "running": "busy", "done": "good", "failed": "bad",
    "waiting": "ask", "stale": "ask", "skipped": "dim",
}  # fmt: skip
STATUS: dict[str, tuple[str, Tone]] = {
    "active": ("running", "busy"),
    "waiting": ("waits for you", "ask"),
    "sleeping": ("asleep", "ask"),
    "blocked": ("blocked", "bad"),
    "complete": ("complete", "good"),
    "cancelled": ("cancelled", "dim"),
}
SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
NARROW = 40
SHOWN_CHILDREN = 8


@dataclass(frozen=True)
class Look:
    """Everything about the place a board is drawn on."""

    width: int = 80
    height: int = 0
    """Lines there are; 0 = as many as needed."""
    now: float | None = None
    moving: bool = False
    """Whether it is drawn again and again, so that a spinner turns."""
    last: bool = False
    """Whether closing words follow, which name the commands."""


def frame(board: Board, look: Look) -> list[Line]:
    """The whole board: a headline, the stages, how far it is, and what waits for a person."""
    width = max(look.width, NARROW)
    top = [headline(board, look, width), *_reason(board, width), ()]
    bottom: list[Line] = [(), meter(board, look, width)]
    for gate in board.gates.values():
        bottom += [(), *asking(board, gate, width, commands=not look.last)]
    room = look.height - len(top) - len(bottom) - 1 if look.height else 0
    lines = [*top, *stages(board, look, width, room), *bottom[:2]]
    # A gate's commands stay whole: they are there to be copied.
    return [*(_cropped(line, width) for line in lines), *bottom[2:]]


def _cropped(line: Line, width: int) -> Line:
    kept: list[Span] = []
    for text, tone in line:
        room = width - sum(safe.cells(each) for each, _ in kept)
        kept.append((safe.fit(text, room) if text.strip() else text[:room], tone))
    return kept


def headline(board: Board, look: Look, width: int) -> Line:
    word, tone = STATUS.get(board.status, (board.status or "starting", "dim"))
    if board.outcome == "completed_with_findings":
        word, tone = "complete with findings", "ask"
    right = f"{safe.line(word, 24)}  {figures.seconds(board.elapsed(look.now))}"
    name = safe.line(board.workflow or "podium", 20)
    ident = safe.line(board.run, 40)
    room = max(8, width - safe.cells(right) - safe.cells(name) - 6)
    title = safe.line(board.title, room)
    ident = ident if safe.cells(title) + safe.cells(ident) + 2 <= room else ""
    gap = " " * max(1, room + 1 - safe.cells(title) - safe.cells(ident))
    return [(f" {name}", "strong"), (f"  {title}  ", "plain"), (ident, "dim"), (gap, "plain"), (right, tone)]


def _reason(board: Board, width: int) -> list[Line]:
    if board.status not in {"blocked", "sleeping", "cancelled"} or not (board.reason or board.until):
        return []
    until = f" until {board.until}" if board.until else ""
    return [[(" ", "plain"), (safe.line(f"{board.reason}{until}", width - 2), STATUS[board.status][1])]]


def stages(board: Board, look: Look, width: int, room: int = 0) -> list[Line]:
    """One line a stage and one below it while it works; cut around the running one where there is no room."""
    shown = [(row, depth) for top in board.rows.values() for row, depth in _visible(top)]
    cells = [
        [_name(row, depth), safe.line(row.effort(), 16), safe.line(row.role, 18)] for row, depth in shown
    ]
    widths = (
        safe.columns(cells, [max(12, width // 3), 16, max(8, width // 5) if width >= 60 else 0])
        if cells
        else [0, 0, 0]
    )
    lines: list[Line] = []
    focus = 0
    for (row, depth), cell in zip(shown, cells, strict=True):
        lines.append(_stage(row, cell, widths, look, width))
        if row.state in {"running", "waiting"}:
            focus = len(lines)
        if row.state == "running" and row.last and (row.kind == "child" or not row.children):
            lines.append(
                [(" " * (5 + 2 * depth), "plain"), (safe.line(row.last, width - 6 - 2 * depth), "dim")]
            )
    return _window(lines, room, focus)


def _visible(top: Row) -> list[tuple[Row, int]]:
    """A check is shown while it matters; of many children the finished ones give way."""
    if top.kind == "check" and top.state in {"pending", "done", "skipped"}:
        return []
    below = list(top.children.values())
    if len(below) > SHOWN_CHILDREN:
        open_ones = [row for row in below if row.state not in {"done", "skipped"}]
        below = (open_ones or below)[-SHOWN_CHILDREN:]
    settled = top.state == "done" and top.kind in {"cluster", "stage"}
    return [(top, 0)] + [(row, 1) for row in below if not settled]


def _name(row: Row, depth: int) -> str:
    return "  " * depth + safe.line(row.name, 60)


def _stage(row: Row, cell: Sequence[str], widths: Sequence[int], look: Look, width: int) -> Line:
    icon = ICONS[row.state]
    if row.state == "running" and look.moving and look.now is not None:
        icon = SPINNER[int(look.now * 8) % len(SPINNER)]
    tone = TONES[row.state]
    name: Tone = (
        "dim"
        if row.state in {"pending", "skipped"}
        else "strong"
        if row.state in {"running", "waiting"}
        else "plain"
    )
    spans: list[Span] = [("  ", "plain"), (icon, tone), (" ", "plain"), (safe.pad(cell[0], widths[0]), name)]
    for text, size in zip(cell[1:], widths[1:], strict=True):
        if size:
            spans.append(("  " + safe.pad(text, size), "dim"))
    spans.append(("  " + safe.pad(_time(row, look), 7, right=True), "dim" if row.finished else "plain"))
    used = sum(safe.cells(text) for text, _ in spans)
    if (said := _said(row)) and width - used > 5:
        spans.append(("  " + safe.line(said, width - used - 2), tone))
    return spans


def _time(row: Row, look: Look) -> str:
    took = row.seconds(look.now)
    return "" if took is None or row.kind == "gate" else figures.seconds(took)


def _said(row: Row) -> str:
    """What is worth saying on the stage's own line; a working one has its own line below."""
    match row.state:
        case "done":
            return row.verdict
        case "failed":
            return ": ".join(each for each in (row.verdict, row.last) if each)
        case "running" if row.kind == "child":
            return row.now_at()
        case "running":
            over = sum(each.state in {"done", "skipped"} for each in row.children.values())
            return f"{over} of {len(row.children)} done" if row.children else ""
        case "waiting":
            return "needs your decision"
        case "stale":
            return row.last or "stale"
        case "pending":
            return row.last
        case "skipped":
            return "not needed"


def _window(lines: list[Line], room: int, focus: int) -> list[Line]:
    if room <= 0 or len(lines) <= room:
        return lines
    size = max(room, 3) - 2
    start = min(max(0, focus - size // 2 - 1), len(lines) - size)
    above, below = start, len(lines) - start - size
    more: list[Line] = [[(f"    ⋮ {above} more above" if above else "", "dim")]]
    return [*more, *lines[start : start + size], [(f"    ⋮ {below} more below" if below else "", "dim")]]


def meter(board: Board, look: Look, width: int) -> Line:
    """How far it is, how long it may take, what it has used."""
    over, steps = board.progress()
    left = board.seconds_left(look.now) if look.now is not None else None
    words = [f"{over}/{steps}"] if steps else []
    if left is not None:
        words.append(f"about {figures.seconds(left)} left" if left >= 1 else "nearly done")
    tail = "   ".join([*words, board.spent.short()])
    size = width - safe.cells(tail) - 5
    if size < 6 or not steps:
        return [("  ", "plain"), (safe.fit(tail, width - 2), "dim")]
    size = min(size, 40)
    full = round(size * over / steps)
    return [("  ", "plain"), ("━" * full, "good"), ("━" * (size - full), "dim"), ("   " + tail, "plain")]


def asking(board: Board, gate: Gate, width: int, *, commands: bool = True) -> list[Line]:
    """An open gate: the question, what would be approved, and the commands that answer it."""
    again = ", since what was approved has changed" if gate.again else ""
    kind = {"high_risk": " (high risk)", "question": " has a question and", "drift": " (somebody changed a file)"}.get(
        gate.kind, ""
    )
    lines: list[Line] = [
        [(" ◆ ", "ask"), (safe.line(f"{gate.key}{kind} waits for you{again}", width - 4), "ask")]
    ]
    bar: Span = ("   ", "plain")
    lines += [[bar, (each, "strong")] for each in wrapped(gate.prompt, width - 4)]
    for path, mark in sorted(gate.subject.items())[:6]:
        lines.append([bar, (safe.line(f"{path}  {figures.digest(mark)}", width - 4), "dim")])
    if commands:
        lines += [[bar, (safe.line(each, 200), "link")] for each in board.commands(gate)[:6]]
    return lines


def wrapped(text: str, width: int, most: int = 6) -> list[str]:
    """Harmless prose broken at spaces, at most so many lines."""
    lines: list[str] = [""]
    for word in safe.line(text, width * most).split(" "):
        if lines[-1] and safe.cells(lines[-1]) + 1 + safe.cells(word) > width:
            lines.append("")
        lines[-1] = safe.fit(f"{lines[-1]} {word}".strip(), width)
    return lines[:most] if lines != [""] else []


def spoken(text: str, tone: Tone = "plain") -> Line:
    """A line of one span."""
    return [(text, tone)]


def plain(lines: Sequence[Line]) -> list[str]:
    return ["".join(text for text, _ in line).rstrip() for line in lines]
