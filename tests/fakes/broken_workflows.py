"""Workflows that are wrong on purpose, each in one way, for the checks that must find it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from podium.core.contract import Contract, Input, Output
from podium.core.effects import Check, Cluster, Gate, Member, Stage
from podium.core.run import Run
from podium.core.verdict import Judgement
from podium.core.workflow import Workflow, step


def agent(
    role: str,
    *,
    reads: str = "",
    writes: str = "",
    code: bool = False,
    approved_by: str = "",
    optional: bool = False,
) -> Stage:
    """A stage that reads and writes one file each, where they are named."""
    contract = Contract(
        role,
        inputs=(Input("in", reads),) if reads else (),
        outputs=(Output("out", writes, optional=optional),) if writes else (),
        code="write" if code else "none",
    )
    return Stage(
        role, lambda _: contract, approved_by=(lambda _: approved_by) if approved_by else None
    )


def ok(
    _run: Run, _texts: Mapping[str, str | None], _found: Sequence[Mapping[str, Any]]
) -> Judgement:
    return Judgement("ok")


class Sound(Workflow):
    """Plan, approval, build: nothing is wrong with it."""

    name = "sound"
    start = "plan"

    @step(agent("planner", writes="plan.md"))
    def plan(self, run: Run, outcome: Literal["ok"]) -> Literal["approve"]:
        return "approve"

    @step(Gate("Build it?", choices=("approved", "plan"), subject=lambda _: ["plan.md"]))
    def approve(self, run: Run, outcome: Literal["approved", "plan"]) -> Literal["build", "plan"]:
        return "build" if outcome == "approved" else "plan"

    @step(agent("builder", reads="plan.md", code=True, approved_by="approve"))
    def build(self, run: Run, outcome: Literal["ok"]) -> Literal["done"]:
        return "done"


class Bypassing(Sound):
    """A plan that is revised goes past the person."""

    @step(agent("planner", writes="plan.md"))
    def plan(self, run: Run, outcome: Literal["ok", "revise"]) -> Literal["approve", "build"]:
        return "approve" if outcome == "ok" else "build"


class Renewing(Sound):
    """After the approval the plan can be written again."""

    @step(agent("builder", reads="plan.md", code=True, approved_by="approve"))
    def build(self, run: Run, outcome: Literal["ok", "revise"]) -> Literal["done", "replan"]:
        return "done" if outcome == "ok" else "replan"

    @step(agent("planner", writes="plan.md"))
    def replan(self, run: Run, outcome: Literal["ok"]) -> Literal["build"]:
        return "build"


class Gateless(Sound):
    """The approval it asks for is nowhere."""

    @step(agent("builder", reads="plan.md", code=True, approved_by="aprove"))
    def build(self, run: Run, outcome: Literal["ok"]) -> Literal["done"]:
        return "done"


class Endless(Sound):
    """Build and test send each other the work, and nobody counts."""

    @step(agent("builder", reads="plan.md", code=True, approved_by="approve"))
    def build(self, run: Run, outcome: Literal["ok"]) -> Literal["test"]:
        return "test"

    @step(Check("the tests", decide=ok))
    def test(self, run: Run, outcome: Literal["ok", "fail"]) -> Literal["done", "build"]:
        return "done" if outcome == "ok" else "build"


@dataclass(kw_only=True)
class Turns(Run):
    turns: int = 0


class Growing(Workflow):
    """It counts its turns, and no number is the last."""

    name = "growing"
    start = "work"
    run_type = Turns

    @step(agent("worker"))
    def work(self, run: Turns, outcome: Literal["ok", "revise"]) -> Literal["done", "work"]:
        run.turns += 1
        return "done" if outcome == "ok" else "work"


class DeadOutcome(Sound):
    """It declares an outcome that its results never have."""

    @step(agent("builder", reads="plan.md", code=True, approved_by="approve"))
    def build(self, run: Run, outcome: Literal["ok", "abstain"]) -> Literal["done"]:
        return "done"

    def imagined(self, run: Run, outcome: str) -> Sequence[Mapping[str, Any]]:
        return () if outcome == "abstain" else ({},)


class Unreachable(Sound):
    """Nothing leads to its review."""

    @step(agent("reviewer", reads="plan.md"))
    def review(self, run: Run, outcome: Literal["ok"]) -> Literal["done"]:
        return "done"


class ReadsTooEarly(Sound):
    """A reviewer reads what is written after it."""

    start = "review"

    @step(agent("reviewer", reads="plan.md"))
    def review(self, run: Run, outcome: Literal["ok"]) -> Literal["plan"]:
        return "plan"


class TwoProducers(Sound):
    """Two roles must write the same file."""

    @step(agent("builder", reads="plan.md", writes="notes.md", code=True, approved_by="approve"))
    def build(self, run: Run, outcome: Literal["ok"]) -> Literal["tell"]:
        return "tell"

    @step(agent("writer", writes="notes.md"))
    def tell(self, run: Run, outcome: Literal["ok"]) -> Literal["done"]:
        return "done"


def _side_by_side(_run: Run) -> list[Member]:
    both = [
        Contract(role, outputs=(Output("out", "notes.md", optional=True),))
        for role in ("one", "two")
    ]
    return [Member(each.role, lambda _, each=each: each) for each in both]  # type: ignore[misc]


class Racing(Sound):
    """Two agents write one file at the same time."""

    @step(Cluster(_side_by_side, lambda _: Judgement("ok")))
    def build(self, run: Run, outcome: Literal["ok"]) -> Literal["done"]:
        return "done"


def _broken(run: Run) -> Contract:
    raise KeyError(run.step)


class BrokenContract(Sound):
    """Its contract cannot be asked."""

    @step(Stage("builder", _broken))
    def build(self, run: Run, outcome: Literal["ok"]) -> Literal["done"]:
        return "done"
