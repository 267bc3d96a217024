from __future__ import annotations

import json
from typing import Any

import pytest

from podium.workflows.governed.payloads.good import good_plan
from podium.workflows.governed.plan.output import (
    check_document,
    compose_plan,
    plan_output,
    required_structure,
    settle_plan,
)
from podium.workflows.governed.plan.reading import read_plan


def test_the_shortest_plan_is_a_plan_and_named_after_its_task() -> None:
    text = compose_plan({}, "", {"Title": "Count words"})
    assert check_document(text) == ()
    assert text.startswith("## Plan: Count words\n")
    assert compose_plan({}, "", {"Task": "T1"}).startswith("## Plan: Task T1\n")
    assert settle_plan(text).replan == ()


@pytest.mark.parametrize(
    "members",
    [
        {"phases": [{"title": "First"}, {"title": "Second", "wave": 2, "dependencies": [1]}]},
        {"complexity_tier": "LARGE"},
        {"confidence": 0.5, "max_parallel_agents": 2},
        {"phases": [{"executor_agent": ""}]},
    ],
)
def test_members_are_laid_over_the_shortest_plan(members: dict[str, Any]) -> None:
    for path in ("plans/x-plan.md", "plans/x-plan.json"):
        output = plan_output(path)
        assert output.compose is not None
        assert output.check is not None
        text = output.compose(members, "", {})
        assert output.check(text, "") == ()
        plan = read_plan(text).plan
        assert plan is not None
        assert len(plan.phases) == len(members.get("phases", [{}]))
        assert text.startswith("{") == path.endswith(".json")


def test_members_that_are_wrong_are_refused() -> None:
    with pytest.raises(ValueError, match="confidence: expected 1 or less, got 7"):
        compose_plan({"confidence": 7})
    with pytest.raises(ValueError, match="titel: expected no such member"):
        compose_plan({"titel": "x"})


@pytest.mark.parametrize(
    "text",
    ["", "done", "# Plan", "{}", "[]", "{", '{"status": "READY_FOR_EXECUTION"}', "x" * 2_000_000],
)
def test_what_is_no_plan_says_why(text: str) -> None:
    assert check_document(text)


def test_the_brief_names_every_line_of_a_phase() -> None:
    told = " ".join(required_structure())
    for title in (
        "Objective",
        "Executor Agent",
        "Wave",
        "Dependencies",
        "Files",
        "Tests",
        "Acceptance Criteria",
        "Quality Gates",
        "Steps",
    ):
        assert f"**{title}:**" in told


def test_the_document_counts_and_the_object_can_only_make_it_worse() -> None:
    ready = compose_plan({})
    refuses = good_plan(status="REPLAN_REQUIRED")
    found = settle_plan(ready, refuses)
    assert found.contradictions == (
        "the document says READY_FOR_EXECUTION, the object REPLAN_REQUIRED",
    )
    assert found.replan == ("the planner itself says REPLAN_REQUIRED",)
    other = settle_plan(compose_plan({"status": "REPLAN_REQUIRED"}), good_plan())
    assert other.replan == ("the planner itself says REPLAN_REQUIRED",)
    assert settle_plan(ready, good_plan(task_title="Another title")).contradictions == ()


def test_a_document_that_is_no_plan_is_not_saved_by_its_object() -> None:
    found = settle_plan("nothing here", good_plan())
    assert found.plan is None
    assert found.faults


def test_a_plan_of_the_earlier_generation_is_read_from_json() -> None:
    older = {name: value for name, value in good_plan().items() if name != "revision_mode"}
    found = read_plan(json.dumps(older))
    assert (found.faults, found.generation) == ((), "2026-04")
