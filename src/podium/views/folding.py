"""Fits many lines into the space available: what is over and what is to come gives way to what is
going on.

First, what is over, minor or to come folds into a line each; then every row has one line; then rows
that wait, fail and run share the space, and one line sums up all others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from podium.views.board.row import OVER, Row, State
from podium.views.look import Line

MOST = 8
"""Rows below one row that are shown whatever their state."""
FEW = 3
"""How many finished ones stay when there are more."""

Sort = Literal["done", "open", "coming", "below"]
Word = Literal["", "waiting", "running", "failed", "stale", "done", "to come"]
WORDS: dict[State, Word] = {
    "pending": "to come",
    "running": "running",
    "done": "done",
    "failed": "failed",
    "waiting": "waiting",
    "stale": "stale",
    "skipped": "done",
}
"""How a row is counted if there is no space for it."""
_COUNTED: tuple[Word, ...] = ("waiting", "running", "failed", "stale", "done", "to come")
SHARE = 4
"""One line in this many is reserved for failures, and one for what waits, if more is at work
than fits.
"""


@dataclass(frozen=True)
class Entry:
    """Lines that stay or go together: the first says what it is, the others say more about it."""

    lines: tuple[Line, ...]
    sort: Sort = "open"
    """`below`: a dispensable part of the open entry above it."""
    count: int = 1
    """How many rows it stands for."""
    now: bool = False
    """Whether it is at work or waits for a person: the last to go."""
    word: Word = ""
    """How it is counted; empty if it is not a row."""
    head: bool = False
    """Whether the following entries belong to it."""
    short: Line | None = None
    """All of it in one line, if the first line is not that."""


def chosen(rows: Sequence[Row]) -> tuple[int, list[Row]]:
    """(finished ones left out, the others in order): all that are open, and the last few that
    are not.
    """
    if len(rows) <= MOST:
        return 0, list(rows)
    over = [row for row in rows if row.state in OVER]
    kept = over[-max(FEW, MOST - (len(rows) - len(over))) :]
    if len(over) - len(kept) <= 1:
        return 0, list(rows)
    return len(over) - len(kept), [row for row in rows if row.state not in OVER or row in kept]


def fitted(entries: Sequence[Entry], room: int | None) -> list[Line]:
    """All lines, or as many as fit; None means no limit."""
    found = list(entries)
    if room is None or _size(found) <= room:
        return _flat(found)
    for sort in ("done", "below", "coming"):
        found = _folded(found, sort, room)
    if _size(found) > room:
        found = [replace(each, lines=(each.short or each.lines[0],)) for each in found]
    return _flat(found if _size(found) <= room else _ranked(found, room))


def tally(entries: Iterable[Entry]) -> str:
    """`14 running, 2 failed, 40 done`: rows that have no line of their own."""
    counts = dict.fromkeys(_COUNTED, 0)
    for each in entries:
        if each.word:
            counts[each.word] += each.count
    return ", ".join(f"{count} {word}" for word, count in counts.items() if count)


def _size(entries: Sequence[Entry]) -> int:
    return sum(len(each.lines) for each in entries)


def _flat(entries: Sequence[Entry]) -> list[Line]:
    return [line for each in entries for line in each.lines]


def _folded(entries: list[Entry], sort: Sort, room: int) -> list[Entry]:
    """One line for as many entries of a sort as must go: the oldest that are over, the last to
    come.
    """
    places = [place for place, each in enumerate(entries) if each.sort == sort]
    if sort == "coming":
        places.reverse()
    gone: list[int] = []
    for place in places:
        left = [each for at, each in enumerate(entries) if at not in gone]
        if _size(left) + bool(gone) <= room:
            break
        gone.append(place)
    if not gone or (len(gone) == 1 and len(entries[gone[0]].lines) == 1):
        return entries
    hidden = [entries[place] for place in gone]
    number = sum(each.count for each in hidden)
    word: Word = "to come" if sort == "coming" else "done"
    said = f"{number} {word}" if sort != "below" else tally(hidden) or f"{number} more"
    line: Line = [("      " if sort == "below" else "  ", "plain"), (f"… {said}", "dim")]
    at = min(gone)
    kept = [None if place in gone else each for place, each in enumerate(entries)]
    return [
        each
        for each in [*kept[:at], Entry((line,), sort, number, word=word), *kept[at:]]
        if each is not None
    ]


def _ranked(entries: list[Entry], room: int) -> list[Entry]:
    """First what others belong to, then what waits, failed and runs, then the rest; one line
    sums up the others.
    """
    if room <= 1:
        return [
            next(
                (each for each in entries if each.now and not each.head),
                next((each for each in entries if each.now), entries[-1]),
            )
        ]
    slots = room - 1
    first = [place for place, each in enumerate(entries) if each.head and each.now][:slots]
    waiting, failed, running = (
        [place for place, each in enumerate(entries) if each.word == word and place not in first]
        for word in ("waiting", "failed", "running")
    )
    left = slots - len(first)
    # What waits is also shown below the rows; failures need a word, and running work gets most of
    # the space.
    asked = min(len(waiting), max(left // SHARE, left - len(failed) - len(running)))
    bad = min(len(failed), max(left // SHARE, left - asked - len(running)))
    kept = [*first, *waiting[:asked], *failed[:bad], *running[: left - asked - bad]]
    rest = [
        place
        for place, each in enumerate(entries)
        if place not in kept and each.word not in {"done", "to come"}
    ]
    kept += rest[: slots - len(kept)]
    hidden = tally(each for place, each in enumerate(entries) if place not in kept)
    more = (
        hidden.replace(" running", " more running", 1)
        if any(entries[place].word == "running" for place in kept)
        else hidden
    )
    summed = Entry(([("  ", "plain"), (f"… {more}", "dim")],)) if hidden else None
    return [*(entries[place] for place in sorted(kept)), *([summed] if summed else [])]
