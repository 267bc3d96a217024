"""The invariants of the harness: named for people, made from the line, and false where they
should be.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from podium.core.explore import explore
from podium.core.proofs import Exploration
from podium.core.run import DONE, Status
from podium.wiring import scaffold_text
from podium.workflows.harness.proofs import invariants
from podium.workflows.harness.run import HarnessRun
from podium.workflows.harness.stages import parse_stages
from podium.workflows.harness.workflow import Harness

STAGES = parse_stages(scaffold_text("harness", "stages.toml"), "harness/stages.toml")
BUILD = "Build is never entered without its approval when the flag is on"
COMPLETE = "Complete is never reached by the program alone when the flag is on"
THREE = "QA runs at most 3 times without a person"
ORDER = "no stage is skipped"


def broken(workflow: Harness, found: Exploration) -> dict[str, list[str]]:
    return {
        each.name: list(each.broken(found)) for each in invariants(workflow) if each.broken(found)
    }


def only(workflow: Harness, *runs: HarnessRun) -> Exploration:
    """An exploration that saw these states and nothing between them."""
    return Exploration(workflow, runs, tuple(range(len(runs))), ())


def test_the_shipped_line_has_four_rules() -> None:
    assert [each.name for each in invariants(Harness(STAGES))] == [BUILD, COMPLETE, THREE, ORDER]


def test_each_gated_stage_and_each_review_has_a_rule_of_its_own() -> None:
    deploy = replace(STAGES[3], name="Deploy", code="DEPLOY", approval_before=True)
    security = replace(STAGES[4], name="Security", code="SEC", output="security")
    names = [each.name for each in invariants(Harness((*STAGES, security, deploy), 1))]
    assert "Deploy is never entered without its approval when the flag is on" in names
    assert "Security runs at most 2 times without a person" in names
    assert THREE in names  # once, and a return by each of two reviews


def test_all_of_them_hold_for_the_shipped_line() -> None:
    workflow = Harness(STAGES)
    assert broken(workflow, explore(workflow)) == {}


def test_standing_at_a_stage_without_the_ones_before_it_breaks_the_order() -> None:
    workflow = Harness(STAGES)
    found = broken(workflow, only(workflow, HarnessRun(step="design", completed=[])))
    assert found == {ORDER: ["at design without Specification: at the start"]}


@pytest.mark.parametrize("step", [DONE, "approve_completion"])
def test_the_end_needs_every_stage(step: str) -> None:
    workflow = Harness(STAGES)
    run = HarnessRun(step=step, status=Status.ACTIVE, completed=[each.name for each in STAGES[:-1]])
    assert broken(workflow, only(workflow, run))[ORDER] == [f"at {step} without QA: at the start"]


def test_only_the_first_three_skips_are_told() -> None:
    workflow = Harness(STAGES)
    runs = [HarnessRun(step="qa", task_id=f"T{n}") for n in range(9)]
    assert len(broken(workflow, only(workflow, *runs))[ORDER]) == 3


def _patched(name: str, route: Callable[..., str], exits: tuple[str, ...]) -> Harness:
    workflow = Harness(STAGES)
    old = workflow.steps[name]
    workflow.steps = {**workflow.steps, name: replace(old, route=route, exits=(*old.exits, *exits))}
    return workflow


def test_a_way_around_the_gate_after_a_send_back_is_found_too() -> None:
    """Approved once, sent back, and then past the gate: the old approval must not count."""

    def planning(self: Harness, run: Any, outcome: str) -> str:
        again = "approve_build" not in run.artifacts
        run.artifacts = {"approve_build": "seen"}
        run.completed = [
            *run.completed,
            *(
                ["Implementation Planning"]
                if "Implementation Planning" not in run.completed
                else []
            ),
        ]
        return "approve_build" if again and run.approvals.get("approve_build", True) else "build"

    workflow = _patched("implementation_planning", planning, ("build",))
    found = broken(workflow, explore(workflow))
    assert "implementation_planning" in found[BUILD][0]
    assert COMPLETE not in found


def test_a_review_that_returns_without_end_breaks_its_bound() -> None:
    def always(self: Harness, run: Any, outcome: str) -> str:
        self._uncomplete(run, "build")
        return self._next(run) if outcome == "ok" else "build"

    workflow = _patched("qa", always, ())
    assert broken(workflow, explore(workflow))[THREE] == [
        "qa can run inf times, at most 3 are allowed"
    ]
