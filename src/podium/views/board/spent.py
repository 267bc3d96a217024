"""What a run has used. Dispatches that did not report are kept apart from the sum."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from podium.views import figures

AXES = ("tokens_in", "tokens_out", "cost_usd")


@dataclass
class Spent:
    dispatches: int = 0
    """Finished dispatches."""
    sums: dict[str, float] = field(default_factory=lambda: dict.fromkeys(AXES, 0.0))
    silent: dict[str, int] = field(default_factory=lambda: dict.fromkeys(AXES, 0))
    """How many finished dispatches did not report."""

    def add(self, usage: object) -> None:
        said: Mapping[str, Any] = usage if isinstance(usage, Mapping) else {}
        self.dispatches += 1
        for axis in AXES:
            value = said.get(axis)
            if isinstance(value, int | float) and not isinstance(value, bool):
                self.sums[axis] += value
            else:
                self.silent[axis] += 1

    def total(self, axis: str) -> float | None:
        """The sum; None if nothing is known or something is missing from it."""
        return None if self.silent[axis] or not self.dispatches else self.sums[axis]

    def known(self, axis: str) -> bool:
        """Whether at least one dispatch reported something."""
        return self.dispatches > self.silent[axis]

    def words(self, axis: str, least: str = "at least ") -> str:
        """`12.3k`, `at least 12.3k` if some did not report, a dash if none did."""
        show = figures.money if axis == "cost_usd" else figures.count
        if not self.known(axis):
            return figures.UNKNOWN
        return show(self.sums[axis]) if not self.silent[axis] else f"{least}{show(self.sums[axis])}"

    def short(self) -> str:
        """Everything in a few words: `3.6k in · 1.0k out · $0.04`. What nobody reported is
        unknown, not zero.
        """
        cost = self.words("cost_usd", "≥") if self.known("cost_usd") else "cost unknown"
        if not self.known("tokens_in") and not self.known("tokens_out"):
            return f"tokens unknown · {cost}"
        return f"{self.words('tokens_in', '≥')} in · {self.words('tokens_out', '≥')} out · {cost}"
