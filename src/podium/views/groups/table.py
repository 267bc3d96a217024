"""The table of groups and their tasks: a finished group is one line, a current one has a line
for each task.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from podium.views import figures, safe
from podium.views.board.board import Board
from podium.views.board.groups import Group
from podium.views.board.row import OVER, State
from podium.views.folding import FEW, MOST, WORDS, Entry, Sort
from podium.views.groups.state import Standing, checking, group_state, standing
from podium.views.groups.words import iteration_words
from podium.views.look import ICONS, TONES, Line, Look, Span, Tone, bar, elided, width_of, wrapped

NARROW = 60
"""Below this many columns, strategies are left out and attempts shortened."""
BAR, SHORT_BAR = 10, 6
NEAR = 8
"""How many columns may be given up so that times line up."""
_SORTS: dict[State, Sort] = {"done": "done", "skipped": "done", "pending": "coming"}


def iteration_entries(board: Board, width: int) -> Iterator[Entry]:
    """From the second iteration on: which one it is, and why the previous one was not the last."""
    now = board.work.now
    before = board.work.iterations.get(now.number - 1) if now else None
    if now is None or not now.number:
        return
    head: list[Span] = [("  ↻ ", "ask"), (iteration_words(board.work), "strong")]
    said = (
        f"iteration {now.number} was rejected" + (f": {before.reason}" if before.reason else "")
        if before
        else ""
    )
    if width_of(head) + 2 + safe.cells(safe.line(said, 400)) <= width:
        yield Entry(([*head, (f"  {safe.line(said, 400)}", "dim")],))
    else:
        below: list[Line] = [
            [("    ", "plain"), (each, "dim")] for each in wrapped(said, width - 6, 2)
        ]
        yield Entry((head, *below))


def reasons(board: Board) -> set[str]:
    """What the iteration's line says already."""
    return {each.reason for each in board.work.iterations.values() if each.reason}


def counted(group: Group) -> str:
    return f"{group.accepted} of {len(group.tasks)}"


def cells(board: Board, width: int) -> list[list[str]]:
    """The cells of the groups' own lines, like those of other rows: name, effort, role."""
    return [
        [_name(group), "", "".join(text for text, _ in _middle(group, _strategies(board), width))]
        for group in _groups(board)
    ]


def entries(board: Board, widths: Sequence[int], look: Look, width: int) -> Iterator[Entry]:
    """Every group; `widths` are those of the columns shared with the surrounding rows."""
    if not _groups(board):
        over = board.status in {"complete", "cancelled"}
        spans: Line = [
            ("  · " if over else "  ○ ", "dim"),
            (safe.pad("tasks", widths[0]), "dim"),
            ("  " + ("none" if over else "not planned yet"), "dim"),
        ]
        yield Entry((spans,), "done" if over else "coming", word="done" if over else "to come")
    for group in _groups(board):
        state = group_state(board, group)
        here = state in {"running", "failed"}
        lines = tuple(_head(board, group, state, widths, look, width))
        yield Entry(lines, _SORTS.get(state, "open"), now=here, word=WORDS[state], head=here)
        if here:
            yield from _tasks(
                board,
                group,
                look,
                width,
                4 + widths[0] + (widths[1] + 2 if widths[1] else 0) + 2 + widths[2],
            )


def _groups(board: Board) -> list[Group]:
    return board.work.now.groups if board.work.now else []


def _name(group: Group) -> str:
    return safe.line(f"group {group.name}", 24)


def _strategies(board: Board) -> int:
    return min(
        12, max((safe.cells(safe.line(each.strategy, 12)) for each in _groups(board)), default=0)
    )


def _middle(group: Group, size: int, width: int) -> list[Span]:
    """Strategy, bar, how many are accepted."""
    wide = BAR if width >= NARROW else SHORT_BAR
    first: list[Span] = (
        [(safe.pad(safe.line(group.strategy, size), size) + "  ", "dim")]
        if width >= NARROW and size
        else []
    )
    part = group.accepted / len(group.tasks) if group.tasks else 0.0
    return [*first, *bar(wide, part), (f"  {counted(group)}", "plain" if group.began else "dim")]


def _head(
    board: Board, group: Group, state: State, widths: Sequence[int], look: Look, width: int
) -> Iterator[Line]:
    tone: Tone = (
        "dim" if state in {"pending", "skipped"} else "strong" if state == "running" else "plain"
    )
    spans: list[Span] = [
        ("  ", "plain"),
        look.icon(state),
        (" ", "plain"),
        (safe.pad(_name(group), widths[0]), tone),
    ]
    spans += [(" " * (widths[1] + 2 if widths[1] else 0) + "  ", "plain")]
    middle = _middle(group, _strategies(board), width)
    spans += [*middle, (" " * max(0, widths[2] - width_of(middle)), "plain")]
    took = _took(group, state, look)
    spans.append(
        (
            "  " + safe.pad("" if took is None else figures.seconds(took), 7, right=True),
            "plain" if state == "running" else "dim",
        )
    )
    said, room = _said(board, group, state, look), width - width_of(spans) - 2
    yield [*spans, ("  " + safe.line(said, room), "dim")] if said and room > 3 else spans
    if group.failure and state in {"running", "failed"}:
        for place, line in enumerate(wrapped(group.failure, width - 8, 2)):
            yield [(f"    {' ' if place else ICONS['failed']} ", "bad"), (line, "bad")]


def _took(group: Group, state: State, look: Look) -> float | None:
    if group.ended:
        return figures.between(group.began, group.ended)
    began = figures.moment(group.began)
    return (
        max(0.0, look.now - began)
        if state == "running" and look.now is not None and began is not None
        else None
    )


def _said(board: Board, group: Group, state: State, look: Look) -> str:
    if state == "pending":
        return ", ".join(each.id for each in group.tasks)
    if state == "running" and (check := checking(board)) is not None:
        took = check.seconds(look.now)
        return "build and test" + (f" {figures.seconds(took)}" if took is not None else "")
    more = sum(max(0, each.attempt - 1) for each in group.tasks)
    return figures.plural(more, "more attempt") if state == "done" and more else ""


# -- tasks


def _tasks(board: Board, group: Group, look: Look, width: int, clock: int) -> Iterator[Entry]:
    """`clock`: the column where the surrounding rows' times begin; the tasks' times use it too
    if it is near.
    """
    found = [standing(board, group, task) for task in group.tasks]
    hidden, shown = _chosen(found)
    texts = [
        [safe.line(each.task.id, 40), _attempt(board, each, width), safe.line(each.word, 16)]
        for each in shown
    ]
    widths = safe.columns(texts, [max(8, width // 4), 18, 16]) if texts else [0, 0, 0]
    gap = clock - 6 - widths[0] - (widths[1] + 2 if widths[1] else 0) - 2 - widths[2]
    widths[2] += gap if 0 < gap <= NEAR else 0
    if hidden["done"]:
        yield Entry(
            ([("    … ", "dim"), (f"{hidden['done']} done", "dim")],),
            "below",
            hidden["done"],
            word="done",
        )
    for each, text in zip(shown, texts, strict=True):
        lines = tuple(_task(each, text, widths, look, width))
        now = each.state in {"running", "waiting"}
        room = width - width_of(lines[0]) - 2
        short = (
            [*lines[0], ("  " + elided(safe.line(each.said, 400), room), "bad")]
            if len(lines) > 1 and room > 3
            else None
        )
        yield Entry(
            lines,
            "open" if now or each.said else "below",
            now=now,
            word=WORDS[each.state],
            short=short,
        )
    if hidden["pending"]:
        line: Line = [("    ○ ", "dim"), (figures.plural(hidden["pending"], "more task"), "dim")]
        yield Entry((line,), "below", hidden["pending"], word="to come")


def _chosen(found: Sequence[Standing]) -> tuple[dict[str, int], list[Standing]]:
    """Of many tasks: all that are open, the last that are over, the first to come; and how many
    are left out.
    """
    if len(found) <= MOST:
        return {"done": 0, "pending": 0}, list(found)
    over = [each for each in found if each.state in OVER]
    later = [each for each in found if each.state == "pending"]
    room = max(FEW, MOST - (len(found) - len(over) - len(later)))
    kept = [*over[-FEW:], *later[: max(FEW, room - min(FEW, len(over)))]]
    shown = [each for each in found if each.state not in {*OVER, "pending"} or each in kept]
    return {
        "done": sum(each not in kept for each in over),
        "pending": sum(each not in kept for each in later),
    }, shown


def _attempt(board: Board, each: Standing, width: int) -> str:
    """`attempt 2 of 5`; nothing for the first."""
    number, most = each.task.attempt, board.work.max_attempts
    if number < 2:
        return ""
    if width < NARROW:
        return f"{number}/{most}" if most >= number else f"×{number}"
    return f"attempt {number}" + (f" of {most}" if most >= number else "")


def _task(
    each: Standing, texts: Sequence[str], widths: Sequence[int], look: Look, width: int
) -> Iterator[Line]:
    icon, tone = look.icon(each.state)
    if each.state == "done" and not each.task.accepted:
        tone = "plain"  # written, but nobody has accepted it yet
    name: Tone = (
        "dim"
        if each.state == "pending"
        else "strong"
        if each.state in {"running", "waiting"}
        else "plain"
    )
    spans: list[Span] = [
        ("    ", "plain"),
        (icon, tone),
        (" ", "plain"),
        (safe.pad(texts[0], widths[0]), name),
    ]
    if widths[1]:
        spans.append(("  " + safe.pad(texts[1], widths[1]), "dim"))
    spans.append(
        (
            "  " + safe.pad(texts[2], widths[2]),
            TONES[each.state]
            if each.state in {"failed", "waiting"}
            else tone
            if each.task.accepted
            else "dim",
        )
    )
    took = each.row.seconds(look.now) if each.row is not None else None
    spans.append(
        (
            "  " + safe.pad("" if took is None else figures.seconds(took), 7, right=True),
            "plain" if each.state == "running" else "dim",
        )
    )
    room, said = width - width_of(spans) - 2, safe.line(each.said, 400)
    if each.state == "failed" and safe.cells(said) > room:
        yield spans
        for line in wrapped(said, width - 8, 2):
            yield [("      ", "plain"), (line, "bad")]
    elif said and room > 3:
        yield [*spans, ("  " + elided(said, room), "bad" if each.state == "failed" else "dim")]
    else:
        yield spans
