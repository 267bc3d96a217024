"""One dispatch in virtual time: attempts, repairs, delays and sleeps, by the rules that real
dispatches obey.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from podium.core import budget, retry
from podium.core.contract import Contract
from podium.simulation.model import AgentModel, Chance, Spread


@dataclass
class Tally:
    """What one run and its child runs have used so far."""

    dispatches: int = 0
    retries: int = 0
    visits: int = 0
    tokens: float = 0.0
    cost_usd: float = 0.0
    agents_s: float = 0.0
    """Time of all agents together."""
    people_s: float = 0.0
    """Time that the run waited for people."""
    steps: int = 0
    depth: int = 0
    """How many child runs deep the drive is."""
    rests: list[tuple[float, int, float]] = field(default_factory=list)
    """Of the run itself, at each wait for people and at its end: (seconds driven, steps so far,
    seconds waited).
    """
    parked_s: float = 0.0
    """The sum of the waits in `rests`."""

    def rest(self, seconds: float, waited: float) -> None:
        """`seconds`: since the run began, including waits for people except this one."""
        if self.depth == 0:
            self.rests.append((seconds - self.parked_s, self.steps, waited))
            self.parked_s += waited


@dataclass(frozen=True)
class Rules:
    """What bounds a run by policy."""

    retry: retry.Policy = field(default_factory=retry.Policy)
    timeout_s: float = 3600.0
    caps: Mapping[str, float | None] = field(default_factory=dict)
    """By the names of the settings."""

    def out_of_budget(self, tally: Tally, driven_s: float) -> bool:
        """Asked before every dispatch, as in the engine."""
        if not self.caps:
            return False
        used = {
            "dispatches": tally.dispatches,
            "tokens": tally.tokens,
            "cost_usd": tally.cost_usd,
            "wall_clock_s": driven_s,
        }
        return budget.reached(used, self.caps) is not None


@dataclass(frozen=True)
class Worker:
    """One agent as a step needs it."""

    name: str
    model: AgentModel
    own: Mapping[str, int]
    """The contract's own retry limits."""
    failures: tuple[tuple[float, str], ...]
    """Cumulative shares of its kinds of failure."""
    seconds: Spread


def worker(name: str, contract: Contract, model: AgentModel, seconds: Spread | None) -> Worker:
    total, failures = 0.0, []
    for kind, share in model.failures.items():
        if share > 0 and (
            kind != "validation" or contract.evidence
        ):  # only engine commands fail a validation
            total += share
            failures.append((total, kind))
    return Worker(name, model, contract.retries, tuple(failures), seconds or model.seconds)


def dispatch(
    one: Worker, rules: Rules, tally: Tally, driven_s: float, chance: Chance
) -> tuple[float, str]:
    """How long it takes, and why it was given up: a class of failure, `budget`, or ""."""
    took = 0.0
    history: list[retry.Attempt] = []
    while True:
        if rules.out_of_budget(tally, driven_s + took):
            return took, "budget"
        tally.dispatches += 1
        failure = _failure(one, chance)
        took += _work(one, failure, rules, tally, chance)
        if not failure:
            return took, ""
        repair = bool(history) and retry.classification(history[-1].failure) == retry.ARTIFACT
        reset = (
            one.model.reset_s.draw(chance)
            if failure == "rate_limit" and one.model.reset_s.median
            else None
        )
        history.append(
            retry.Attempt(len(history) + 1, repair, retry.as_error(failure, one.own), reset_s=reset)
        )
        match retry.next_move(history, rules.retry, one.own):
            case retry.Retry(delay_s=delay):
                took += delay
            case retry.Sleep(seconds=seconds):
                took += seconds
            case retry.Repair():
                pass
            case _:
                return took, failure
        tally.retries += 1


def _failure(one: Worker, chance: Chance) -> str:
    at = chance()
    return next((kind for total, kind in one.failures if at < total), "")


def _work(one: Worker, failure: str, rules: Rules, tally: Tally, chance: Chance) -> float:
    """What one attempt takes and costs; a service that refuses takes nothing."""
    seconds = min(one.seconds.draw(chance), rules.timeout_s)
    tokens, cost = one.model.tokens.draw(chance), one.model.cost_usd.draw(chance)
    if failure == "rate_limit":
        return 0.0
    if failure == "timeout":
        seconds = rules.timeout_s
    tally.tokens += tokens
    tally.cost_usd += cost
    tally.agents_s += seconds
    return seconds
