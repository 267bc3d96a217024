"""Many runs as figures: how they ended, and how each number is distributed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from podium.simulation.virtual import Lived

MEASURES: Mapping[str, Callable[[Lived], float]] = {
    "duration_s": lambda each: each.seconds,
    "agents_s": lambda each: each.tally.agents_s,
    "people_s": lambda each: each.tally.people_s,
    "cost_usd": lambda each: each.tally.cost_usd,
    "tokens": lambda each: each.tally.tokens,
    "dispatches": lambda each: each.tally.dispatches,
    "retries": lambda each: each.tally.retries,
    "visits": lambda each: each.tally.visits,
}
"""What is measured of every run, by name."""
WHOLE = frozenset({"dispatches", "retries", "visits"})
BINS = 16
LEAST = 1e-9
"""Nothing measured here is smaller, and smaller numbers cannot be divided for ever."""


@dataclass(frozen=True)
class Spreading:
    """One number over all runs."""

    values: tuple[float, ...]
    """Sorted."""

    @property
    def mean(self) -> float:
        return sum(self.values) / len(self.values)

    def at(self, share: float) -> float:
        """The value that this share of the runs does not exceed."""
        return self.values[min(len(self.values) - 1, max(0, round(share * len(self.values)) - 1))]

    def told(self) -> dict[str, float]:
        found = {
            "mean": self.mean,
            "least": self.values[0],
            "p50": self.at(0.5),
            "p90": self.at(0.9),
            "p99": self.at(0.99),
            "most": self.values[-1],
        }
        return {name: significant(value) for name, value in found.items()}

    def counts(self, edges: Sequence[float]) -> list[int]:
        """How many values fall between each pair of edges; those above the last edge count in
        the last bin.
        """
        found = [0] * (len(edges) - 1)
        at = 0
        for value in self.values:
            while at < len(found) - 1 and value >= edges[at + 1]:
                at += 1
            found[at] += 1
        return found


@dataclass(frozen=True)
class Sample:
    """All runs of one simulation."""

    ends: Mapping[str, int]
    """Most frequent first."""
    measures: Mapping[str, Spreading]
    runs: int

    def share(self, end: str) -> float:
        return self.ends.get(end, 0) / self.runs

    def told(self) -> dict[str, Any]:
        return {
            "runs": self.runs,
            "ends": dict(self.ends),
            **{
                name: each.told() | {"histogram": histogram(name, each)}
                for name, each in self.measures.items()
            },
        }


def sampled(runs: Sequence[Lived]) -> Sample:
    ends = Counter(each.end for each in runs)
    measures = {name: Spreading(tuple(sorted(map(take, runs)))) for name, take in MEASURES.items()}
    return Sample(
        dict(sorted(ends.items(), key=lambda each: (-each[1], each[0]))), measures, len(runs)
    )


def edges(name: str, *spreads: Spreading) -> list[float]:
    """Round edges of up to sixteen bins, from 0 to the 98th percentile; the rest is counted in
    the last.
    """
    top = max(each.at(0.98) for each in spreads)
    if top < LEAST:
        return [0.0, 1.0]
    size = _round_up(top / BINS, whole=name in WHOLE, time=name.endswith("_s"))
    count = int(top // size) + 1
    return [size * place for place in range(count + 1)]


def histogram(name: str, spread: Spreading) -> list[list[float]]:
    """[from, to, runs] of each bin."""
    found = edges(name, spread)
    return [
        [significant(low), significant(high), count]
        for low, high, count in zip(found, found[1:], spread.counts(found), strict=False)
    ]


_TIMES = (
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
    10_800,
    14_400,
    21_600,
    43_200,
    86_400,
)


def _round_up(value: float, *, whole: bool, time: bool) -> float:
    """The next number that people would choose."""
    if time and (fits := [each for each in _TIMES if each >= value]):
        return float(fits[0])
    size = 1.0
    while size < value:
        size *= 10
    while size / 10 >= value:
        size /= 10
    found = next(each for each in (size / 5, size / 2, size, size * 2) if each >= value)
    return max(1.0, round(found)) if whole else found


def significant(value: float) -> float:
    """Six digits: enough for anybody, and equal on every machine."""
    found = float(f"{value:.6g}")
    return int(found) if found.is_integer() else found
