"""Small plots: curves and columns over time, drawn so that a page can stretch them. Pure."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 600, 100
"""The drawing's own units; the page gives it the space it has."""
_NICE = (1, 2, 3, 4, 5, 6, 8, 10)
_TIMES = (
    1.0,
    2.0,
    5.0,
    10.0,
    20.0,
    30.0,
    60.0,
    120.0,
    300.0,
    600.0,
    1200.0,
    1800.0,
    3600.0,
    7200.0,
    18000.0,
    36000.0,
    86400.0,
)

Value = float | None


@dataclass(frozen=True)
class Shape:
    """`sort`: area, line or bars, which the style sheet knows; `tone` as everywhere."""

    sort: str
    tone: str
    path: str


@dataclass(frozen=True)
class Column:
    """A moment and its description, shown when pointed at."""

    x: float
    width: float
    words: str


@dataclass(frozen=True)
class Plot:
    title: str
    value: str
    """The current number."""
    said: str
    """The whole plot in one sentence, for people who cannot see it."""
    top: str
    """The value at the upper edge."""
    shapes: tuple[Shape, ...]
    columns: tuple[Column, ...]
    legend: tuple[tuple[str, str], ...] = ()
    """(tone, word)."""


@dataclass(frozen=True)
class Series:
    sort: str
    tone: str
    word: str
    values: Sequence[Value]


def plot(
    title: str,
    value: str,
    series: Sequence[Series],
    moments: Sequence[str],
    spoken: Callable[[float], str],
    round_up: Callable[[float], float],
) -> Plot:
    """All series on one scale, from zero to a round number."""
    known = [each for one in series for each in one.values if each is not None]
    top = round_up(max([*known, 1.0]))
    most = max(known, default=0.0)
    said = (
        f"{title}: {value} now, at most {spoken(most)} in this time"
        if known
        else f"{title}: nothing in this time"
    )
    return Plot(
        title=title,
        value=value,
        said=said,
        top=spoken(top),
        shapes=tuple(Shape(one.sort, one.tone, _path(one, top)) for one in series),
        columns=tuple(_columns(series, moments, spoken)),
        legend=tuple((one.tone, one.word) for one in series) if len(series) > 1 else (),
    )


def nice(value: float) -> float:
    """The next number with one nonzero digit: 3, 8, 20, 0.5."""
    power = 10.0 ** math.floor(math.log10(value))
    return next((each * power for each in _NICE if each * power >= value * (1 - 1e-9)), 10 * power)


def nice_seconds(value: float) -> float:
    """The next duration that people say as one number."""
    return next((each for each in _TIMES if each >= value), nice(value / 86400) * 86400)


def _path(series: Series, top: float) -> str:
    if not series.values:
        return ""
    step = WIDTH / len(series.values)
    if series.sort == "bars":
        gap = step * 0.12
        return "".join(
            f"M{at * step + gap:.1f} {HEIGHT}V{_y(value, top):.1f}h{step - 2 * gap:.1f}V{HEIGHT}z"
            for at, value in enumerate(series.values)
            if value
        )
    pieces: list[str] = []
    for start, values in _stretches(series.values):
        points = [(at * step, _y(value, top)) for at, value in enumerate(values, start)]
        steps = f"M{points[0][0]:.1f} {points[0][1]:.1f}" + "".join(
            f"V{y:.1f}H{x + step:.1f}" for x, y in points
        )
        pieces.append(steps if series.sort == "line" else f"{steps}V{HEIGHT}H{points[0][0]:.1f}z")
    return "".join(pieces)


def _y(value: float, top: float) -> float:
    return HEIGHT - HEIGHT * min(value, top) / top


def _stretches(values: Sequence[Value]) -> list[tuple[int, list[float]]]:
    """The stretches with known values; unknown ones leave a gap."""
    found: list[tuple[int, list[float]]] = []
    for at, value in enumerate(values):
        if value is None:
            continue
        if found and found[-1][0] + len(found[-1][1]) == at:
            found[-1][1].append(value)
        else:
            found.append((at, [value]))
    return found


def _columns(
    series: Sequence[Series], moments: Sequence[str], spoken: Callable[[float], str]
) -> list[Column]:
    step = WIDTH / max(1, len(moments))
    found = []
    for at, moment in enumerate(moments):
        told = [
            f"{one.word} {spoken(value)}" for one in series if (value := one.values[at]) is not None
        ]
        if told:
            found.append(Column(at * step, step, f"{moment}: {', '.join(told)}"))
    return found
