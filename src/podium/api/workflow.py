"""A workflow of one's own: a class with settings, state, and one method for each step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from podium.api import contracts, template
from podium.api.rules import Rule
from podium.api.state import Policy, Run
from podium.api.steps import AgentStep, CheckStep, Declared, GateStep, ParallelStep
from podium.core.errors import Blocked
from podium.core.history import History
from podium.core.run import Run as CoreRun
from podium.core.verdict import Dialect
from podium.core.workflow import About, Step, check_exits
from podium.core.workflow import Workflow as CoreWorkflow

_APPROVED = "approved"


class Workflow(CoreWorkflow):
    """Subclass it, decorate methods with `agent`, `gate`, `check` and `parallel`. The first one is
    where a run starts; a method returns the name of the next step, or "done".
    """

    Settings: ClassVar[type[Policy]] = Policy
    """What can be set; a method reads it as `self.settings`."""
    State: ClassVar[type[Run]] = Run
    """What a run remembers; a method gets it as `run` and may change it."""
    input: ClassVar[str] = "what is to be done"
    """What a person gives to `podium run`; empty = nothing."""
    rules: ClassVar[Sequence[Rule]] = ()
    """What holds on every way a run can take."""
    declared: ClassVar[Mapping[str, Declared]] = {}
    named: ClassVar[bool] = False
    """Whether the class says its name; otherwise it has the name of its file."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        own = {name: item for name, item in vars(cls).items() if isinstance(item, Declared)}
        cls.declared = {**cls.declared, **own}
        cls.run_type = cls.State
        cls.named = bool(vars(cls).get("name"))
        if not cls.named:
            cls.name = cls.__name__.lower()
        cls._refuse_unknown_names()

    def __init__(self, policy: Mapping[str, Any] | None = None) -> None:
        self.settings: Any = self.Settings.read(policy or {})
        self.steps = {name: self._step(item) for name, item in self.declared.items()}
        if self.steps:
            self.start = next(iter(self.steps))
        self.invariants = tuple(rule.invariant(self.declared) for rule in self.rules)
        check_exits(self.name, self.steps)

    @classmethod
    def _refuse_unknown_names(cls) -> None:
        for item in cls._agents():
            if wrong := template.faults(item.task, cls.Settings.defaults()):
                raise TypeError(f"{cls.__name__}: the task of {item.role!r} names {wrong[0]!r}")

    @classmethod
    def _agents(cls) -> list[AgentStep]:
        specs = [item.spec for item in cls.declared.values()]
        inner = [
            spec
            for item in specs
            if isinstance(item, ParallelStep)
            for spec in item.members.values()
        ]
        return [*(spec for spec in specs if isinstance(spec, AgentStep)), *inner]

    def _step(self, item: Declared) -> Step:
        outcomes, route = item.outcomes, item.route
        if isinstance(item.spec, GateStep):
            effect = item.spec.effect(self, item.name, outcomes)
            outcomes = effect.choices  # type: ignore[union-attr]

            def route(workflow: Any, run: Any, outcome: Any) -> str:
                return item.route(workflow, run, "approve" if outcome == _APPROVED else outcome)
        else:
            effect = item.spec.effect(self, item.name)
        return Step(
            name=item.name,
            effect=effect,
            route=route,
            outcomes=outcomes,
            exits=item.exits,
            loops=self._loops(item.name),
        )

    def _loops(self, name: str) -> bool:
        """Whether the step can be reached from itself, so that its keys show the round."""
        reached, left = set[str](), [*self.declared[name].exits]
        while left:
            at = left.pop()
            if at not in reached and at in self.declared:
                reached.add(at)
                left += self.declared[at].exits
        return name in reached

    def stop(self, reason: str) -> Blocked:
        """Raise it from a method: the run stops here, and a person decides what becomes of it."""
        return Blocked(reason, "rule")

    def values(self, run: CoreRun) -> Mapping[str, str]:
        """What `{{ … }}` stands for."""
        assert isinstance(run, Run)
        settings = {
            f"policy.{key}": str(getattr(self.settings, key)) for key in self.Settings.defaults()
        }
        return {"input": run.input, "run": run.slug, **settings}

    def dialects(self) -> Mapping[str, Dialect]:
        """How each of its agents reports."""
        made = {}
        for name, item in self.declared.items():
            if isinstance(item.spec, AgentStep):
                made[name] = item.spec
            elif isinstance(item.spec, ParallelStep):
                made |= {f"{name}-{member}": spec for member, spec in item.spec.members.items()}
        names = {step: contracts.dialect_name(self, step) for step in made}
        return {
            names[step]: contracts.dialect(names[step], spec.verdict) for step, spec in made.items()
        }

    # -- what the engine asks

    def roles(self) -> Mapping[str, str]:
        return dict.fromkeys((spec.role for spec in self._agents()), "")

    def about(self, run: CoreRun, history: History, today: str) -> About:
        assert isinstance(run, Run)
        notes = (run.note,) if run.note else ()
        return About(task="", facts={"Workflow": self.name, "Date": today}, notes=notes)

    def proven_by(self, run: CoreRun) -> Sequence[str]:
        names = [name for spec in self._agents() for name in spec.proof]
        checks = [item.spec for item in self.declared.values() if isinstance(item.spec, CheckStep)]
        return tuple(dict.fromkeys([*names, *(name for one in checks for name in one.commands)]))

    def declares_proof(self) -> str:
        names = self.proven_by(self.first())
        return f"the workflow {self.name} (proof: {', '.join(names)})" if names else ""
