"""What would be dispatched first, with its whole prompt and contract; nothing is written."""

from __future__ import annotations

from pathlib import Path

from tests.engine.test_services import World
from tests.fakes.workflows import EveryKind, Sample

from podium.core.errors import UsageError
from podium.core.run import Run
from podium.engine.planning import first_dispatches


def test_a_stage_is_planned_with_its_contract_and_prompt(tmp_path: Path) -> None:
    world = World.at(tmp_path)
    (found,) = first_dispatches(world.services, world.workflow, world.workflow.first())
    assert (found["key"], found["role"], found["agent"]) == ("plan", "planner", "fake")
    assert found["contract"] == {
        "inputs": [{"name": "task", "path": "task.md", "required": True}, {"name": "style", "path": "style.md", "required": True}],
        "outputs": [{"name": "plan", "path": "docs/plan.md"}],
        "code": "none", "protected": [], "evidence": [],
    }  # fmt: skip
    assert found["prompt"].startswith("# planner: plan\n\nYou are the planner.")


def test_the_prompt_is_the_one_the_agent_will_get(tmp_path: Path) -> None:
    world = World.at(tmp_path)
    (found,) = first_dispatches(world.services, world.workflow, world.workflow.first())
    world.go()
    assert world.agent.jobs[0].prompt == found["prompt"]


def test_every_agent_of_a_cluster_is_planned_under_its_own_key(tmp_path: Path) -> None:
    world = World.at(tmp_path, EveryKind())
    found = first_dispatches(world.services, world.workflow, Run(step="research"))
    assert [(each["key"], each["role"]) for each in found] == [("research/security", "security"), ("research/strategy", "strategy")]


def test_a_step_that_dispatches_nobody_plans_nothing(tmp_path: Path) -> None:
    world = World.at(tmp_path, EveryKind())
    for step in ("check_input", "approve", "implement"):
        assert first_dispatches(world.services, world.workflow, Run(step=step)) == []


def test_a_role_without_an_agent_is_said_and_no_error(tmp_path: Path) -> None:
    def nobody(role: str) -> None:
        raise UsageError(f"no agent is set for {role}")

    world = World.at(tmp_path, Sample(), agent_for=nobody)
    assert first_dispatches(world.services, world.workflow, world.workflow.first())[0]["agent"] == "(none set)"


def test_nothing_is_written(tmp_path: Path) -> None:
    world = World.at(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    first_dispatches(world.services, world.workflow, world.workflow.first())
    assert sorted(tmp_path.rglob("*")) == before
    assert world.agent.jobs == []
