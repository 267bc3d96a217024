from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.core.verdict import MalformedVerdict, Verdict
from podium.workflows.governed.dialects import DIALECTS, dialect_name
from podium.workflows.governed.payloads.good import good_answer, good_phase
from podium.workflows.governed.roster import ROSTER
from podium.workflows.governed.terms import GENERATIONS, Generation

ROLES = [each.role for each in ROSTER]
QUESTION = {
    "options": [{"id": "A", "description": "keep it"}, {"id": "B", "description": "change it"}],
    "impact_analysis": "Readers must follow.",
    "recommended_option": "A",
    "recommended_option_rationale": "It is simpler.",
}
ISSUE = {
    "severity": "CRITICAL",
    "description": "loses data",
    "file": "a.py",
    "validation_status": "confirmed",
}
MIRAGE = {
    "pattern_id": 5,
    "pattern_name": "file_path_hallucination",
    "classification": "PRESENCE_MIRAGE",
    "severity": "BLOCKING",
    "claim": "src/x.py exists",
    "verdict": "MIRAGE",
}
BAD_TASK = {
    **good_answer("executability-verifier")["tasks_simulated"][0],
    "task_verdict": "BLOCKED",
}


def read(role: str, **members: Any) -> Verdict:
    return DIALECTS[dialect_name(role)].read({**good_answer(role), **members})


def fault(role: str, **members: Any) -> str:
    with pytest.raises(MalformedVerdict) as caught:
        read(role, **members)
    return str(caught.value)


def test_every_role_has_a_dialect_and_no_other() -> None:
    assert set(DIALECTS) == {
        f"governed-{role}{generation}" for role in ROLES for generation in ("", "@2026-04")
    }


UNMARKED = {name: value for name, value in ISSUE.items() if name != "validation_status"}


def test_a_serious_issue_without_a_mark_is_a_fault_in_the_generation_that_wants_one() -> None:
    later = DIALECTS[dialect_name("code-reviewer", "2026-06")]
    answer = {**good_answer("code-reviewer"), "issues": [UNMARKED]}
    with pytest.raises(MalformedVerdict, match="validation_status: is missing"):
        later.read(answer)
    earlier = DIALECTS[dialect_name("code-reviewer", "2026-04")]
    assert earlier.read(answer).outcome == "ok"


def test_what_only_the_later_generation_knows_is_a_fault_in_the_earlier_one() -> None:
    answer = {**good_answer("platform-engineer"), "final_environment_state": "as before"}
    assert DIALECTS[dialect_name("platform-engineer", "2026-06")].read(answer).outcome == "ok"
    with pytest.raises(MalformedVerdict, match="final_environment_state"):
        DIALECTS[dialect_name("platform-engineer", "2026-04")].read(answer)


def test_a_plan_is_read_in_the_generation_of_the_policy() -> None:
    plan = {**good_answer("planner"), "summary": "count words"}
    later = {**plan, "revision_mode": "initial_create"}
    earlier = {name: value for name, value in plan.items() if name != "revision_mode"}
    assert DIALECTS[dialect_name("planner", "2026-06")].read(later).outcome == "ok"
    assert DIALECTS[dialect_name("planner", "2026-04")].read(earlier).outcome == "ok"
    with pytest.raises(MalformedVerdict, match="revision_mode"):
        DIALECTS[dialect_name("planner", "2026-06")].read(earlier)
    with pytest.raises(MalformedVerdict, match="revision_mode"):
        DIALECTS[dialect_name("planner", "2026-04")].read(later)


@pytest.mark.parametrize("generation", GENERATIONS)
@pytest.mark.parametrize("role", ROLES)
def test_the_good_answer_is_good_and_a_verdict_is_required_but_of_who_writes_a_plan(
    role: str, generation: Generation
) -> None:
    dialect = DIALECTS[dialect_name(role, generation)]
    assert dialect.required == (role != "planner")
    assert dialect.line is None
    found = dialect.read(dialect.good)
    assert found.outcome == "ok"
    assert found.data == dialect.good


@pytest.mark.parametrize("generation", GENERATIONS)
@pytest.mark.parametrize("role", ROLES)
def test_what_an_agent_is_told_names_every_member_it_must_send(
    role: str, generation: Generation
) -> None:
    dialect = DIALECTS[dialect_name(role, generation)]
    told = " ".join(dialect.told)
    assert all(f'"{name}"' in told for name in dialect.good)
    assert ("revision_mode" in told) == ((role, generation) == ("planner", "2026-06"))


FAILED = {
    "status": "FAILED",
    "failure_classification": "needs_replan",
    "next_steps": ["ask for a table"],
}
ABSTAINS = {"is_abstaining": True, "reasons": ["no access"]}


@pytest.mark.parametrize(
    ("role", "members", "outcome", "reason"),
    [
        ("planner", {"status": "ABSTAIN", "abstain": ABSTAINS}, "abstain", "no access"),
        ("planner", {"abstain": ABSTAINS}, "abstain", "no access"),
        (
            "planner",
            {"status": "REPLAN_REQUIRED"},
            "revise",
            "the planner itself says REPLAN_REQUIRED",
        ),
        (
            "planner",
            {"phases": [good_phase(executor_agent="Nobody")]},
            "revise",
            "phase 1: 'Nobody' is not in the roster",
        ),
        (
            "planner",
            {"phases": [good_phase(dependencies=[3])]},
            "revise",
            "phase 1 waits for phase 3",
        ),
        ("core-implementer", FAILED, "fail", "needs_replan: ask for a table"),
        ("core-implementer", {"status": "ABSTAIN"}, "abstain", ""),
        (
            "core-implementer",
            {"abstain": ABSTAINS},
            "abstain",
            "COMPLETE, but abstain says no access",
        ),
        (
            "core-implementer",
            {"definition_of_done": {"all_items_complete": False, "unchecked_items": ["docs"]}},
            "revise",
            "COMPLETE with unchecked items: docs",
        ),
        (
            "ui-implementer",
            {
                "status": "NEEDS_INPUT",
                "failure_classification": "escalate",
                "clarification_request": QUESTION,
            },
            "needs_input",
            "",
        ),
        ("researcher", {"status": "INSUFFICIENT_EVIDENCE"}, "abstain", ""),
        ("code-mapper", {"status": "ABSTAIN"}, "abstain", ""),
        ("code-reviewer", {"issues": [ISSUE]}, "revise", "CRITICAL a.py: loses data"),
        (
            "code-reviewer",
            {"status": "NEEDS_REVISION", "failure_classification": "fixable"},
            "ok",
            "NEEDS_REVISION without a confirmed blocker",
        ),
        ("code-reviewer", {"status": "ABSTAIN"}, "abstain", "the reviewer abstained"),
        (
            "plan-auditor",
            {"status": "NEEDS_REVISION", "failure_classification": "fixable"},
            "revise",
            "proceed",
        ),
        (
            "plan-auditor",
            {"status": "REJECTED", "failure_classification": "escalate"},
            "fail",
            "proceed",
        ),
        (
            "plan-auditor",
            {"confidence": 0.6},
            "abstain",
            "APPROVED, but confidence 0.6 is below 0.7",
        ),
        (
            "assumption-verifier",
            {"mirage_findings": [MIRAGE], "failure_classification": "fixable"},
            "revise",
            (
                "assumption_validity is marked 5; the findings allow 3.5; BLOCKING: "
                "file_path_hallucination"
            ),
        ),
        ("executability-verifier", {"status": "WARN"}, "revise", "proceed"),
        (
            "executability-verifier",
            {"status": "FAIL", "failure_classification": "fixable"},
            "revise",
            "proceed",
        ),
        ("executability-verifier", {"tasks_simulated": [BAD_TASK]}, "revise", "PASS, but BLOCKED"),
    ],
)
def test_each_answer_means_one_outcome(
    role: str, members: dict[str, Any], outcome: str, reason: str
) -> None:
    found = read(role, **members)
    assert found.outcome == outcome
    assert found.reason.startswith(reason)


@pytest.mark.parametrize("role", ROLES)
def test_no_lie_about_the_shape_is_believed(role: str) -> None:
    assert "status: expected one of" in fault(role, status="DONE")
    assert "confidence: expected 1 or less, got 7" in fault(role, confidence=7)
    assert "phase_id: expected no such member" in fault(role, phase_id=3)
    assert "agent: expected" in fault(role, agent="Orchestrator")
    assert "at most 1000000 characters" in fault(role, status="x" * 5_000_000)
    with pytest.raises(MalformedVerdict):
        DIALECTS[dialect_name(role)].read({})


def test_a_question_that_cannot_be_put_is_malformed() -> None:
    wrong = {**QUESTION, "recommended_option": "C"}
    asked = {
        "status": "NEEDS_INPUT",
        "failure_classification": "escalate",
        "clarification_request": wrong,
    }
    assert fault("core-implementer", **asked) == "recommended_option: expected one of A, B, got 'C'"


def test_many_faults_are_told_in_part() -> None:
    assert fault(
        "planner", status=1, summary=1, confidence="x", phases=1, risks=1, handoff=1, abstain=1
    ).endswith("and 3 more")


@given(st.sampled_from(ROLES), st.data())
@settings(max_examples=80, deadline=None)
def test_any_object_is_a_verdict_or_malformed(role: str, data: st.DataObject) -> None:
    answer = good_answer(role)
    values = st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-2, 3),
        st.text(max_size=4),
        st.lists(st.text(max_size=3), max_size=2),
    )
    for name in data.draw(st.lists(st.sampled_from(sorted(answer)), max_size=3)):
        answer[name] = data.draw(values)
    try:
        found = DIALECTS[dialect_name(role)].read(answer)
    except MalformedVerdict:
        return
    assert found.word
    assert found.data == answer


def test_a_report_that_needs_input_and_asks_nothing_is_read_so_that_a_person_hears_of_it() -> None:
    found = read("core-implementer", status="NEEDS_INPUT", failure_classification="fixable")
    assert (found.outcome, found.word) == ("needs_input", "NEEDS_INPUT")
    assert "does not say what for" in found.reason
    assert "confidence" in fault(
        "core-implementer", status="NEEDS_INPUT", failure_classification="fixable", confidence=3
    )
