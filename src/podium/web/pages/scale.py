"""Maps times to positions on a line: long idle stretches are folded, so that a night's wait does
not hide the work.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property

FOLD = 34.0
"""The width of a folded stretch."""
LONG = 0.08
"""An idle stretch longer than this share of the work is folded."""
_STEPS = (
    0.1,
    0.2,
    0.5,
    1,
    2,
    5,
    10,
    15,
    30,
    60,
    120,
    300,
    600,
    900,
    1800,
    3600,
    7200,
    14400,
    43200,
    86400,
    604800,
)


@dataclass(frozen=True)
class Piece:
    """A stretch of time and its position."""

    start: float
    end: float
    x: float
    width: float
    folded: bool = False

    def place(self, moment: float) -> float:
        whole = self.end - self.start
        return self.x + (self.width * (moment - self.start) / whole if whole > 0 else 0.0)


@dataclass(frozen=True)
class Scale:
    pieces: tuple[Piece, ...]
    width: float

    @cached_property
    def _starts(self) -> list[float]:
        return [each.start for each in self.pieces]

    def x(self, moment: float) -> float:
        if not self.pieces:
            return 0.0
        at = bisect_right(self._starts, moment) - 1
        found = self.pieces[max(0, at)]
        return found.place(min(max(moment, found.start), found.end))

    def ticks(self, apart: float = 92.0) -> list[tuple[float, str]]:
        """Times worth a mark, each with its label."""
        busy = [each for each in self.pieces if not each.folded]
        whole, room = sum(each.end - each.start for each in busy), sum(each.width for each in busy)
        if whole <= 0 or room <= 0:
            return []
        every = next((step for step in _STEPS if room * step / whole >= apart), _STEPS[-1])
        form = "%H:%M:%S" if every >= 1 else "%H:%M:%S.%f"
        found: list[tuple[float, str]] = []
        for each in busy:
            mark = (each.start // every + (each.start % every > 0)) * every
            while mark <= each.end and len(found) < 400:
                x = each.place(mark)
                if (not found or x - found[-1][0] >= apart * 0.8) and x <= self.width - apart / 2:
                    said = datetime.fromtimestamp(mark, UTC).strftime(form)
                    found.append((x, said if every >= 1 else said[:-5]))
                mark += every
        return found


def scale(
    stretches: Iterable[tuple[float, float]], start: float, end: float, width: float
) -> Scale:
    """`stretches`: when somebody was at work; between `start` and `end`, long gaps are folded."""
    busy = _joined(
        [
            (max(start, first), min(end, last))
            for first, last in stretches
            if last >= start and first <= end
        ]
    )
    work = sum(last - first for first, last in busy) or (end - start) or 1.0
    cuts: list[tuple[float, float, bool]] = []
    at = start
    for first, last in [*busy, (end, end)]:
        if first - at > max(work * LONG, 2.0):
            cuts.append((at, first, True))
        elif first > at:
            cuts.append((at, first, False))
        if last > first:
            cuts.append((first, last, False))
        at = max(at, last)
    return _placed(cuts, width)


def _joined(stretches: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    found: list[tuple[float, float]] = []
    for first, last in sorted(stretches):
        if found and first <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], last))
        else:
            found.append((first, last))
    return found


def _placed(cuts: Sequence[tuple[float, float, bool]], width: float) -> Scale:
    folds = sum(folded for *_, folded in cuts)
    fold = min(FOLD, width / 3 / folds) if folds else FOLD
    plain = sum(last - first for first, last, folded in cuts if not folded)
    room = width - fold * folds
    x, pieces = 0.0, []
    for first, last, folded in cuts:
        wide = fold if folded else room * (last - first) / plain if plain else room
        pieces.append(Piece(first, last, x, wide, folded))
        x += wide
    return Scale(tuple(pieces), width)
