"""The states of one workflow that simulated runs have reached, each computed once.

Equal runs continue equally, which exploration relies on too. So `advance` computes a route the
first time a run takes it, and it is remembered for all others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from podium.core.advance import advance, blocked
from podium.core.effects import Check, Child, Cluster, FanOut, Gate, Stage
from podium.core.explore import key
from podium.core.run import Run, Status
from podium.core.workflow import Workflow
from podium.simulation.dispatching import Worker, worker
from podium.simulation.model import Model, Spread
from podium.simulation.options import Options, options

Kind = Literal["agents", "gate", "check", "children", "rest"]


@dataclass
class Stand:
    """One state, and what has been computed about it."""

    run: Run
    kind: Kind
    workers: tuple[Worker, ...] = ()
    cluster: Cluster | None = None
    fan_out: FanOut | None = None
    width: int = 1
    seconds: Spread | None = None
    options: dict[str, Options | None] = field(default_factory=dict)
    """By the previous outcome."""
    following: dict[Any, int] = field(default_factory=dict)
    items: Sequence[Child] | None = None
    ended: dict[tuple[int, ...], tuple[str, str]] = field(default_factory=dict)
    """From where child runs rest to the decision about them: outcome and stop."""


class Ways:
    """States by number, and where each choice leads."""

    def __init__(self, workflow: Workflow, model: Model) -> None:
        self.workflow, self.model = workflow, model
        self.name = workflow.name or type(workflow).__name__
        self.stands: list[Stand] = []
        self._numbers: dict[Any, int] = {}
        self._below: dict[str, Ways] = {}
        self.starts: dict[Any, int] = {}
        """Runs that have begun, by who started them and with what."""

    def enter(self, run: Run) -> int:
        number = self._numbers.setdefault(key(run), len(self.stands))
        if number == len(self.stands):
            self.stands.append(self._stand(run))
        return number

    def _stand(self, run: Run) -> Stand:
        if run.status is not Status.ACTIVE:
            return Stand(run, "rest")
        effect, said = self.workflow.steps[run.step].effect, self.model.step(self.name, run.step)
        match effect:
            case Stage(contract=contract):
                asked = contract(run)
                return Stand(
                    run,
                    "agents",
                    (worker(run.step, asked, self.model.role(asked.role), said.seconds),),
                )
            case Cluster(members=members, limit=limit, width=width):
                found = tuple(
                    worker(each.name, asked, self.model.role(asked.role), said.seconds)
                    for each in members(run)
                    for asked in (each.contract(run),)
                )
                return Stand(
                    run, "agents", found, effect, width=max(1, width(run)) if width else limit
                )
            case FanOut(limit=limit, width=width):
                wide = min(limit, max(1, width(run))) if width else limit
                return Stand(run, "children", fan_out=effect, width=wide)
            case Gate():
                return Stand(run, "gate", seconds=said.seconds or self.model.person)
            case Check():
                return Stand(run, "check", seconds=said.seconds or self.model.check)

    def options(self, number: int, before: str) -> Options | None:
        stand = self.stands[number]
        said = self.model.step(self.name, stand.run.step)
        name = before if before in said.after else ""
        if name not in stand.options:
            stand.options[name] = options(self.workflow, stand.run, said, name)
        return stand.options[name]

    def after(
        self, number: int, outcome: str, sets: Mapping[str, Any], place: int = -1, stop: str = ""
    ) -> int:
        """Where an outcome leads; `place` distinguishes what it sets."""
        following = self.stands[number].following
        way = (outcome, place, stop)
        if way not in following:
            following[way] = self.enter(
                advance(self.workflow, self.stands[number].run, outcome, sets, stop=stop)
            )
        return following[way]

    def halted(self, number: int, stop: str) -> int:
        """The run stopped where it is, not by a route of its own."""
        following = self.stands[number].following
        if ("", stop) not in following:
            following["", stop] = self.enter(blocked(self.stands[number].run, stop, stop))
        return following["", stop]

    def below(self, workflow: Callable[[], Workflow], name: str) -> Ways:
        """The ways of child runs; `name` is the step that starts them."""
        if name not in self._below:
            self._below[name] = Ways(workflow(), self.model)
        return self._below[name]
