"""Histograms of what agents used and how long they took, from the spans of their attempts."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from podium.reach.otel import conventions as names
from podium.reach.otel.span import Span, Value

Labels = tuple[tuple[str, Value], ...]
_KEPT = (names.OPERATION, names.PROVIDER, names.AGENT, names.TOOL, names.MODEL)
"""Labels with few values: a histogram per run would not be a metric."""


@dataclass
class Histogram:
    """One row of a metric: all measurements with the same labels."""

    bounds: Sequence[float]
    start: int
    end: int
    counts: list[int] = field(default_factory=list)
    total: float = 0.0
    least: float = float("inf")
    most: float = float("-inf")

    def add(self, value: float, span: Span) -> None:
        self.counts = self.counts or [0] * (len(self.bounds) + 1)
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value
        self.least, self.most = min(self.least, value), max(self.most, value)
        self.start, self.end = min(self.start, span.start), max(self.end, span.end)


def measured(spans: Iterable[Span]) -> dict[str, dict[Labels, Histogram]]:
    """Rows by metric name; attempts that are still open are left out."""
    found: dict[str, dict[Labels, Histogram]] = {names.TOKEN_USAGE: {}, names.DURATION: {}}
    for span in spans:
        if names.OPERATION not in span.attributes or span.attributes.get("podium.open"):
            continue
        for metric, bounds, labels, value in _measures(span):
            row = found[metric].setdefault(labels, Histogram(bounds, span.start, span.end))
            row.add(value, span)
    return {name: dict(sorted(rows.items())) for name, rows in found.items() if rows}


def _measures(span: Span) -> Iterator[tuple[str, Sequence[float], Labels, float]]:
    kept = {name: span.attributes[name] for name in _KEPT if name in span.attributes}
    for attribute, kind in ((names.TOKENS_IN, "input"), (names.TOKENS_OUT, "output")):
        used = span.attributes.get(attribute)
        if isinstance(used, int):
            yield (
                names.TOKEN_USAGE,
                names.TOKEN_BOUNDS,
                _labels({**kept, names.TOKEN_TYPE: kind}),
                used,
            )
    failed: Mapping[str, Value] = {names.ERROR: span.error} if span.error else {}
    yield (
        names.DURATION,
        names.DURATION_BOUNDS,
        _labels({**kept, **failed}),
        (span.end - span.start) / 1e9,
    )


def _labels(values: Mapping[str, Value]) -> Labels:
    return tuple(sorted(values.items()))
