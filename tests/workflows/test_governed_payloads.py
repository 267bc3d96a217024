from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from podium.workflows.governed.payloads.good import good_answer, good_plan
from podium.workflows.governed.payloads.payloads import MOST_FAULTS, accepted, payload_faults
from podium.workflows.governed.payloads.schema_store import NAMES, delegation, schema
from podium.workflows.governed.roster import ROSTER
from podium.workflows.governed.terms import GENERATIONS

PLANNER = "planner.plan"


def said(name: str, data: Any, generation: Any = "2026-06") -> list[str]:
    return [str(each) for each in payload_faults(name, data, generation)]


def changed(role: str, **members: Any) -> dict[str, Any]:
    return {**good_answer(role), **members}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("generation", GENERATIONS)
def test_every_schema_is_shipped_and_is_one(name: str, generation: Any) -> None:
    found = schema(name, generation)
    Draft202012Validator.check_schema(found)
    assert found["additionalProperties"] is False


def test_an_unknown_schema_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(LookupError, match=r"did you mean 'planner\.plan'\?"):
        schema("planer.plan")
    with pytest.raises(LookupError, match="there is no schema 'delegation/Nobody'"):
        schema("delegation/Nobody")


def test_descriptions_of_others_are_not_shipped() -> None:
    def sentences(value: Any, inside: str = "") -> list[str]:
        if isinstance(value, dict):
            found = (
                [value["description"]]
                if isinstance(value.get("description"), str) and inside != "properties"
                else []
            )
            return found + [each for name, part in value.items() for each in sentences(part, name)]
        return (
            [each for part in value for each in sentences(part)] if isinstance(value, list) else []
        )

    assert [
        each
        for name in NAMES
        for generation in GENERATIONS
        for each in sentences(schema(name, generation))
    ] == []


@pytest.mark.parametrize("agent", ROSTER, ids=lambda each: each.role)
def test_the_shortest_good_answer_is_valid_and_needs_every_member(agent: Any) -> None:
    answer = good_answer(agent.role)
    assert payload_faults(agent.schema, answer) == ()
    required = schema(agent.schema)["required"]
    assert {str(each.path) for each in payload_faults(agent.schema, {})} >= set(
        required[:MOST_FAULTS]
    )
    for name in required:
        short = {key: value for key, value in answer.items() if key != name}
        assert f"{name}: is missing" in said(agent.schema, short)


@pytest.mark.parametrize(
    ("role", "members", "fault"),
    [
        ("planner", {"confidence": 7}, "confidence: expected 1 or less, got 7"),
        ("planner", {"confidence": -0.1}, "confidence: expected 0 or more, got -0.1"),
        ("planner", {"confidence": float("nan")}, "confidence: expected a finite number, got nan"),
        ("planner", {"confidence": "sure"}, "confidence: expected a number, got 'sure'"),
        (
            "planner",
            {"summary": "short"},
            "summary: expected at least 10 characters, got 5 ('short')",
        ),
        ("planner", {"phases": []}, "phases: expected at least 1 item, got 0"),
        ("planner", {"agent": "Orchestrator"}, "agent: expected 'Planner', got 'Orchestrator'"),
        ("planner", {"trace_id": "not-a-uuid"}, "trace_id: expected a uuid, got 'not-a-uuid'"),
        (
            "planner",
            {"task_titel": "x"},
            "task_titel: expected no such member, got 'x'; did you mean 'task_title'?",
        ),
        (
            "planner",
            {"complexity_tier": "HUGE"},
            "complexity_tier: expected one of TRIVIAL, SMALL, MEDIUM, LARGE, got 'HUGE'",
        ),
        ("planner", {"complexity_tier": "LARGE"}, "diagrams: is missing"),
        (
            "planner",
            {"risk_review": [*good_plan()["risk_review"][:-1], good_plan()["risk_review"][0]]},
            "risk_review: expected exactly one item with category operability, got none",
        ),
        (
            "planner",
            {"risk_review": [*good_plan()["risk_review"][:-1], good_plan()["risk_review"][0]]},
            "risk_review: expected exactly one item with category data_volume, got several",
        ),
        (
            "core-implementer",
            {"status": "DONE"},
            "status: expected one of COMPLETE, NEEDS_INPUT, FAILED, ABSTAIN, got 'DONE'",
        ),
        ("core-implementer", {"status": "FAILED"}, "failure_classification: is missing"),
        ("core-implementer", {"phase_id": 4}, "phase_id: expected no such member, got 4"),
        (
            "core-implementer",
            {
                "status": "NEEDS_INPUT",
                "failure_classification": "fixable",
                "clarification_request": {"options": []},
            },
            "clarification_request.options: expected at least 2 items, got 0",
        ),
        (
            "code-reviewer",
            {"issues": [{"severity": "MAJOR", "description": "d", "file": "f"}]},
            "issues[0].validation_status: is missing",
        ),
        ("code-reviewer", {"next_steps": "none"}, "next_steps: expected a list, got 'none'"),
    ],
)
def test_a_fault_says_where_what_was_expected_and_what_was_there(
    role: str, members: dict[str, Any], fault: str
) -> None:
    agent = next(each for each in ROSTER if each.role == role)
    assert any(each.startswith(fault) for each in said(agent.schema, changed(role, **members)))


def test_a_payload_that_is_no_object_says_so() -> None:
    assert said(PLANNER, ["x"]) == ["the object: expected an object, got a list of 1"]
    assert said(PLANNER, None) == ["the object: expected an object, got null"]


@pytest.mark.parametrize(
    "data",
    ["x" * 5_000_000, {"summary": "x" * 5_000_000}, {"phases": [0] * 60_000}, {"x" * 2_000_000: 1}],
    ids=["text", "member", "list", "name"],
)
def test_what_is_too_large_is_refused_before_it_is_read(data: Any) -> None:
    [fault] = payload_faults(PLANNER, data)
    assert fault.got == "more"
    assert len(str(fault)) < 200


def test_what_is_nested_too_deeply_is_refused() -> None:
    data: Any = {}
    for _ in range(900):
        data = {"phases": [data]}
    assert [each.got for each in payload_faults(PLANNER, data)] == ["more"]


def test_no_fault_repeats_more_than_a_few_words_of_a_payload() -> None:
    text = "secret " * 10_000
    found = said(
        PLANNER, changed("planner", confidence=text, status=text, phases=text, **{text[:500]: text})
    )
    assert found
    assert max(map(len, found)) < 500


def test_very_many_faults_are_counted_and_not_all_told() -> None:
    found = payload_faults(PLANNER, {f"x{number}": 1 for number in range(100)})
    assert len(found) == MOST_FAULTS + 1
    assert found[-1].got.endswith("more faults")


def test_an_answer_of_either_generation_is_accepted() -> None:
    earlier = changed(
        "code-reviewer", issues=[{"severity": "MAJOR", "description": "d", "file": "f"}]
    )
    assert accepted("code-reviewer.verdict", earlier) == ("2026-04", ())
    assert accepted("code-reviewer.verdict", good_answer("code-reviewer")) == ("2026-06", ())
    generation, faults = accepted("code-reviewer.verdict", {})
    assert generation is None
    assert faults


def test_a_payload_that_no_generation_takes_is_told_the_faults_of_the_one_it_was_written_for() -> (
    None
):
    earlier = good_plan()
    del earlier["revision_mode"]
    assert accepted("planner.plan", earlier) == (GENERATIONS[0], ())
    earlier["summary"] = ""
    assert [each.path for each in accepted("planner.plan", earlier)[1]] == ["summary"]
    later = {**good_plan(), "summary": "", "resource_profile": "default"}
    assert [each.path for each in accepted("planner.plan", later)[1]] == ["summary"]


def test_what_an_agent_is_handed_has_a_schema_of_its_own() -> None:
    payload = {"task_id": "t", "phase_id": 1, "task_definition": "something to do"}
    name = delegation("CoreImplementer-subagent")
    assert said(name, payload, "2026-04") == []
    assert said(name, payload) == ["model: is missing"]
    assert said(name, {**payload, "runtime_model_mode": "auto"}) == []
    assert said(
        delegation("CodeReviewer-subagent"),
        {"phase_id": 0, "changed_files": ["a"], "model": "m", "phase_scope": 3},
    ) == ["phase_scope: expected text or an object, got 3"]


ANYTHING = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-3, 9), st.floats(), st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(st.sampled_from(ROSTER), st.data())
@settings(max_examples=60, deadline=None)
def test_any_change_of_a_good_answer_is_valid_or_told(agent: Any, data: st.DataObject) -> None:
    answer = copy.deepcopy(good_answer(agent.role))
    name = data.draw(st.sampled_from(sorted(answer)))
    answer[name] = data.draw(ANYTHING)
    found = payload_faults(agent.schema, answer)
    assert all(str(each) for each in found)
    if name in {"schema_version", "agent"} and answer[name] != good_answer(agent.role)[name]:
        assert found
