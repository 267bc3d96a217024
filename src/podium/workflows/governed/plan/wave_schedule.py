"""Which phases run side by side: waves in order, at most so many at once, never two on the same
file.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from podium.core import waves
from podium.workflows.governed.plan.plan import Phase, Plan
from podium.workflows.governed.policy.policy import Policy


@dataclass(frozen=True)
class Throttle:
    """How many may work at once from now on, and why."""

    limit: int
    because: str = ""
    """Empty if nothing changed."""


def first_limit(plan: Plan, policy: Policy) -> int:
    """The lower of the plan's limit and that of its resource profile."""
    profile = plan.resource_profile or "default"
    return min(plan.parallel, policy.integer(f"resource_profiles.{profile}.max_parallel_agents"))


def throttled(limit: int, transient: Collection[int], policy: Policy) -> Throttle:
    """The limit for later waves after one in which these phases had transient failures."""
    threshold = max(1, policy.integer("retry_budgets.per_wave_transient_reduction_threshold"))
    failed = len(set(transient))
    if failed < threshold:
        return Throttle(limit)
    factor = policy.number("retry_budgets.per_wave_parallelism_reduction_factor")
    lower = max(1, math.ceil(limit * factor))
    if lower == limit:
        return Throttle(limit)
    return Throttle(
        lower, f"{failed} phases of one wave failed in passing; {threshold} are enough to slow down"
    )


def batches(phases: Sequence[Phase], limit: int) -> tuple[tuple[Phase, ...], ...]:
    """A wave's phases in the order they run: side by side within a batch, one batch after
    another.
    """
    by_id = {str(each.phase_id): each for each in sorted(phases, key=lambda each: each.phase_id)}
    files = {name: each.writes for name, each in by_id.items()}
    return tuple(
        tuple(by_id[name] for name in batch) for batch in waves.batches(list(by_id), files, limit)
    )


def next_wave(plan: Plan, complete: Collection[int]) -> int | None:
    """The lowest wave with an incomplete phase; None if all are complete."""
    return next(
        (
            wave
            for wave, phases in plan.waves
            if any(each.phase_id not in complete for each in phases)
        ),
        None,
    )
