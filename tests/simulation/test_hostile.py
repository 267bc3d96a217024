"""Agents that answer anything skip nothing; and a workflow with a hole in it is found out."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from podium.checking.examining import children
from podium.cli import catalog
from podium.core.run import DONE
from podium.core.workflow import Workflow
from podium.simulation.hostile import Counted, assault
from podium.simulation.specified import rules_for
from podium.workflows.harness.run import HarnessRun
from podium.workflows.harness.workflow import Harness

STEPS = 2000


def attacked(workflow: Workflow) -> Counted:
    return assault(workflow, rules_for, STEPS, random.Random(1).random)


@pytest.mark.parametrize("name", catalog.names())
def test_no_stage_is_skipped_and_no_gate_bypassed_whatever_agents_say(
    name: str, tmp_path: Path
) -> None:
    found = attacked(catalog.workflow(name, tmp_path))
    assert (found.skipped, found.bypassed, found.stories) == (0, 0, [])
    assert found.sound
    assert found.steps >= STEPS
    assert found.wrong == found.refused > 100
    assert len(found.asked) > 0.8 * len(found.known), "a rule that no run comes to shows nothing"
    assert found.complete > 1, "an attack that never comes far shows nothing"


class Mutant(Harness):
    def __init__(self, known: Harness) -> None:
        super().__init__(known.stages, known.max_remediations)


class GateSkipped(Mutant):
    """Build follows planning at once."""

    def _next(self, run: HarnessRun) -> str:
        found = super()._next(run)
        return "build" if found == "approve_build" else found


class StageSkipped(Mutant):
    """Design is left out now and then: where a person sent the task back."""

    def after_gate(self, run: HarnessRun, outcome: str) -> str:
        return (
            "implementation_planning" if outcome == "design" else super().after_gate(run, outcome)
        )


class Unfinished(Mutant):
    """A review that finds issues is good enough."""

    def after_review(self, run: HarnessRun, outcome: str) -> str:
        return super().after_review(run, "ok")


class Alone(Mutant):
    """The program accepts its own work."""

    def _next(self, run: HarnessRun) -> str:
        found = super()._next(run)
        return DONE if found == "approve_completion" else found


def _mutated(kind: type[Mutant], project: Path) -> Mutant:
    known = catalog.workflow("harness", project)
    assert isinstance(known, Harness)
    made = kind(known)
    routes: dict[Any, Any] = {
        Harness.after_gate: kind.after_gate,
        Harness.after_review: kind.after_review,
    }
    # The steps of the line hold the routes of the class they were made by; and may lead anywhere
    # here.
    made.steps = {
        name: replace(each, route=routes.get(each.route, each.route), exits=(*made.steps, DONE))
        for name, each in made.steps.items()
    }
    return made


@pytest.mark.parametrize(
    ("kind", "skips", "bypasses"),
    [
        (Mutant, False, False),
        (GateSkipped, False, True),
        (StageSkipped, True, False),
        (Unfinished, True, False),
        (Alone, False, True),
    ],
)
def test_a_workflow_with_a_hole_is_found_out(
    kind: type[Mutant], skips: bool, bypasses: bool, tmp_path: Path
) -> None:
    found = attacked(_mutated(kind, tmp_path))
    assert (found.skipped > 0, found.bypassed > 0) == (skips, bypasses)
    assert bool(found.stories) == (not found.sound) == (skips or bypasses)


def found_out(workflow: Workflow, kind: str) -> Counted:
    """Attacked until it shows, or for as long as it should have shown."""
    chance, found = random.Random(1).random, Counted()
    while not getattr(found, kind) and found.steps < 20 * STEPS:
        found.add(assault(workflow, rules_for, 400, chance))
    return found


def _led_astray(workflow: Workflow, step: str, outcome: str, target: str) -> None:
    """One outcome of one step leads elsewhere."""
    known = workflow.steps[step]

    def route(self: Workflow, run: Any, said: str) -> str:
        return target if said == outcome else known.route(self, run, said)

    workflow.steps = {
        **workflow.steps,
        step: replace(known, route=route, exits=(*known.exits, target)),
    }


@pytest.mark.parametrize(
    ("name", "step", "outcome", "target", "kind"),
    [
        ("feature", "design", "ok", "plan", "skipped"),
        ("feature", "wave", "DONE", "r", "skipped"),
        ("feature", "v_build", "fail", "v", "skipped"),
        ("feature", "r_verdict", "NEEDS_REVISION", "done", "skipped"),
        ("feature", "r_fix", "DONE", "r", "skipped"),
        ("feature", "synthesis", "ok", "spec", "bypassed"),
        ("feature", "plan", "ok", "schedule", "bypassed"),
        ("ticket", "settle", "use", "next_group", "bypassed"),
        ("ticket", "git_look", "ask_dirty", "git_move", "bypassed"),
        ("ticket", "next_group", "finished", "commit", "skipped"),
        ("ticket", "judge", "rejected", "commit", "skipped"),
        ("roadmap", "item", "done", "select", "skipped"),
        ("roadmap", "item", "blocked", "commit", "skipped"),
        ("roadmap-item", "implement", "ok", "review", "skipped"),
        ("roadmap-item", "testing", "revise", "review", "skipped"),
        ("roadmap-item", "review", "fail", "done", "skipped"),
        ("roadmap-item", "research", "ok", "implement", "skipped"),
        ("governed", "check_plan", "ok", "open_wave", "bypassed"),
        ("governed", "open_wave", "ask", "run_wave", "bypassed"),
        ("governed", "approve_plan", "draft", "open_wave", "bypassed"),
        ("governed", "summarise", "ok", "done", "bypassed"),
        ("governed-phase", "execute", "ok", "mark", "skipped"),
        ("governed-phase", "evidence", "fail", "mark", "skipped"),
        ("governed-phase", "execute", "high_risk", "execute", "bypassed"),
    ],
)
def test_one_wrong_turn_anywhere_is_counted(
    name: str, step: str, outcome: str, target: str, kind: str, tmp_path: Path
) -> None:
    whole = catalog.workflow(name.partition("-")[0], tmp_path)
    family = {each.name: each for each in [whole, *children(whole)]}
    _led_astray(family[name], step, outcome, target)
    found = found_out(whole, kind)
    assert getattr(found, kind) > 0
    assert found.stories


def test_counts_of_several_workflows_add_up() -> None:
    whole = Counted(steps=1, stories=["a"])
    whole.add(Counted(steps=2, skipped=1, stories=["b"]))
    assert (whole.steps, whole.skipped, whole.stories, whole.sound) == (3, 1, ["a", "b"], False)
