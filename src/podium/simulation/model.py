"""What a simulation assumes about agents and people: how often, how long, at what cost. Values
only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from statistics import NormalDist

Chance = Callable[[], float]
"""The only source of chance: numbers from 0 to 1, which the caller makes from a seed."""

_NORMAL = NormalDist()
_P90 = _NORMAL.inv_cdf(0.9)
_EDGE = 1e-9
_LARGEST = 700.0
"""The largest exponent that gives a finite number."""

FAILURES = ("artifact", "crash", "timeout", "rate_limit", "validation", "violation")
"""Classes of failure that a model may mention, as retries count them."""


@dataclass(frozen=True)
class Spread:
    """A number that varies: half of the time below the median, nine times in ten below p90,
    never below 0.
    """

    median: float
    p90: float

    def draw(self, chance: Chance) -> float:
        """Log-normal: most are near the median and a few are much larger, as with agents and
        people.
        """
        at = chance()
        if self.median <= 0 or self.p90 <= self.median:
            return self.median
        middle = math.log(self.median)
        wide = (math.log(self.p90) - middle) / _P90
        return math.exp(
            min(_LARGEST, middle + wide * _NORMAL.inv_cdf(min(max(at, _EDGE), 1 - _EDGE)))
        )


NOTHING = Spread(0, 0)


@dataclass(frozen=True)
class AgentModel:
    """How agents of one role behave."""

    seconds: Spread = Spread(240, 900)
    """How long one dispatch takes."""
    tokens: Spread = Spread(60_000, 250_000)
    cost_usd: Spread = Spread(0.25, 1.2)
    failures: Mapping[str, float] = field(
        default_factory=lambda: {
            "artifact": 0.03,
            "crash": 0.005,
            "timeout": 0.005,
            "rate_limit": 0.01,
            "validation": 0.08,
            "violation": 0.01,
        }
    )
    """How often one dispatch ends this way, by class."""
    reset_s: Spread = NOTHING
    """rate_limit: after how long the service accepts it again; 0: it does not say, and the
    policy's delay applies.
    """


@dataclass(frozen=True)
class StepModel:
    """How one step behaves."""

    outcomes: Mapping[str, float] = field(default_factory=dict)
    """Weight of each outcome; those not named have none, unless none is named."""
    after: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """The same, if the previous step ended in a certain way."""
    sets: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Weights of what else the result may set: member of the run, value, weight."""
    words: Mapping[str, float] = field(default_factory=dict)
    """Weights of single words in what the result sets, if it contains several results."""
    seconds: Spread | None = None
    """How long it takes: a check, or each agent of the step."""


@dataclass(frozen=True)
class Model:
    """Everything that one simulation assumes."""

    agent: AgentModel = AgentModel()
    """Agents about which nothing else is said."""
    roles: Mapping[str, AgentModel] = field(default_factory=dict)
    steps: Mapping[str, StepModel] = field(default_factory=dict)
    """By `step`, or by `workflow/step` for steps of child runs."""
    person: Spread = Spread(1200, 14_400)
    """How long a person takes to decide."""
    check: Spread = Spread(2, 20)
    """How long the program's own checks take."""
    begin: Mapping[str, Mapping[str, Mapping[str, float]]] = field(default_factory=dict)
    """What runs begin with: workflow, member of the run, value, weight."""

    def step(self, workflow: str, name: str) -> StepModel:
        return self.steps.get(f"{workflow}/{name}") or self.steps.get(name) or StepModel()

    def role(self, name: str) -> AgentModel:
        return self.roles.get(name, self.agent)
