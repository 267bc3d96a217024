from __future__ import annotations

from typing import Any

import pytest

from podium.workflows.governed.payloads.good import good_plan
from podium.workflows.governed.plan.checks import check_plan, tier_of, touched
from podium.workflows.governed.plan.plan import Plan
from podium.workflows.governed.plan.reading import read_object


def plan_of(**members: Any) -> Plan:
    found = read_object(good_plan(**members))
    assert found.faults == ()
    assert found.plan is not None
    return found.plan


def files(*paths: str, action: str = "modify") -> dict[str, Any]:
    return {"files": [{"path": path, "action": action, "reason": "because"} for path in paths]}


@pytest.mark.parametrize(
    ("members", "reason"),
    [
        (
            {"status": "ABSTAIN", "abstain": {"is_abstaining": True, "reasons": ["no access"]}},
            "the planner itself says ABSTAIN: no access",
        ),
        ({"status": "REPLAN_REQUIRED"}, "the planner itself says REPLAN_REQUIRED"),
        (
            {"abstain": {"is_abstaining": True, "reasons": ["unsure"]}},
            "the status says ready and abstain says not: unsure",
        ),
        ({"phases": [{}, {"phase_id": 1}]}, "phase 1 stands there 2 times"),
        ({"phases": [{"dependencies": [4]}]}, "phase 1 waits for phase 4, which does not exist"),
        ({"phases": [{"dependencies": [1]}]}, "phase 1 waits for 1"),
        (
            {"phases": [{"dependencies": [2], "wave": 2}, {"dependencies": [1]}]},
            "phase 1 waits for 2 waits for 1",
        ),
        (
            {"phases": [{}, {"dependencies": [1]}]},
            "phase 2 of wave 1 waits for phase 1, which is only in wave 1",
        ),
        (
            {"contracts": [{"from_phase": 1, "to_phase": 8, "interface": "i", "format": "f"}]},
            "a contract names phase 8, which does not exist",
        ),
        (
            {"phases": [{"steps": ["write ```x```"]}]},
            "phase 1 holds a code block; say in prose what changes",
        ),
        (
            {"phases": [{"tests": ["Manually click the button"]}]},
            (
                "phase 1 asks for a test by hand: 'Manually click the button'; name a command "
                "that checks it"
            ),
        ),
        ({"phases": [{}] * 11}, "11 phases are too many; 10 at most, split the task"),
        (
            {"phases": [{"executor_agent": "CoreImplementor-subagent"}]},
            (
                "phase 1: 'CoreImplementor-subagent' is not in the roster; did you mean "
                "CoreImplementer-subagent?"
            ),
        ),
        (
            {"phases": [{"executor_agent": "PlanAuditor-subagent"}]},
            "phase 1: PlanAuditor-subagent reviews plans and never executes a phase",
        ),
    ],
)
def test_a_plan_that_cannot_be_executed_goes_back_to_the_planner(
    members: dict[str, Any], reason: str
) -> None:
    found = check_plan(plan_of(**members))
    assert not found.sound
    assert any(each.startswith(reason) for each in found.replan)


def test_a_good_plan_of_ten_phases_in_four_waves_is_sound() -> None:
    phases = [
        {"wave": 1 + number // 3, "dependencies": [number - 2] if number >= 3 else []}
        for number in range(10)
    ]
    found = check_plan(plan_of(phases=phases, complexity_tier="MEDIUM"))
    assert found.sound
    assert found.remarks == ()


def test_every_reason_is_named_at_once() -> None:
    wrong = plan_of(
        phases=[
            {"dependencies": [9], "tests": ["by hand"]},
            {"phase_id": 1, "executor_agent": "Nobody"},
        ]
    )
    assert len(check_plan(wrong).replan) == 4


@pytest.mark.parametrize(
    ("members", "remark"),
    [
        ({}, "only 1 of the usual 3 to 10 phases"),
        (
            {"phases": [files(*(f"f{n}" for n in range(15)))]},
            "the plan calls itself TRIVIAL and names 15 files, which is LARGE",
        ),
        ({"phases": [{"wave": 1}, {"wave": 3}]}, "waves are numbered 1, 3"),
        (
            {"phases": [files("a.py"), files("a.py")]},
            "phases 1 and 2 of wave 1 change the same files and will not run side by side",
        ),
        (
            {
                "phases": [
                    {"executor_agent": "Researcher-subagent", **files("a.md", action="create")}
                ]
            },
            "phase 1 is for Researcher-subagent, which only reads: nobody will write a.md",
        ),
        (
            {"phases": [{"phase_type": "read_only", **files("a.md", "b.md")}]},
            "phase 1 is read-only: nobody will write a.md, b.md",
        ),
    ],
)
def test_what_reviewers_should_know_is_a_remark(members: dict[str, Any], remark: str) -> None:
    found = check_plan(plan_of(**members))
    assert found.sound
    assert remark in found.remarks


@pytest.mark.parametrize(
    ("count", "tier"),
    [
        (0, "TRIVIAL"),
        (2, "TRIVIAL"),
        (3, "SMALL"),
        (5, "SMALL"),
        (6, "MEDIUM"),
        (14, "MEDIUM"),
        (15, "LARGE"),
        (16, "LARGE"),
    ],
)
def test_the_number_of_files_means_a_tier(count: int, tier: str) -> None:
    assert tier_of(plan_of(phases=[files(*(f"f{n}" for n in range(count)))])) == tier


def test_a_file_named_twice_is_one_file() -> None:
    assert touched(plan_of(phases=[files("a", "b"), files("a", action="review")])) == ("a", "b")
