"""One task through a line of stages, with a person before Build and before Complete.

The line is data (stages.py); the steps are made from it here, and their routes are the few methods
below. A stage is left only once the engine has verified its artifact. A review that finds issues
sends the run back, a bounded number of times. If its flag is on, Complete is reached only through a
person.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any

from podium.core.effects import Effect, Gate, Stage
from podium.core.errors import Blocked, Fault
from podium.core.history import History
from podium.core.run import DONE, Run
from podium.core.workflow import About, Invariant, Projection, Step, Workflow, check_exits
from podium.workflows.harness import adopting, contracts, files, judges, proofs
from podium.workflows.harness.run import HarnessRun
from podium.workflows.harness.stages import COMPLETION, StageSpec
from podium.workflows.harness.state_edits import state_faults

QA_LIMIT = "QA remediation retry limit reached"


class Harness(Workflow):
    name = "harness"
    run_type = HarnessRun

    def __init__(self, stages: Sequence[StageSpec], max_remediations: int = 2) -> None:
        self.stages = tuple(stages)
        self.max_remediations = max_remediations
        self.start = self._entries(0)[0]
        self.by_step = {stage.step: stage for stage in self.stages}
        self.steps = {each.name: each for each in self._steps()}
        self.invariants: tuple[Invariant, ...] = proofs.invariants(self)
        check_exits("harness", self.steps)

    def proven_by(self, run: Run) -> Sequence[str]:
        names = (name for stage in self.stages for name in stage.evidence)
        return tuple(dict.fromkeys(names))

    def declares_proof(self) -> str:
        stages = [stage.name for stage in self.stages if stage.evidence]
        return f"harness/stages.toml: stage {stages[0]}" if stages else ""

    # -- the steps, made from the line

    def _steps(self) -> list[Step]:
        steps = []
        for at, stage in enumerate(self.stages):
            if stage.approval_before:
                steps.append(
                    self._gate(stage.gate, f"Start {stage.name}?", self.stages[:at], stage.name)
                )
            steps.append(self._stage(at, stage))
        steps.append(
            self._gate(COMPLETION, "Accept the task as complete?", self.stages, "Awaiting Approval")
        )
        return steps

    def _stage(self, at: int, stage: StageSpec) -> Step:
        review = stage.kind == "review"
        effect: Effect = Stage(
            role=stage.role,
            contract=partial(contracts.contract, self, stage),
            judge=judges.JUDGES[stage.kind],
            approved_by=partial(_required_gate, stage.gate) if stage.approval_before else None,
        )
        exits = {DONE, COMPLETION} if at + 1 == len(self.stages) else set(self._entries(at + 1))
        back = (self._named(stage.returns_to).step,) if review and self.max_remediations else ()
        return Step(
            name=stage.step,
            effect=effect,
            route=Harness.after_review if review else Harness.after_work,
            outcomes=("ok", "revise") if review else ("ok",),
            exits=(*sorted(exits), *back),
            phase=stage.name,
            loops=self.loops(stage),
        )

    def _gate(self, name: str, question: str, before: Sequence[StageSpec], phase: str) -> Step:
        targets = tuple(each.step for each in before if each.kind != "review")
        effect = Gate(
            question=question,
            choices=("approved", *targets),
            subject=partial(
                contracts.subject, tuple(each.output for each in before if each.output)
            ),
            default_rejection=targets[-1] if targets else "",
            required=lambda run: bool(_required_gate(name, run)),
        )
        guarded = DONE if name == COMPLETION else name.removeprefix("approve_")
        return Step(
            name=name,
            effect=effect,
            route=Harness.after_gate,
            outcomes=effect.choices,
            exits=(guarded, *targets),
            phase=phase,
        )

    def _entries(self, at: int) -> tuple[str, ...]:
        stage = self.stages[at]
        return (stage.gate, stage.step) if stage.approval_before else (stage.step,)

    def _named(self, name: str) -> StageSpec:
        return next(each for each in self.stages if each.name == name)

    def loops(self, stage: StageSpec) -> bool:
        """Whether a review can send the run back over this stage."""
        at = self.stages.index(stage)
        return any(
            self.stages.index(self._named(each.returns_to)) <= at <= self.stages.index(each)
            for each in self.stages
            if each.kind == "review"
        )

    # -- the routes

    def after_work(self, run: HarnessRun, outcome: str) -> str:
        return self._next(run)

    def after_review(self, run: HarnessRun, outcome: str) -> str:
        stage = self.by_step[run.step]
        if outcome == "ok":
            run.remediating = ""
            return self._next(run)
        if run.remediations.get(stage.step, 0) >= self.max_remediations:
            raise Blocked(QA_LIMIT, "qa_limit")
        run.remediations[stage.step] = run.remediations.get(stage.step, 0) + 1
        run.remediating = stage.step
        back = self._named(stage.returns_to)
        self._uncomplete(run, back.step)
        return back.step

    def after_gate(self, run: HarnessRun, outcome: str) -> str:
        if outcome != "approved":
            run.step = outcome
            self.rewound(run)
            return outcome
        return DONE if run.step == COMPLETION else run.step.removeprefix("approve_")

    def _next(self, run: HarnessRun) -> str:
        stage = self.by_step[run.step]
        if stage.name not in run.completed:
            run.completed.append(stage.name)
        at = self.stages.index(stage) + 1
        if at == len(self.stages):
            return COMPLETION if run.approvals.get(COMPLETION, True) else DONE
        after = self.stages[at]
        # An approval stands until its content changes (the engine compares digests), so a
        # remediation does not ask
        # again; going back over an earlier stage does.
        return (
            after.gate
            if after.approval_before and run.approvals.get(after.gate, True)
            else after.step
        )

    def _uncomplete(self, run: HarnessRun, step: str) -> None:
        at = self.stages.index(self.by_step[step])
        gone = {each.name for each in self.stages[at:]}
        run.completed = [name for name in run.completed if name not in gone]

    def rewound(self, run: Run) -> None:
        assert isinstance(run, HarnessRun)
        run.remediating = ""
        run.remediations = {}
        if run.step in self.by_step:
            self._uncomplete(run, run.step)

    def unblocked(self, run: Run) -> None:
        assert isinstance(run, HarnessRun)
        run.remediations = {}

    def renewed(self, run: Run, policy: Mapping[str, Any]) -> Sequence[str]:
        """Whether a person must be asked is a run's own, from its beginning on; who goes on with
        it may say so anew.
        """
        assert isinstance(run, HarnessRun)
        changes = []
        for gate in self._gates():
            now, was = (
                policy.get(f"require_approval_before_{self.flag(gate)}"),
                run.approvals.get(gate, True),
            )
            if now is not None and bool(now) != was:
                run.approvals = {**run.approvals, gate: bool(now)}
                name = "Complete" if gate == COMPLETION else self.by_step[self.flag(gate)].name
                changes.append(
                    f"Require Approval Before {name}: {_answer(was)} -> {_answer(bool(now))}"
                )
        return changes

    def flag(self, gate: str) -> str:
        """What the settings call what stands behind a gate."""
        return "complete" if gate == COMPLETION else gate.removeprefix("approve_")

    # -- what the engine asks about a run

    def faults(self, before: Run, after: Run) -> Sequence[Fault]:
        assert isinstance(before, HarnessRun)
        assert isinstance(after, HarnessRun)
        return state_faults(self.stages, self._gates(), before, after)

    def _gates(self) -> list[str]:
        return [name for name, each in self.steps.items() if isinstance(each.effect, Gate)]

    def stage_of(self, step: str) -> StageSpec | None:
        """The stage that a step belongs to; a gate belongs to the stage it guards."""
        return self.by_step.get(step) or self.by_step.get(step.removeprefix("approve_"))

    def variants(self) -> Sequence[Run]:
        gates = self._gates()
        return [
            self.first(
                **first_members(
                    self.stages, task_id="T000", approvals=dict(zip(gates, flags, strict=True))
                )
            )
            for flags in product((True, False), repeat=len(gates))
        ]

    def artifacts(self, run: Run) -> Mapping[str, str]:
        assert isinstance(run, HarnessRun)
        return {
            "task": run.task_file,
            **run.artifacts,
            "report": run.report,
            "run-state": run.state_path,
        }

    def projections(self, run: Run, history: History, today: str) -> Sequence[Projection]:
        assert isinstance(run, HarnessRun)
        return files.projections(self, run, history, today)

    def about(self, run: Run, history: History, today: str) -> About:
        assert isinstance(run, HarnessRun)
        return files.about(self, run, history, today)

    def roles(self) -> Mapping[str, str]:
        return {stage.role: stage.role_file for stage in self.stages}

    def template_fault(self, role: str, template: str, member: str, value: Any) -> str:
        stages = (each for each in self.stages if each.role == role and each.output == template)
        return next((contracts.template_fault(each, member, value) for each in stages), "")

    def protected(self, run: Run) -> Sequence[str]:
        assert isinstance(run, HarnessRun)
        return contracts.guarded(self, run)

    def adopted(
        self, run: Run, text: str, sound: Callable[[str], tuple[str, str]]
    ) -> tuple[Run, tuple[str, ...]]:
        assert isinstance(run, HarnessRun)
        return adopting.adopted(self, run, text, sound)

    def documents_missing(self, what: str) -> str:
        return "Initialization verification failed — required artifacts missing"


def _answer(flag: bool) -> str:
    return "Yes" if flag else "No"


def _required_gate(gate: str, run: Run) -> str:
    assert isinstance(run, HarnessRun)
    return gate if run.approvals.get(gate, True) else ""


def first_members(stages: Sequence[StageSpec], **members: Any) -> dict[str, Any]:
    """Members of a new run that follow from the stage list and the task."""
    task = members["task_id"]
    paths = {each.output: each.path.format(task=task) for each in stages if each.output}
    return {**members, "artifacts": {**paths, **members.get("artifacts", {})}}
