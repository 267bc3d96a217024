"""When a run has spent what it may. Unknown is never nothing: a cap that cannot be held stops the run, too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Reached:
    """The cap that stops a run."""

    axis: str
    used: float | None
    """None where nobody knows."""
    cap: float
    reason: str


def total(spent: Iterable[float | None], estimate: float | None = None) -> float | None:
    """All parts together; unknown as soon as one is, unless an estimate stands for it."""
    found = [estimate if each is None else each for each in spent]
    return None if None in found else float(sum(each for each in found if each is not None))


def reached(used: Mapping[str, float | None], caps: Mapping[str, float | None]) -> Reached | None:
    """The first cap that is used up, or that cannot be held because nobody knows what was used."""
    for axis, spent in used.items():
        cap = caps.get(axis)
        if cap is None:
            continue
        if spent is None:
            return Reached(axis, None, cap, f"{axis} has a cap of {cap:g}, but what was used is unknown; {_way_out(axis)}")
        if spent >= cap:
            return Reached(axis, spent, cap, f"{spent:g} of {cap:g} {axis} used")
    return None


def _way_out(axis: str) -> str:
    if axis == "cost_usd":
        return "lift the cap, use an agent that reports it, let its model come through the gateway, or set budget.estimate_usd for each dispatch that does not say"
    return "lift the cap, use an agent that reports it, or let its model come through the gateway"
