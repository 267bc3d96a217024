"""A small workflow of every kind of step, for every test that needs one.

`Sample` plans, asks a person, builds and checks its work, with at most two remediations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from podium.core.contract import Contract
from podium.core.effects import Check, Child, Cluster, FanOut, Gate, Member, Stage
from podium.core.errors import Blocked
from podium.core.run import Run
from podium.core.verdict import Judgement
from podium.core.workflow import Workflow, step


def stage(role: str, approved_by: str = "") -> Stage:
    """A stage with nothing in its contract but its role."""
    return Stage(
        role,
        lambda _: Contract(role=role),
        approved_by=(lambda _: approved_by) if approved_by else None,
    )


def cluster(*roles: str) -> Cluster:
    """A cluster that is ok when all its members are."""
    members = tuple(Member(role, lambda _, role=role: Contract(role=role)) for role in roles)  # type: ignore[misc]

    def decide(said: Mapping[str, Judgement]) -> Judgement:
        return Judgement("ok" if all(each.outcome == "ok" for each in said.values()) else "revise")

    return Cluster(lambda _: members, decide)


@dataclass(kw_only=True)
class SampleRun(Run):
    remediations: int = 0


class Sample(Workflow):
    """planning, approve_build, build, qa; QA sends back to build at most twice."""

    name = "sample"
    start = "planning"
    run_type = SampleRun

    @step(stage("tech-lead"))
    def planning(self, run: SampleRun, outcome: Literal["ok"]) -> Literal["approve_build"]:
        return "approve_build"

    @step(Gate("Build this plan?", choices=("approved", "rejected"), default_rejection="planning"))
    def approve_build(
        self, run: SampleRun, outcome: Literal["approved", "rejected"]
    ) -> Literal["build", "planning"]:
        return "build" if outcome == "approved" else "planning"

    @step(stage("build", approved_by="approve_build"), loops=True)
    def build(self, run: SampleRun, outcome: Literal["ok"]) -> Literal["qa"]:
        return "qa"

    @step(stage("qa"), loops=True)
    def qa(self, run: SampleRun, outcome: Literal["ok", "revise"]) -> Literal["done", "build"]:
        if outcome == "ok":
            return "done"
        if run.remediations == 2:
            raise Blocked("QA remediation retry limit reached")
        run.remediations += 1
        return "build"


def _one_child(_: Run) -> Sequence[Child]:
    return (Child("item/1"),)


def _all_complete(children: Mapping[str, Run]) -> Judgement:
    return Judgement(
        "ok" if all(each.status == "complete" for each in children.values()) else "fail"
    )


def _always_ok(
    run: Run, files: Mapping[str, str | None], evidence: Sequence[Mapping[str, Any]]
) -> Judgement:
    return Judgement("ok")


class EveryKind(Workflow):
    """One step of each kind, with a skip forward and a way back."""

    name = "every-kind"
    start = "check_input"

    @step(Check("the input is there", decide=_always_ok))
    def check_input(
        self, run: Run, outcome: Literal["ok", "known"]
    ) -> Literal["research", "approve"]:
        return "research" if outcome == "ok" else "approve"

    @step(cluster("security", "strategy"))
    def research(self, run: Run, outcome: Literal["ok", "revise"]) -> Literal["approve"]:
        return "approve"

    @step(Gate("Go on?", choices=("approved", "rejected"), default_rejection="research"))
    def approve(
        self, run: Run, outcome: Literal["approved", "rejected"]
    ) -> Literal["implement", "research"]:
        return "implement" if outcome == "approved" else "research"

    @step(FanOut(Sample, _one_child, _all_complete))
    def implement(self, run: Run, outcome: Literal["ok"]) -> Literal["report"]:
        return "report"

    @step(stage("writer"))
    def report(self, run: Run, outcome: Literal["ok"]) -> Literal["done"]:
        return "done"
