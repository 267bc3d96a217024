"""The caps of the policy; `core.budget` and the engine decide what happens when one is reached."""

from __future__ import annotations

from collections.abc import Mapping

from podium.workflows.governed.policy.policy import Policy

AXES: Mapping[str, str] = {
    "tokens": "budget_defaults.token_cap",
    "wall_clock_s": "budget_defaults.wall_clock_s",
    "cost_usd": "budget_defaults.cost_usd",
}


def caps(policy: Policy) -> dict[str, float]:
    """The caps that apply; none if budgets are off."""
    if not policy.flag("budget_defaults.enabled"):
        return {}
    return {axis: cap for axis, name in AXES.items() if (cap := policy.cap(name)) is not None}


def reflects(policy: Policy) -> bool:
    """Whether executors are asked what a phase taught, for the session's lessons."""
    return policy.flag("budget_defaults.enable_reflection")
