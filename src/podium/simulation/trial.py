"""Many runs of one workflow under one policy and one model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from podium.core.workflow import Workflow
from podium.simulation.dispatching import Rules
from podium.simulation.figures import Sample, sampled
from podium.simulation.model import Chance, Model
from podium.simulation.virtual import Lived, live
from podium.simulation.ways import Ways

Progress = Callable[[int, int], None]
"""(runs done, runs in all)."""


@dataclass(frozen=True)
class Trial:
    workflow: Workflow
    model: Model
    rules: Rules
    members: Mapping[str, Any]
    """What every run begins with, according to the policy."""

    def runs(
        self,
        count: int,
        chances: Callable[[int], Chance],
        progress: Progress = lambda _done, _all: None,
    ) -> Sample:
        """`chances`: a separate source for each run by number, so that one run's draws do not
        change another.
        """
        return sampled(self.lives(count, chances, progress))

    def lives(
        self,
        count: int,
        chances: Callable[[int], Chance],
        progress: Progress = lambda _done, _all: None,
    ) -> list[Lived]:
        ways = Ways(self.workflow, self.model)
        found: list[Lived] = []
        for number in range(count):
            found.append(live(ways, self.members, self.rules, chances(number)))
            if number % 100 == 0:
                progress(number, count)
        progress(count, count)
        return found
