"""What would be dispatched first, with its whole prompt and contract; nothing is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from tests.engine.test_services import Papers, World
from tests.fakes.workflows import EveryKind, Sample

from podium.core.effects import Check, Child, FanOut, Gate
from podium.core.errors import UsageError
from podium.core.run import Run
from podium.core.verdict import Judgement
from podium.core.workflow import Workflow, step
from podium.engine.planning import first_dispatches


def test_a_stage_is_planned_with_its_contract_and_prompt(tmp_path: Path) -> None:
    world = World.at(tmp_path)
    (found,) = first_dispatches(world.services, world.workflow, world.workflow.first())
    assert (found["key"], found["role"], found["agent"]) == ("plan", "planner", "fake")
    assert found["contract"] == {
        "inputs": [
            {"name": "task", "path": "task.md", "required": True},
            {"name": "style", "path": "style.md", "required": True},
        ],
        "outputs": [{"name": "plan", "path": "docs/plan.md"}],
        "code": "none",
        "protected": [],
        "evidence": [],
    }
    assert found["prompt"].startswith("# planner: plan\n\nYou are the planner.")


def test_the_prompt_is_the_one_the_agent_will_get(tmp_path: Path) -> None:
    world = World.at(tmp_path)
    (found,) = first_dispatches(world.services, world.workflow, world.workflow.first())
    world.go()
    assert world.agent.jobs[0].prompt == found["prompt"]


def test_every_agent_of_a_cluster_is_planned_under_its_own_key(tmp_path: Path) -> None:
    world = World.at(tmp_path, EveryKind())
    found = first_dispatches(world.services, world.workflow, Run(step="research"))
    assert [(each["key"], each["role"]) for each in found] == [
        ("research/security", "security"),
        ("research/strategy", "strategy"),
    ]


def test_a_gate_plans_nothing(tmp_path: Path) -> None:
    world = World.at(tmp_path, EveryKind())
    assert first_dispatches(world.services, world.workflow, Run(step="approve")) == []


def test_decisions_that_need_nobody_are_taken_on_the_way_to_the_first_dispatch(
    tmp_path: Path,
) -> None:
    world = World.at(tmp_path, EveryKind())
    found = first_dispatches(world.services, world.workflow, Run(step="check_input"))
    assert [each["key"] for each in found] == ["research/security", "research/strategy"]


def test_what_children_ask_first_is_planned_under_their_keys(tmp_path: Path) -> None:
    world = World.at(tmp_path, EveryKind())
    found = first_dispatches(world.services, world.workflow, Run(step="implement"))
    assert [(each["key"], each["role"]) for each in found] == [
        ("implement/item/1/planning", "tech-lead")
    ]


def test_a_role_without_an_agent_is_said_and_no_error(tmp_path: Path) -> None:
    def nobody(role: str) -> None:
        raise UsageError(f"no agent is set for {role}")

    world = World.at(tmp_path, Sample(), agent_for=nobody)
    assert (
        first_dispatches(world.services, world.workflow, world.workflow.first())[0]["agent"]
        == "(none set)"
    )


def test_nothing_is_written(tmp_path: Path) -> None:
    world = World.at(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    first_dispatches(world.services, world.workflow, world.workflow.first())
    assert sorted(tmp_path.rglob("*")) == before
    assert world.agent.jobs == []


def test_what_the_program_decides_by_itself_is_gone_through(tmp_path: Path) -> None:
    class Deciding(Papers):
        start = "look"

        @step(
            Check(
                "what is there",
                reads=lambda _: ["task.md"],
                decide=lambda _run, texts, _found: Judgement(
                    "ok", sets={"note": f"it says: {texts['task.md']}"}
                ),
            )
        )
        def look(self, run: Run, outcome: Literal["ok"]) -> Literal["plan"]:
            return "plan"

    world = World.at(tmp_path, Deciding())
    (found,) = first_dispatches(world.services, world.workflow, world.workflow.first())
    assert found["key"] == "plan"


def test_the_first_dispatches_of_child_runs_are_shown_with_their_keys(tmp_path: Path) -> None:
    class Several(Workflow):
        name = "several"
        start = "item"

        @step(
            FanOut(
                Papers,
                lambda _: [Child("A"), Child("B"), Child("C")],
                lambda _: Judgement("ok"),
                limit=2,
            )
        )
        def item(self, run: Run, outcome: Literal["ok"]) -> Literal["done"]:
            return "done"

    world = World.at(tmp_path, Several())
    found = first_dispatches(world.services, world.workflow, world.workflow.first())
    assert [each["key"] for each in found] == ["item/A/plan", "item/B/plan"]


def test_a_check_that_would_run_a_command_ends_the_look(tmp_path: Path) -> None:
    class Running(Papers):
        start = "test"

        @step(Check("the tests", kind="command", commands=("test",)))
        def test(self, run: Run, outcome: Literal["pass"]) -> Literal["plan"]:
            return "plan"

    world = World.at(tmp_path, Running())
    assert first_dispatches(world.services, world.workflow, world.workflow.first()) == []


def _timed(
    run: Run, texts: Mapping[str, str | None], found: Sequence[Mapping[str, Any]]
) -> Judgement:
    names = [each["name"] for each in found]
    assert names == ["clock", "head", "below", "survey", "settings"], names
    return Judgement("ok", writes={"made.md": "made by the first"})


def _reads(
    run: Run, texts: Mapping[str, str | None], found: Sequence[Mapping[str, Any]]
) -> Judgement:
    return Judgement("ok" if texts["made.md"] == "made by the first" else "fail")


class Looks(Workflow):
    """Two decisions of the program, the second on what the first writes, then a stage."""

    name = "looks"
    start = "first_look"

    @step(
        Check(
            "all there is",
            timed=True,
            heads=True,
            looks=lambda _: ["docs"],
            survey=lambda files: files,
            decide=_timed,
        )
    )
    def first_look(self, run: Run, outcome: Literal["ok"]) -> Literal["second_look"]:
        return "second_look"

    @step(Check("what was made", reads=lambda _: ["made.md"], decide=_reads))
    def second_look(self, run: Run, outcome: Literal["ok"]) -> Literal["gate"]:
        return "gate"

    @step(Gate("Nobody needs to be asked", required=lambda _: False))
    def gate(self, run: Run, outcome: Literal["approved"]) -> Literal["plan"]:
        return "plan"

    @step(Papers.steps["plan"].effect)
    def plan(self, run: Run, outcome: Literal["ok"]) -> Literal["done"]:
        return "done"


def test_a_dry_run_looks_at_the_project_and_at_what_it_would_have_written(tmp_path: Path) -> None:
    world = World.at(tmp_path, Looks())
    found = first_dispatches(world.services, world.workflow, world.workflow.first())
    assert [each["key"] for each in found] == ["plan"]
    assert not (world.root / "made.md").exists()
