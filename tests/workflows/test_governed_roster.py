from __future__ import annotations

import pytest

from podium.workflows.governed.payloads.schema_store import schema
from podium.workflows.governed.roster import (
    BY_NAME,
    BY_ROLE,
    EXECUTORS,
    READ_ONLY,
    ROSTER,
    executor_fault,
)


def test_the_roster_is_closed_at_twelve() -> None:
    assert len(ROSTER) == len(BY_NAME) == len(BY_ROLE) == 12
    assert len(EXECUTORS) == 8


def test_executors_are_exactly_those_a_plan_may_name() -> None:
    phases = schema("planner.plan")["properties"]["phases"]
    assert tuple(phases["items"]["properties"]["executor_agent"]["enum"]) == EXECUTORS


def test_who_reads_only_may_not_write() -> None:
    assert {BY_NAME[name].role for name in READ_ONLY} == {
        *("plan-auditor", "assumption-verifier", "executability-verifier"),
        *("code-mapper", "researcher", "code-reviewer"),
    }


def test_only_planner_and_researcher_may_call_others() -> None:
    assert {each.role: each.may_call for each in ROSTER if each.may_call} == {
        "planner": ("code-mapper", "researcher"),
        "researcher": ("code-mapper",),
    }


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("CoreImplementer-subagent", ""),
        ("", "no executor_agent is named, and none is guessed"),
        ("Planner", "Planner plans and never executes a phase"),
        ("PlanAuditor-subagent", "PlanAuditor-subagent reviews plans and never executes a phase"),
        (
            "CoreImplementer",
            "'CoreImplementer' is not in the roster; did you mean CoreImplementer-subagent?",
        ),
        ("x" * 5000, f"{'x' * 80!r} is not in the roster; one of CodeMapper-subagent"),
    ],
)
def test_a_name_outside_the_roster_never_executes(name: str, fault: str) -> None:
    found = executor_fault(name)
    assert found.startswith(fault) if fault else found == ""
