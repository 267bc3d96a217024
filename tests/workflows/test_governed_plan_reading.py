from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.workflows.governed.payloads.good import good_phase, good_plan
from podium.workflows.governed.plan.plan import from_data, to_data
from podium.workflows.governed.plan.reading import LARGEST, read_object, read_plan


def test_a_plan_goes_from_an_object_to_a_value_and_back() -> None:
    data = good_plan(
        complexity_tier="LARGE",
        phases=[
            {},
            {
                "wave": 2,
                "dependencies": [1],
                "skill_references": ["s.md"],
                "phase_type": "read_only",
            },
        ],
        contracts=[{"from_phase": 1, "to_phase": 2, "interface": "i", "format": "f"}],
        open_questions=[{"question": "q", "options": ["a", "b"], "recommendation": "a"}],
        max_parallel_agents=3,
        trace_id="0d4e3c6a-8f7b-4b5e-9c1d-2a3b4c5d6e7f",
    )
    found = read_object(data)
    assert found.plan is not None
    assert to_data(found.plan) == data
    assert from_data(data) == found.plan


def test_numbers_that_are_whole_count_as_whole() -> None:
    found = read_plan(
        json.dumps(good_plan(phases=[{"phase_id": 1.0, "wave": 2.0, "dependencies": [3.0]}]))
    )
    assert found.plan is not None
    phase = found.plan.phases[0]
    assert [type(each) for each in (phase.phase_id, phase.wave, phase.dependencies[0])] == [
        int,
        int,
        int,
    ]


@pytest.mark.parametrize("executor", [None, "", "Nobody", "Planner", "PlanAuditor-subagent"])
def test_an_executor_that_is_missing_or_nobodys_makes_a_plan_that_goes_back(
    executor: str | None,
) -> None:
    phase = good_phase(executor_agent=executor) if executor is not None else good_phase()
    if executor is None:
        del phase["executor_agent"]
    found = read_object({**good_plan(), "phases": [phase, good_phase(2)]})
    assert found.faults == ()
    assert found.plan is not None
    assert len(found.replan) == 1
    assert found.plan.phases[0].executor_agent == (executor or "")
    assert found.plan.phases[1].executor_agent == "CoreImplementer-subagent"


def test_an_executor_that_is_no_text_is_a_fault() -> None:
    assert any(
        "phases[0].executor_agent" in each
        for each in read_object(good_plan(phases=[{"executor_agent": 5}])).faults
    )


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('{"status": 1, "status": 2}', "'status' occurs twice in one object"),
        ('{"confidence": NaN}', "NaN is not a JSON value"),
        ("{", "the plan is not valid JSON"),
        ("{" * 50_000, "the plan is not valid JSON"),
        ('\ufeff{"status": 1}', "status: expected"),
        ("x" * (LARGEST + 1), f"the plan has {LARGEST + 1} characters, {LARGEST} at most"),
    ],
)
def test_hostile_documents_are_faults_and_nothing_worse(text: str, fault: str) -> None:
    found = read_plan(text)
    assert found.plan is None
    assert any(fault in each for each in found.faults)


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_any_object_is_a_plan_or_has_faults(data: st.DataObject) -> None:
    plan: dict[str, Any] = good_plan()
    values = st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(max_size=4),
        st.lists(st.integers(), max_size=2),
    )
    for name in data.draw(st.lists(st.sampled_from(sorted(plan)), max_size=2)):
        plan[name] = data.draw(values)
    found = read_object(plan)
    assert (found.plan is None) == bool(found.faults)
