"""The most that one run can use: dispatches by its loops and retries, tokens and cost by the
caps of its policy.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from podium.core.budget import Caps
from podium.core.contract import Contract
from podium.core.effects import Cluster, FanOut, Stage
from podium.core.errors import MISTAKES
from podium.core.proofs import Exploration
from podium.core.retry import DEFAULT_LIMITS, Policy, worst_dispatches
from podium.core.run import Run
from podium.core.workflow import Step, Workflow

BOUNDED_BY = {
    "dispatches": "a loop that nothing ends; `[budget] dispatches` would bound them",
    "tokens": "`[budget] tokens` or `step_tokens` would bound them",
    "cost_usd": "`[budget] cost_usd` or `step_cost_usd` would bound it",
}
"""What to set if a run has no bound: no policy contains a model's prices and appetite."""


def worst_case(
    found: Exploration, policy: Policy, below: Mapping[str, Any]
) -> dict[str, int | None]:
    """`below`: the worst case of each workflow of child runs, by name; None means no bound."""
    if not found.complete:
        return {"dispatches": None, "stage_runs": None}
    tries = most_tries(found.workflow, policy)
    worst = found.worst_case(lambda step: _uses(step, below, "dispatches", tries(step)))
    stages = found.worst_case(lambda step: _uses(step, below, "stage_runs", 1))
    return {"dispatches": _whole(worst), "stage_runs": _whole(stages)}


def capped(
    worst: Mapping[str, int | None], caps: Caps, agents: int = 1, timeout_s: float | None = None
) -> dict[str, Any]:
    """The worst case of a whole run under its caps, with a sentence for each axis that has no
    bound.

    `agents`: how many can be at work at once. A cap is checked between dispatches, and by the
    gateway between the calls of a dispatch; agents at work when it is reached exceed it by what
    they do until then. A cap per step can be exceeded in each step. `timeout_s`: the longest time
    for one dispatch.
    """
    steps = worst["stage_runs"]
    dispatches = _least(worst["dispatches"], caps.dispatches, _each(steps, caps.step_dispatches))
    found: dict[str, Any] = {**worst, "dispatches": None if dispatches is None else int(dispatches)}
    found["tokens"] = _least(caps.tokens, _each(steps, caps.step_tokens))
    found["cost_usd"] = _least(caps.cost_usd, _each(steps, caps.step_cost_usd))
    found["agent_seconds"] = _each(dispatches, timeout_s)
    estimated = [
        each for each in (_each(dispatches, caps.estimate_usd), caps.cost_usd) if each is not None
    ]
    found["estimated_usd"] = min(estimated) if estimated and caps.estimate_usd is not None else None
    most = agents if dispatches is None else min(agents, int(dispatches))
    found["overshoot"] = {
        axis: _beyond(found[axis], getattr(caps, axis), steps, most)
        for axis in ("tokens", "cost_usd")
        if found[axis] is not None
    }
    found["unbounded"] = {axis: text for axis, text in BOUNDED_BY.items() if found[axis] is None}
    return found


def _each(count: float | None, one: float | None) -> float | None:
    return None if count is None or one is None else count * one


def _least(*bounds: float | None) -> float | None:
    return min((each for each in bounds if each is not None), default=None)


def _beyond(bound: float, cap: float | None, steps: int | None, agents: int) -> int:
    """How many agents may exceed the bound: those at work at the run's cap, or one per step at
    the steps' caps.
    """
    return agents if bound == cap or steps is None else steps


def at_once(workflow: Workflow) -> int:
    """How many agents of one run and its child runs can work at the same time."""
    return max((_side_by_side(each) for each in workflow.steps.values()), default=1)


def _side_by_side(step: Step) -> int:
    match step.effect:
        case Cluster(most=most, limit=limit, width=width):
            return most if width is not None else min(most, limit)
        case FanOut(workflow=workflow, most=most, limit=limit, width=width):
            return at_once(workflow()) * (limit if width is not None else min(most, limit))
        case _:
            return 1


def _whole(value: float) -> int | None:
    return int(value) if math.isfinite(value) else None


def most_tries(workflow: Workflow, policy: Policy) -> Callable[[Step], int]:
    """A first attempt, repairs, and retries of every class in which the step can fail."""
    some_run = workflow.variants()[0]

    def tries(step: Step) -> int:
        return max(
            (_tries(each, policy) for each in _contracts(step, some_run)),
            default=_tries(Contract(""), policy),
        )

    return tries


def _contracts(step: Step, run: Run) -> list[Contract]:
    """The step's contracts; empty if such a run cannot be asked. If none ever can, that is
    reported elsewhere.
    """
    try:
        match step.effect:
            case Stage(contract=contract):
                return [contract(run)]
            case Cluster(members=members):
                return [each.contract(run) for each in members(run)]
            case _:
                return []
    except MISTAKES:
        return []


def _tries(contract: Contract, policy: Policy) -> int:
    limits = {**policy.limits, **contract.retries}
    total = limits.pop("total", policy.total)
    own = replace(policy, limits=limits, total=total)
    classes = {*DEFAULT_LIMITS, *own.limits, "artifact"}
    if not contract.evidence:
        classes.discard("validation")  # only the engine's own commands can fail a validation
    if "error" in contract.retries:
        classes -= {"crash", "timeout"}
    if total is None:
        return worst_dispatches(own, classes)
    # A busy service has its own limit, besides the one for all other classes together.
    busy = worst_dispatches(replace(own, total=None), {"rate_limit"}) - 1
    return worst_dispatches(own, classes - {"rate_limit"}) + busy


def _uses(step: Step, below: Mapping[str, Any], name: str, tries: int) -> float:
    """Agents that a step starts; a child run at its own worst."""
    match step.effect:
        case Stage():
            return tries
        case Cluster(most=most):
            return most * tries
        case FanOut(workflow=workflow, most=most):
            worst = below[workflow().name][name]
            return math.inf if worst is None else most * int(worst)
        case _:
            return 0
