from __future__ import annotations

from typing import Any

import pytest

from podium.workflows.governed.exchange.identity import doubtful, foreign
from podium.workflows.governed.payloads.good import good_plan
from podium.workflows.governed.plan.plan import Plan
from podium.workflows.governed.plan.reading import read_object

TRACE = "0d4e3c6a-8f7b-4b5e-9c1d-2a3b4c5d6e7f"


def plan_of() -> Plan:
    plan = read_object(good_plan(phases=[{}, {"wave": 2}])).plan
    assert plan is not None
    return plan


@pytest.mark.parametrize(
    ("members", "fault"),
    [
        ({}, ""),
        (
            {"findings": [{"affected_phases": [1]}, {"affected_phases": [2, 7]}]},
            "findings[1].affected_phases: phase 7 does not exist",
        ),
        (
            {"plan_phases_snapshot": [{"phase_id": 9, "files": []}]},
            "plan_phases_snapshot[0].phase_id: phase 9 does not exist",
        ),
        (
            {"prior_phase_findings": [{"phase_id": 1}, {"phase_id": 3}]},
            "prior_phase_findings[1].phase_id: phase 3 does not exist",
        ),
    ],
)
def test_an_answer_about_other_phases_is_foreign(members: dict[str, Any], fault: str) -> None:
    assert foreign(plan_of(), members) == ((fault,) if fault else ())


@pytest.mark.parametrize(
    ("members", "told"),
    [
        ({}, 0),
        ({"trace_id": TRACE.upper()}, 0),
        ({"trace_id": "1" + TRACE[1:]}, 1),
        ({"review_scope": "phase"}, 0),
        ({"review_scope": "final"}, 1),
    ],
)
def test_another_trace_or_scope_is_told(members: dict[str, Any], told: int) -> None:
    assert len(doubtful(members, TRACE, "phase")) == told
