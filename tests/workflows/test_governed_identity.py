from __future__ import annotations

from typing import Any

import pytest

from podium.workflows.governed.good import good_plan
from podium.workflows.governed.identity import foreign
from podium.workflows.governed.plan import Plan
from podium.workflows.governed.plan_reading import read_object

TRACE = "0d4e3c6a-8f7b-4b5e-9c1d-2a3b4c5d6e7f"


def plan_of() -> Plan:
    plan = read_object(good_plan(phases=[{}, {"wave": 2}])).plan
    assert plan is not None
    return plan


@pytest.mark.parametrize(
    ("members", "fault"),
    [
        ({}, ""),
        ({"trace_id": TRACE.upper()}, ""),
        ({"trace_id": "1" + TRACE[1:]}, f"trace_id: expected {TRACE}, got 1"),
        ({"plan_reference": {"plan_path": "p", "phase_count": 3, "total_waves": 2}}, "plan_reference.phase_count: expected 2, got 3"),
        ({"plan_reference": {"plan_path": "p", "phase_count": 2, "total_waves": 1}}, "plan_reference.total_waves: expected 2, got 1"),
        ({"findings": [{"affected_phases": [1]}, {"affected_phases": [2, 7]}]}, "findings[1].affected_phases: phase 7 does not exist"),
        ({"plan_phases_snapshot": [{"phase_id": 9, "files": []}]}, "plan_phases_snapshot[0].phase_id: phase 9 does not exist"),
    ],
)  # fmt: skip
def test_an_answer_about_another_task_plan_or_phase_is_foreign(members: dict[str, Any], fault: str) -> None:
    found = foreign(members, TRACE, plan_of())
    assert any(each.startswith(fault) for each in found) if fault else found == ()


def test_without_a_plan_only_the_task_is_compared() -> None:
    assert foreign({"findings": [{"affected_phases": [9]}]}, TRACE) == ()
