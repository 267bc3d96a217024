from __future__ import annotations

from typing import Any

import pytest

from podium.workflows.governed.payloads.good import good_plan
from podium.workflows.governed.phase.brief import (
    environment,
    over_budget_class,
    oversized,
    phase_members,
    preparations,
    task_card,
    task_definition,
    too_many_changes,
)
from podium.workflows.governed.plan.plan import Plan
from podium.workflows.governed.plan.reading import read_object
from podium.workflows.governed.policy.policy import DEFAULT

SMALL = {"resource_profile": "small_local", "complexity_tier": "SMALL"}


def plan_of(*phases: dict[str, Any], **members: Any) -> Plan:
    found = read_object(good_plan(phases=list(phases) or [{}], **members))
    assert found.plan is not None, found.faults
    return found.plan


def test_an_executor_is_told_what_where_how_and_when_it_is_done() -> None:
    assert task_definition(plan_of().phases[0], ["the build failed"]) == (
        "Phase 1 — Piece 1. Make the change that was asked for.\n"
        "Files:\n- work/piece-1.txt (create): holds the result\n"
        "Tests:\n- the project's test command passes\n"
        "Steps:\n- Write the test, then the change.\n"
        "Done when:\n- The change is there and tested.\n"
        "Gates:\n- tests_pass\n"
        "Know:\n- the build failed"
    )


@pytest.mark.parametrize(
    ("words", "where"),
    [
        ("Set up the pipeline", "development"),
        ("Deploy to staging", "staging"),
        ("From staging to Production", "production"),
    ],
)
def test_a_platform_phase_works_at_the_most_serious_place_it_names(words: str, where: str) -> None:
    assert environment(plan_of({"objective": words}).phases[0]) == where


@pytest.mark.parametrize(
    ("members", "kind"),
    [
        ({}, "documentation"),
        ({"title": "A walkthrough of it"}, "walkthrough"),
        ({"files": [{"path": "d.md", "action": "modify", "reason": "why"}]}, "update"),
    ],
)
def test_a_writer_is_told_the_kind_of_its_task(members: dict[str, Any], kind: str) -> None:
    plan = plan_of({"executor_agent": "TechnicalWriter-subagent", **members})
    found, _ = phase_members(plan, plan.phases[0], DEFAULT, "t", [], [], [])
    assert found["task_type"] == kind


def test_a_small_profile_gets_a_card_and_a_context_packet_or_says_what_is_missing() -> None:
    plan = plan_of(**SMALL)
    found, faults = phase_members(plan, plan.phases[0], DEFAULT, "t", [], [], ["pytest -q"])
    assert faults == (
        "context_packet_path: a SMALL plan of this resource profile needs one, got nothing",
    )
    assert found["phase_task_card"]["validation_commands"] == ["pytest -q"]
    assert found["phase_task_card"]["max_changed_files"] == 3
    packed = plan_of(**SMALL, context_packet_path="plans/artifacts/digest.md")
    found, faults = phase_members(packed, packed.phases[0], DEFAULT, "t", [], [], [])
    assert faults == ()
    assert found["context_packet"] == {"artifact_path": "plans/artifacts/digest.md"}


def test_a_card_of_a_phase_without_limits_counts_its_own_files() -> None:
    plan = plan_of()
    assert task_card(plan, plan.phases[0], DEFAULT, [])["max_changed_files"] == 1


def test_a_profile_bounds_the_files_of_a_phase() -> None:
    many = {"files": [{"path": f"f{n}", "action": "modify", "reason": "why"} for n in range(6)]}
    assert oversized(plan_of(many), DEFAULT) == ()
    assert oversized(plan_of(many, **SMALL), DEFAULT) == (
        "phase 1 names 6 files, 5 at most in this resource profile",
    )
    assert too_many_changes(plan_of(**SMALL), ["a"] * 3, DEFAULT) == ""
    assert (
        too_many_changes(plan_of(**SMALL), ["a"] * 4, DEFAULT)
        == "4 files were changed, 3 at most in this resource profile"
    )
    assert over_budget_class(plan_of(**SMALL), DEFAULT) == "needs_replan"


def test_a_profile_names_what_is_gathered_first() -> None:
    assert preparations(plan_of(), DEFAULT) == ()
    assert preparations(plan_of(**SMALL), DEFAULT) == ("research brief", "code context pack")
    assert preparations(plan_of(resource_profile="small_local"), DEFAULT) == ("code context pack",)
