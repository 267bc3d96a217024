"""The rows of a board as lines: stages with their activity, clusters with their members, items
with their path.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from podium.views import figures, safe
from podium.views.board import counters
from podium.views.board.board import Board
from podium.views.board.forecast import first_home, item_word, items_to_come
from podium.views.board.row import OVER, Row, State
from podium.views.board.rows import iteration_of
from podium.views.folding import WORDS, Entry, Sort, chosen
from podium.views.groups import table as group_table
from podium.views.groups.state import inside
from podium.views.look import ICONS, TONES, Line, Look, Span, Tone, bar, elided, width_of, wrapped

PATIENCE_S = 0.5
"""A check is drawn if it takes longer than this: most are over before anybody could read their
names.
"""
REASONS = 3
"""How many failed items there may be for their reasons to be shown in full."""
BAR, MANY = 10, 4
"""The width of a wave's or cluster's bar, and how many agents it takes to show one."""
NOW = frozenset({"running", "waiting"})
_SORTS: dict[str, Sort] = {"done": "done", "skipped": "done", "pending": "coming"}


def entries(board: Board, look: Look, width: int) -> list[Entry]:
    """Everything there is to show of the run's steps, in the workflow's order."""
    told = {
        board.reason.partition("\n")[0] if board.status == "blocked" else "",
        *group_table.reasons(board),
    }
    tops = {
        name: row
        for name, row in board.rows.items()
        if inside(board, name) or _matters(board, name, row, look, told)
    }
    alone = all(row.kind == "fan_out" for row in tops.values() if row.kind != "check")
    drawn = {
        name: row
        for name, row in tops.items()
        if not inside(board, name) and (row.kind != "fan_out" or not alone)
    }
    rows = [each for name in drawn for each in _visits(board, name)]
    widths = _columns([_cells(row) for row in rows], width, group_table.cells(board, width))
    found: list[Entry] = [*group_table.iteration_entries(board, width)]
    ahead, grouped = _ahead(board), False
    for name, row in tops.items():
        if inside(board, name):
            found += [] if grouped else group_table.entries(board, widths, look, width)
            grouped = True
        # Items replace the step that started them, as soon as there are any.
        if name in drawn and not (row.kind == "fan_out" and row.children):
            steps = _steps(board, name, widths, look, width)
            found += map(_faded, steps) if row.state in OVER and name in ahead else steps
        if row.kind == "fan_out":
            found += _items(board, row, look, width)
    return found


def _matters(board: Board, name: str, row: Row, look: Look, told: set[str]) -> bool:
    """Whether a row is shown: a check if it takes long or says something new, a rare step once
    it has started.
    """
    if row.kind != "check":
        step = board.steps.get(name)
        return bool(row.started) or step is None or not step.rare
    if row.state == "running":
        return (row.seconds(look.now) or 0.0) >= PATIENCE_S
    return row.state in {"failed", "waiting", "stale"} and not row.told and row.last not in told


def _ahead(board: Board) -> list[str]:
    """Rows that the run will come to again: what they say is from an earlier round."""
    names = list(board.rows)
    return names[names.index(board.at) + 1 :] if board.at in names else []


def _faded(entry: Entry) -> Entry:
    return replace(entry, lines=tuple([(text, "dim") for text, _ in line] for line in entry.lines))


def _visits(board: Board, name: str) -> list[Row]:
    """The row itself, or its visits if each has its own name; of iterations, only the current
    one's.
    """
    row = board.rows[name]
    visits = [each for each in row.children.values() if each.kind == "visit"]
    now = board.work.now
    if now is None or not any(iteration_of(each.key) is not None for each in visits):
        return visits or [row]
    again: State = (
        "pending"
        if board.status not in {"complete", "cancelled"} and name in [board.at, *_ahead(board)]
        else "skipped"
    )
    return [each for each in visits if iteration_of(each.key) == now.number] or [
        Row(row.name, row.kind, again, role=row.role)
    ]


# -- steps, clusters and waves


def _steps(
    board: Board, name: str, widths: Sequence[int], look: Look, width: int
) -> Iterator[Entry]:
    row = board.rows[name]
    hidden, shown = chosen(_visits(board, name))
    if hidden:
        yield Entry(([("  … ", "dim"), (f"{hidden} done", "dim")],), "done", hidden, word="done")
    for each in shown:
        yield from _step(board, each, widths, look, width)
    if _waves(board, name) and board.status in {"active", "waiting", "sleeping"}:
        yield from _coming(board, row, width)


def _waves(board: Board, name: str) -> bool:
    """Whether its visits are waves that the run's own state lists."""
    step = board.steps.get(name)
    return board.rows[name].kind == "cluster" and step is not None and step.key is not None


def _step(board: Board, row: Row, widths: Sequence[int], look: Look, width: int) -> Iterator[Entry]:
    here = row.state == "running"
    later = (
        []
        if not here
        else counters.coming(board.counters).get(counters.wave_now(board.counters), [])
    )
    total = len(row.children) + (len(later) if row.kind == "visit" else 0)
    lines = [_line(row, _cells(row), widths, look, width, _said(row, total), _share(row, total))]
    short: Line | None = None
    if here and row.last and not row.children:
        short = _line(row, _cells(row), widths, look, width, row.last)
        lines.append([("     ", "plain"), (elided(safe.line(row.last, 400), width - 6), "dim")])
    members = [
        each
        for each in row.children.values()
        if here or each.state in {"failed", "waiting", "stale"}
    ]
    members = [] if row.state in OVER else members
    word = WORDS[row.state]
    yield Entry(
        tuple(lines),
        _SORTS.get(row.state, "open"),
        now=row.state in NOW,
        word=word,
        head=bool(members),
        short=short,
    )
    if not members:
        return
    hidden, shown = chosen(members)
    cells = _columns([_cells(each) for each in shown], width - 2)
    if hidden:
        yield Entry(([("    … ", "dim"), (f"{hidden} done", "dim")],), "below", hidden, word="done")
    for each in shown:
        line = [("  ", "plain"), *_line(each, _cells(each), cells, look, width - 2, _said(each, 0))]
        yield Entry(
            (line,),
            "below" if each.state in {*OVER, "pending"} else "open",
            now=each.state in NOW,
            word=WORDS[each.state],
        )
    if row.kind == "visit" and later:
        line = [("    ○ ", "dim"), (f"{figures.plural(len(later), 'more task')}", "dim")]
        yield Entry((line,), "below", len(later), word="to come")


def _coming(board: Board, row: Row, width: int) -> Iterator[Entry]:
    """Waves of the plan that nobody has started."""
    known = {name for visit in row.children.values() for name in visit.children}
    now, running = counters.wave_now(board.counters), row.state == "running"
    waves = counters.coming(board.counters) if running else counters.waves(board.counters)
    for wave, tasks in waves.items():
        if (running and wave == now) or any(task in known for task in tasks):
            continue
        line: Line = [
            ("  ○ ", "dim"),
            (safe.line(f"wave {wave}: {', '.join(tasks)}", width - 4), "dim"),
        ]
        yield Entry((line,), "coming", word="to come")


def _agents(row: Row) -> bool:
    """Whether parallel members are named by their roles, as planners are, and not by tasks."""
    return (
        row.kind == "visit"
        and bool(row.children)
        and all(each.name == each.role for each in row.children.values())
    )


def _cells(row: Row) -> list[str]:
    role = "" if row.role == row.name or row.kind == "gate" else row.role
    if _agents(row):
        role = ", ".join(each.name for each in row.children.values())
    return [safe.line(row.name, 60), safe.line(row.effort(), 20), safe.line(role, 24)]


def _columns(
    cells: Sequence[Sequence[str]], width: int, groups: Sequence[Sequence[str]] = ()
) -> list[int]:
    """`groups`: lines whose last cell keeps all the space it wants, if there is any."""
    limits = [max(12, width // 3), 20, max(8, width // 4) if width >= 60 else 0]
    if groups:
        limits[2] = max(limits[2], *(safe.cells(each[2]) for each in groups))
    both = [*cells, *groups]
    return safe.columns(both, limits) if both else [0, 0, 0]


def _line(
    row: Row,
    cells: Sequence[str],
    widths: Sequence[int],
    look: Look,
    width: int,
    said: str,
    share: float | None = None,
) -> Line:
    """Icon, name, effort, role, time, the share that is done, and a remark."""
    name: Tone = (
        "dim"
        if row.state in {"pending", "skipped"}
        else "strong"
        if row.state in {"running", "waiting"}
        else "plain"
    )
    spans: list[Span] = [
        ("  ", "plain"),
        look.icon(row.state),
        (" ", "plain"),
        (safe.pad(cells[0], widths[0]), name),
    ]
    first: Tone = "plain" if row.kind == "child" and name != "dim" else "dim"
    for place, (text, size) in enumerate(zip(cells[1:], widths[1:], strict=True)):
        if size:
            spans.append(("  " + safe.pad(text, size), "dim" if place else first))
    took = None if row.kind == "gate" else row.seconds(look.now)
    spans.append(
        (
            "  " + safe.pad("" if took is None else figures.seconds(took), 7, right=True),
            "dim" if row.finished else "plain",
        )
    )
    if share is not None and width - width_of(spans) >= BAR + 2 + 16:
        spans += [("  ", "plain"), *bar(BAR, share)]
    room = width - width_of(spans) - 2
    if said and room > 3:
        tone = "dim" if row.state == "running" else TONES[row.state]
        spans.append(("  " + elided(safe.line(said, 400), room), tone))
    return spans


def _share(row: Row, total: int) -> float | None:
    """The share of parallel work that is over, if there is enough of it for a bar."""
    return (
        row.over()[0] / total if row.state == "running" and row.children and total >= MANY else None
    )


def _said(row: Row, total: int) -> str:
    """The remark on the row's own line; a stage at work has a separate line below."""
    match row.state:
        case "done" if row.kind == "gate" and row.role:
            return f"{row.verdict} by {row.role.partition(' (')[0]}"
        case "done" if row.kind == "visit" and row.children and not _agents(row):
            return figures.plural(len(row.children), "task")
        case "done":
            return row.verdict.partition(":")[0]
        case "failed" if row.kind == "gate" and row.role:
            return ": ".join(
                each
                for each in (f"{row.verdict} by {row.role.partition(' (')[0]}", row.last)
                if each
            )
        case "failed":
            word = row.verdict.partition(":")[0] if row.last else row.verdict
            return ": ".join(each for each in (word, row.last) if each)
        case "running" if row.children:
            return f"{row.over()[0]} of {total} done"
        case "running":
            return row.last if row.kind == "member" else ""
        case "waiting":
            return "needs your decision"
        case "stale" | "pending":
            return row.last or ("stale" if row.state == "stale" else "")
        case "skipped":
            return row.last or "not needed"


# -- items


def _items(board: Board, home: Row, look: Look, width: int) -> Iterator[Entry]:
    rows = list(home.children.values())
    hidden, shown = chosen(rows)
    if hidden:
        yield Entry(([("  … ", "dim"), (f"{hidden} done", "dim")],), "done", hidden, word="done")
    cells = [
        [safe.line(row.name, 30), safe.line(row.title, 60), safe.line(row.effort(), 24)]
        for row in shown
    ]
    widths = safe.columns(cells, [24, 60, 24]) if cells else [0, 0, 0]
    # Time and commit come after these three.
    widths[1] = min(widths[1], max(12, width - 37 - widths[0] - widths[2]))
    reasons = sum(row.state == "failed" for row in rows) <= REASONS
    for row, cell in zip(shown, cells, strict=True):
        more = list(_more(row, look, width, reasons=reasons))
        lines = [_line(row, cell, widths, look, width, _item_said(row, inline=not reasons)), *more]
        short = _line(row, cell, widths, look, width, _briefly(row)) if more else None
        yield Entry(
            tuple(lines),
            _SORTS.get(row.state, "open"),
            now=row.state in NOW,
            word=WORDS[row.state],
            short=short,
        )
    if home is first_home(board) and (left := items_to_come(board)):
        word = item_word(board)
        words = (
            f"{figures.plural(left, f'more {word}')} to come"
            if board.status == "active"
            else f"{figures.plural(left, word)} not begun"
        )
        yield Entry(([("  ○ ", "dim"), (words, "dim")],), "coming", left, word="to come")


def _item_said(row: Row, *, inline: bool) -> str:
    match row.state:
        case "done":
            more = "with findings" if row.last == "completed_with_findings" else ""
            return " ".join(
                each for each in (more, f"commit {row.commit[:7]}" if row.commit else "") if each
            )
        case "failed":
            return f"blocked: {row.last.strip().rpartition(chr(10))[2]}" if inline else "blocked"
        case "running":
            return ""
        case _:
            return _said(row, 0)


def _briefly(row: Row) -> str:
    """An item in one line: the step it is at and what its agent does, or why it is blocked."""
    if row.state != "running":
        return _item_said(row, inline=True)
    return ": ".join(each for each in (row.now_at(), row.last) if each)


def _more(row: Row, look: Look, width: int, *, reasons: bool) -> Iterator[Line]:
    """Below an item: the path it took and what its agent does, or why it is blocked."""
    if row.state == "running":
        if row.children:
            yield _way(row, look, width)
        if row.last:
            yield [("      ", "plain"), (elided(safe.line(row.last, 400), width - 7), "dim")]
    elif row.state == "failed" and reasons:
        # The last line of a reason is about the last attempt.
        for each in wrapped(row.last.strip().rpartition("\n")[2], width - 8, 2):
            yield [("      ", "plain"), (each, "bad")]


def _way(row: Row, look: Look, width: int) -> Line:
    """`✓ implement ✗ testing ● implement`: every step it went through; the last ones if there is
    no space.
    """
    spans: list[Span] = []
    for each in reversed(row.children.values()):
        icon, tone = (
            look.icon(each.state)
            if each.state == "running"
            else (ICONS[each.state], TONES[each.state])
        )
        step: list[Span] = [
            (f"{icon} ", tone),
            (f"{safe.line(each.name, 20)}  ", "strong" if each.state == "running" else "dim"),
        ]
        if width_of(spans) + width_of(step) > width - 10:
            spans = [(f"{safe.CUT} ", "dim"), *spans]
            break
        spans = [*step, *spans]
    return [("      ", "plain"), *spans]
