"""Caps on tokens, time and cost: reaching one stops the run for a person and is no failed attempt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from podium.workflows.governed.policy import Policy

AXES: Mapping[str, str] = {
    "tokens": "budget_defaults.token_cap",
    "wall_clock_s": "budget_defaults.wall_clock_s",
    "cost_usd": "budget_defaults.cost_usd",
}


@dataclass(frozen=True)
class Spent:
    """What one dispatch, or all of them, used; None = nobody knows."""

    tokens: float | None = 0.0
    wall_clock_s: float | None = 0.0
    cost_usd: float | None = 0.0


@dataclass(frozen=True)
class Reached:
    """One cap that stops the run."""

    axis: str
    used: float | None
    cap: float
    reason: str


def together(spent: Iterable[Spent], estimate_usd: float | None = None) -> Spent:
    """All of it; unknown as soon as one part is, but for a cost that an estimate stands for."""
    found = list(spent)
    costs = [each.cost_usd if each.cost_usd is not None else estimate_usd for each in found]
    return Spent(_sum(each.tokens for each in found), _sum(each.wall_clock_s for each in found), _sum(costs))


def _sum(values: Iterable[float | None]) -> float | None:
    found = list(values)
    return None if None in found else float(sum(each for each in found if each is not None))


def caps(policy: Policy) -> dict[str, float]:
    """The caps that hold; none where budgets are off."""
    if not policy.flag("budget_defaults.enabled"):
        return {}
    return {axis: cap for axis, name in AXES.items() if (cap := policy.cap(name)) is not None}


def reached(spent: Spent, policy: Policy) -> tuple[Reached, ...]:
    """Every cap that is used up, or that cannot be held because nobody knows what was used."""
    return tuple(_reached(spent, caps(policy)))


def _reached(spent: Spent, limits: Mapping[str, float]) -> Iterator[Reached]:
    for axis, cap in limits.items():
        used = getattr(spent, axis)
        if used is None:
            yield Reached(
                axis,
                None,
                cap,
                f"{axis} has a cap of {cap:g}, and what was used is unknown; give an estimate for each dispatch or lift the cap",
            )
        elif used >= cap:
            yield Reached(axis, used, cap, f"{used:g} of {cap:g} {axis} used")


def reflects(policy: Policy) -> bool:
    """Whether executors are asked for what a phase taught, for the session's lessons."""
    return policy.flag("budget_defaults.enable_reflection")
