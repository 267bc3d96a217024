"""What a first draft leaves open, who is asked, and what they found."""

from __future__ import annotations

from typing import Any

import pytest

from podium.workflows.governed.payloads.good import good_answer, good_plan, risk_review
from podium.workflows.governed.plan.plan import Plan
from podium.workflows.governed.plan.reading import read_object
from podium.workflows.governed.policy.policy import DEFAULT, read_policy
from podium.workflows.governed.research import Need, decided, found, need, undecided, write_research

BOTH = ("code-mapper", "researcher")


def plan_of(**members: Any) -> Plan:
    plan = read_object(good_plan(**members)).plan
    assert plan is not None
    return plan


def doubt(**members: str) -> list[dict[str, Any]]:
    return risk_review(
        performance={
            "applicability": "uncertain",
            "impact": "UNKNOWN",
            "disposition": "open_question",
            **members,
        }
    )


@pytest.mark.parametrize(
    ("members", "roles"),
    [
        ({}, ()),
        ({"risk_review": doubt()}, BOTH),
        ({"risk_review": doubt(applicability="applicable")}, BOTH),
        ({"risk_review": doubt(applicability="applicable", impact="HIGH")}, ()),
        ({"risk_review": doubt(disposition="research_phase_added")}, ()),
        ({"risk_review": doubt(disposition="resolved")}, ()),
        (
            {"status": "ABSTAIN", "abstain": {"is_abstaining": True, "reasons": ["who calls it?"]}},
            BOTH,
        ),
        ({"status": "ABSTAIN", "abstain": {"is_abstaining": True, "reasons": []}}, BOTH),
        ({"resource_profile": "small_local", "complexity_tier": "SMALL"}, BOTH),
        ({"resource_profile": "small_local"}, ("code-mapper",)),
    ],
)
def test_only_what_the_draft_leaves_open_is_looked_up(
    members: dict[str, Any], roles: tuple[str, ...]
) -> None:
    wanted = need(plan_of(**members), DEFAULT)
    assert wanted.roles == roles
    assert bool(wanted.questions) == bool(roles)


@pytest.mark.parametrize(
    ("name", "roles"),
    [
        ("research_brief_required_for_non_trivial_research", ("code-mapper",)),
        ("code_context_pack_preferred", ("researcher",)),
    ],
)
def test_the_policy_says_what_a_resource_profile_wants_first(
    name: str, roles: tuple[str, ...]
) -> None:
    policy = read_policy(None, {f"resource_profiles.small_local.{name}": False})
    assert (
        need(plan_of(resource_profile="small_local", complexity_tier="SMALL"), policy).roles
        == roles
    )


def test_nothing_is_built_on_an_open_choice() -> None:
    questions = [
        {"question": "Which store?", "options": ["memory", "disk"], "recommendation": "memory"},
        {"question": "Which name?", "options": [], "recommendation": " "},
    ]
    plan = plan_of(open_questions=questions)
    assert undecided(plan) == ("open question without a recommendation: Which name?",)
    assert decided(plan)[0] == "Decided with the plan: Which store? memory"


def researcher(**members: Any) -> dict[str, Any]:
    finding = {
        "fact": "Limits are in one place.",
        "evidence": [{"file": "src/app.py", "line_start": 3}],
    }
    return {**good_answer("researcher"), "key_findings": [finding], **members}


def test_findings_come_with_their_places() -> None:
    told = found(
        {
            "researcher": researcher(open_questions=["who calls it?"]),
            "code-mapper": good_answer("code-mapper"),
        }
    )
    assert "Limits are in one place. (src/app.py:3)" in told
    assert "still open: who calls it?" in told
    assert told[0] == good_answer("code-mapper")["answer"]


@pytest.mark.parametrize(
    "answer",
    [
        {},
        researcher(status="INSUFFICIENT_EVIDENCE"),
        researcher(status="ABSTAIN", abstain={"is_abstaining": True, "reasons": ["no access"]}),
    ],
)
def test_who_found_nothing_says_so(answer: dict[str, Any]) -> None:
    (line,) = found({"researcher": answer})
    assert line.startswith("researcher could not find out: ")


def test_the_document_has_questions_and_answers() -> None:
    text = write_research("Limits", ("performance: uncertain",), {"researcher": researcher()})
    assert text.splitlines()[:5] == [
        "## Research: Limits",
        "",
        "### Questions",
        "",
        "- performance: uncertain",
    ]
    assert "### researcher" in text
    assert "### code-mapper" not in text


def test_a_need_is_empty_by_itself() -> None:
    assert Need() == Need((), ())
