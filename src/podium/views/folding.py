"""Many lines into the room there is: what is over and what is to come give way to what goes on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from podium.views.look import Line
from podium.views.row import OVER, Row

MOST = 8
"""Rows below one row that are shown whatever their state."""
FEW = 3
"""Finished ones among them that stay when there are more."""

Sort = Literal["done", "open", "coming", "below"]


@dataclass(frozen=True)
class Entry:
    """Lines that stay or go together: the first is what it is, the others say more about it."""

    lines: tuple[Line, ...]
    sort: Sort = "open"
    """`below`: a part of the open entry above it that can be done without."""
    count: int = 1
    """How many rows it stands for."""
    now: bool = False
    """Whether it is at work, or waits for a person: the last to go."""


def chosen(rows: Sequence[Row]) -> tuple[int, list[Row]]:
    """(finished ones left out, the others in their order): all that are open, and the last few that are not."""
    if len(rows) <= MOST:
        return 0, list(rows)
    over = [row for row in rows if row.state in OVER]
    kept = over[-max(FEW, MOST - (len(rows) - len(over))) :]
    if len(over) - len(kept) <= 1:
        return 0, list(rows)
    return len(over) - len(kept), [row for row in rows if row.state not in OVER or row in kept]


def fitted(entries: Sequence[Entry], room: int | None) -> list[Line]:
    """All lines, or as many as there is room for; None = as many as needed."""
    found = list(entries)
    if room is None or _size(found) <= room:
        return _flat(found)
    for sort in ("done", "below", "coming"):
        found = _folded(found, sort, room)
    if _size(found) > room:
        found = [replace(each, lines=each.lines[:1]) for each in found]
    focus = next((place for place, each in enumerate(found) if each.now), len(found) - 1)
    return _window(_flat(found), room, focus)


def _size(entries: Sequence[Entry]) -> int:
    return sum(len(each.lines) for each in entries)


def _flat(entries: Sequence[Entry]) -> list[Line]:
    return [line for each in entries for line in each.lines]


def _folded(entries: list[Entry], sort: Sort, room: int) -> list[Entry]:
    """One line for as many entries of a sort as must go: the oldest of those that are over, the last of those to come."""
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
    number = sum(entries[place].count for place in gone)
    at = min(gone)
    kept = [None if place in gone else each for place, each in enumerate(entries)]
    line: Line = [("  … ", "dim"), (f"{number} {'to come' if sort == 'coming' else 'done'}", "dim")]
    if sort == "below":
        line = [("      ", "plain"), (f"… {number} more", "dim")]
    return [each for each in [*kept[:at], Entry((line,), sort, number), *kept[at:]] if each is not None]


def _window(lines: list[Line], room: int, focus: int) -> list[Line]:
    """The last resort: what is at work, and as much of what follows it as there is room for."""
    if len(lines) <= room:
        return lines
    if room <= 1:
        return [lines[focus]]
    start = min(focus, len(lines) - room + 1)
    return [*lines[start : start + room - 1], [(f"  ⋮ {len(lines) - room + 1} more", "dim")]]
