from __future__ import annotations

from typing import Any

import pytest

from podium.workflows.governed.payloads.good import good_answer, good_plan
from podium.workflows.governed.plan.plan import Plan
from podium.workflows.governed.plan.reading import read_object
from podium.workflows.governed.policy.policy import DEFAULT, read_policy
from podium.workflows.governed.review.code_review import CodeReview, Issue
from podium.workflows.governed.review.final_review import (
    decide_final,
    final_review_due,
    owner,
    planned_and_actual,
    prior_findings,
    snapshot,
)
from podium.workflows.governed.terms import TIERS


def files(*paths: str, action: str = "modify") -> list[dict[str, str]]:
    return [{"path": path, "action": action, "reason": "because"} for path in paths]


def plan_of(*phases: dict[str, Any], **members: Any) -> Plan:
    found = read_object(good_plan(phases=list(phases) or [{}], **members))
    assert found.plan is not None, found.faults
    return found.plan


PLAN = plan_of(
    {"files": files("a.py", "b.py")},
    {"files": files("b.py")},
    {"files": files("a.py", "b.py", action="review"), "executor_agent": "CodeReviewer-subagent"},
)


def blocked(*paths: str) -> CodeReview:
    issues = tuple(Issue("MAJOR", f"broken {path}", path, validation="confirmed") for path in paths)
    return CodeReview("FAILED", 0.9, "no", issues, issues)


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("asked", [False, True])
def test_the_whole_is_reviewed_where_tier_policy_or_a_person_asks(tier: Any, asked: bool) -> None:
    assert bool(final_review_due(plan_of(complexity_tier=tier), DEFAULT, asked=asked)) == (
        tier == "LARGE" or asked
    )
    always = read_policy(None, {"final_review_gate.enabled_by_default": True})
    assert final_review_due(plan_of(complexity_tier=tier), always, asked=False)
    never = read_policy(None, {"final_review_gate.allow_user_trigger": False})
    assert bool(final_review_due(plan_of(complexity_tier=tier), never, asked=asked)) == (
        tier == "LARGE"
    )


@pytest.mark.parametrize(("path", "number"), [("a.py", 1), ("b.py", 2), ("c.py", None)])
def test_the_highest_phase_that_may_write_owns_a_file(path: str, number: int | None) -> None:
    found = owner(path, PLAN)
    assert (found.phase_id if found else None) == number


def test_blockers_go_to_their_owners_once() -> None:
    found = decide_final(blocked("b.py", "a.py", "b.py"), PLAN, 0, DEFAULT)
    assert found.kind == "fix"
    assert [(number, [each.file for each in issues]) for number, issues in found.fixes] == [
        (1, ["a.py"]),
        (2, ["b.py", "b.py"]),
    ]
    again = decide_final(blocked("a.py"), PLAN, 1, DEFAULT)
    assert (again.kind, again.reason) == ("ask", "1 confirmed blockers after 1 of 1 fix cycles")


def test_a_blocker_nobody_owns_goes_to_a_person() -> None:
    found = decide_final(blocked("a.py", "elsewhere.py"), PLAN, 0, DEFAULT)
    assert found.kind == "ask"
    assert found.reason.startswith("no phase owns elsewhere.py")


def test_without_blockers_the_review_is_advice() -> None:
    advice = CodeReview("NEEDS_REVISION", 0.9, "could be nicer", (), ())
    found = decide_final(advice, PLAN, 0, DEFAULT)
    assert (found.kind, found.advice) == ("passes", ("could be nicer",))


def test_a_final_review_that_abstains_is_asked_once_more_and_then_a_person() -> None:
    silent = CodeReview("ABSTAIN", 0.1, "cannot see", (), ())
    assert decide_final(silent, PLAN, 0, DEFAULT).kind == "again"
    assert decide_final(silent, PLAN, 0, DEFAULT, asked_again=True).kind == "ask"


def test_planned_and_actual_files_are_compared_by_the_program() -> None:
    found = planned_and_actual(PLAN, ["a.py", "x.py"])
    assert found["out_of_scope_changes"] == ["x.py"]
    assert [(each["file"], each["status"]) for each in found["planned_vs_actual"]] == [
        ("a.py", "present"),
        ("b.py", "missing"),
        ("x.py", "extra"),
    ]
    assert snapshot(PLAN)[1] == {"phase_id": 2, "files": ["b.py"]}


def test_earlier_reviews_go_along_in_the_order_of_phases() -> None:
    found = prior_findings({2: good_answer("code-reviewer"), 1: good_answer("code-reviewer")})
    assert [each["phase_id"] for each in found] == [1, 2]
    assert set(found[0]) == {
        "phase_id",
        "review_scope",
        "status",
        "issues",
        "validated_blocking_issues",
    }
