"""`podium run roadmap plan GOAL`: a Planner writes or extends the roadmap, and code checks that
it keeps the rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Literal

from podium.core.contract import ITSELF, Contract, Input, Output
from podium.core.effects import Check, Stage
from podium.core.history import History
from podium.core.run import Run
from podium.core.verdict import Judgement
from podium.core.workflow import About, Workflow, step
from podium.workflows.protected import GUARDED, PROTECTED
from podium.workflows.roadmap.items.projection import items_of
from podium.workflows.roadmap.items.research import CRITERIA, FORMER, marks, memory, noted
from podium.workflows.roadmap.planner.planning import check_plan, compose_plan
from podium.workflows.roadmap.runs import PlanRun


def _contract(run: Run) -> Contract:
    assert isinstance(run, PlanRun)
    return Contract(
        role="planner",
        inputs=(Input("current roadmap", run.file, required=False),),
        # The file is its own template: the new text is compared with the one before.
        outputs=(
            Output(
                "roadmap",
                run.file,
                template=ITSELF,
                check=partial(_check, run.file),
                compose=compose_plan,
                structure=_structure,
            ),
        ),
        code="read",
        protected=PROTECTED,
        hidden=(".podium/**",),
        dialect="roadmap",
    )


def _check(path: str, text: str, before: str) -> tuple[str, ...]:
    return check_plan(before or None, text, path)


def _reads(run: Run) -> tuple[str, ...]:
    assert isinstance(run, PlanRun)
    return (run.file, CRITERIA, FORMER)


def _remembered(
    run: Run, texts: Mapping[str, str | None], _found: Sequence[Mapping[str, Any]]
) -> Judgement:
    """Record now which criteria the research is for: a person may edit them before the loop
    first sees the item.
    """
    assert isinstance(run, PlanRun)
    items = items_of(texts[run.file] or "", run.file)
    return Judgement(
        "ok", f"{len(items)} items", writes=noted(memory(texts), run.file, marks(items))
    )


def _structure(before: str) -> tuple[str, ...]:
    fields = (
        "id, title, priority, complexity, status, passes, ownerAgent, dependencies, "
        "acceptanceCriteria, verification, retryCount, planningResearch"
    )
    lines = [
        f"an object with `items`; every item has {fields}",
        (
            "complexity is simple, medium or complex; new items are `ready`, passes false, "
            "retryCount 0"
        ),
        (
            "planningResearch is null or {patterns, constraints, risks, fileLocations, "
            "openDecisions}, each an array of strings"
        ),
    ]
    if before:
        lines.append(
            "keep every id in its order; items that are in_progress, done or blocked stay "
            "exactly as they are"
        )
    return tuple(lines)


class RoadmapPlan(Workflow):
    name = "roadmap"
    run_type = PlanRun
    start = "plan"

    @step(Stage("planner", _contract), phase="Plan")
    def plan(self, run: PlanRun, outcome: Literal["ok"]) -> Literal["remember"]:
        return "remember"

    @step(
        Check(
            "which criteria the research is for", kind="document", reads=_reads, decide=_remembered
        ),
        phase="Plan",
    )
    def remember(self, run: PlanRun, outcome: Literal["ok"]) -> Literal["done"]:
        return "done"

    def about(self, run: Run, history: History, today: str) -> About:
        assert isinstance(run, PlanRun)
        return About(f"Plan this: {run.goal}", {"Goal": run.goal}, (run.note,) if run.note else ())

    def artifacts(self, run: Run) -> Mapping[str, str]:
        assert isinstance(run, PlanRun)
        return {"roadmap": run.file}

    def roles(self) -> Mapping[str, str]:
        return {"planner": ""}

    def protected(self, run: Run) -> Sequence[str]:
        return GUARDED
