"""A board drawn as lines of styled spans; the terminal, `status` and tests share this drawing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from podium.views import figures, safe
from podium.views.asking import gate_lines, height
from podium.views.board.board import Board
from podium.views.board.forecast import item_word, items_over, steps_over, time_left
from podium.views.drawing import entries
from podium.views.folding import fitted
from podium.views.groups.words import Progress, progress, time_words
from podium.views.look import STATUS, Line, Look, bar, cropped, standing_word

NARROW, WIDE = 40, 100
BAR = 40
"""The greatest width of the bar."""


Below = Callable[[int, int | None], list[Line]]
"""Takes columns and lines, returns what is shown below the board."""


def frame(board: Board, look: Look, below: Below | None = None) -> list[Line]:
    """The whole board: headline, steps, progress, and what waits for a person, or `below` in its
    place.
    """
    width = max(look.width, NARROW)
    top: list[Line] = [headline(board, look, width), *_reason(board, width), ()]
    bottom: list[Line] = [(), meter(board, look, width)]
    steps = entries(board, look, width)
    most = _room_below(len(top) + len(bottom), fitted(steps, None), look)
    gates = below(width, most) if below else gate_lines(board, width, most, commands=not look.last)
    room = (
        max(1, look.height - len(top) - len(bottom) - height(gates, width) - 1)
        if look.height
        else None
    )
    lines = [*top, *fitted(steps, room), *bottom]
    # A gate's commands are not cut: they are there to be copied.
    drawn = [*(cropped(line, width) for line in lines), *gates]
    return drawn[: look.height - 1] if look.height else drawn


def _room_below(fixed: int, steps: Sequence[Line], look: Look) -> int | None:
    """Gates get the lower half, and what the steps leave: the rest of the run must stay visible."""
    if not look.height:
        return None
    return max(look.height // 2, look.height - fixed - len(steps) - 1)


def headline(board: Board, look: Look, width: int, place: str = "") -> Line:
    """`place`: where the run stands, instead of its id; for a run of which no more is shown."""
    word, tone = standing_word(board.status, asks=bool(board.gates), outcome=board.outcome)
    if look.stopped and board.status == "active":
        word, tone = "stopped", "ask"
    right = f"{safe.line(word, 24)}  {figures.seconds(board.elapsed(look.now))}"
    name = safe.line(board.workflow or "podium", 20)
    room = max(8, width - safe.cells(right) - safe.cells(name) - 6)
    title = safe.line(_titled(board, name), room)
    ident = safe.line(place or board.run, 40)
    if place and safe.cells(title) + safe.cells(ident) + 2 > room:
        title = safe.line(title, max(8, room - safe.cells(ident) - 2))
    ident = ident if safe.cells(title) + safe.cells(ident) + 2 <= room else ""
    gap = " " * max(1, room + 1 - safe.cells(title) - safe.cells(ident))
    return [
        (f" {name}", "strong"),
        (f"  {title}  ", "plain"),
        (ident, "dim"),
        (gap, "plain"),
        (right, tone),
    ]


def _titled(board: Board, name: str) -> str:
    """The title without the workflow's name, which precedes it, and without a slug that only
    repeats the words.
    """
    title = board.title.removeprefix(f"{name} ").strip()
    slug, dash, words = title.partition(" — ")
    return (
        words if dash and slug and "-".join(words.lower().split()).startswith(slug[:20]) else title
    )


def _reason(board: Board, width: int) -> list[Line]:
    if board.status not in {"blocked", "sleeping", "cancelled", "gone"} or not (
        board.reason or board.until
    ):
        return []
    until = f" until {board.until}" if board.until else ""
    said = f"{board.reason.partition(chr(10))[0]}{until}"
    return [[(" ", "plain"), (safe.line(said, width - 2), STATUS[board.status][1])]]


def meter(board: Board, look: Look, width: int) -> Line:
    """Progress, time left, usage; whatever does not fit is left out, the last first."""
    known = progress(board.work)
    part: float | None
    if known is not None:
        part, words = known.percent / 100, _tasks(board, known, width)
    else:
        items = items_over(board)
        over, whole = items or steps_over(board)
        part = over / whole if whole else None
        words = (
            [f"{over} of {figures.plural(whole, item_word(board) if items else 'step')}"]
            if whole
            else []
        )
        left = time_left(board, look.now) if look.now is not None else None
        if left is not None:
            words.append(f"about {figures.seconds(left)} left" if left >= 1 else "nearly done")
    words.append(board.spent.short())
    while len(words) > 1 and safe.cells("   ".join(words)) > width - 16:
        words.pop()
    tail = "   ".join(words)
    size = min(width - safe.cells(tail) - 5, BAR)
    if size < 6 or part is None:
        return [("  ", "plain"), (safe.fit(tail, width - 2), "dim")]
    return [("  ", "plain"), *bar(size, part), ("   " + tail, "plain")]


def _tasks(board: Board, known: Progress, width: int) -> list[str]:
    """`71% 3 of 4 tasks about 2m left`: the numbers of progress.yaml."""
    words = [f"{known.percent}%"]
    if known.whole:
        words.append(f"{known.done} of {figures.plural(known.whole, 'task')}")
    if board.status in {"", "active"} and known.minutes is not None:
        words.append(time_words(known, sure=width >= WIDE))
    return words
