"""What a finished dispatch of an item means, and what of it the next one hears."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from podium.core.effects import Report
from podium.core.verdict import Judgement, Verdict
from podium.workflows.roadmap.dialects import DIALECTS
from podium.workflows.roadmap.judging import (
    SUMMARY_CHARS,
    judge_design,
    judge_implement,
    judge_research,
    judge_review,
    judge_testing,
    judge_validation,
    judge_work,
)
from podium.workflows.roadmap.messages.compression import MAX_CHARS

PASS = {"lint": "pass", "typecheck": "pass", "build": "pass"}
Judge = Callable[[Report], Judgement]


def report(dialect: str, data: dict[str, Any], answer: str = "", **more: Any) -> Report:
    return Report(DIALECTS[dialect].read({"status": "success", **data}), answer, **more)


def reviewed(review: str, answer: str = "", **more: Any) -> Report:
    return report("roadmap-review", {"review": review, "checks": PASS, **more}, answer)


def test_research_and_design_are_kept_under_their_own_members() -> None:
    answer = (
        "## Research Findings: x\n\n- src/app/store.py holds it\n\n### Research Executed\n\n- tools"
    )
    found = judge_research(report("roadmap", {}, answer))
    assert (found.outcome, found.word) == ("ok", "success")
    assert found.sets == {"research_found": "- Research Findings: x\n- src/app/store.py holds it"}
    assert list(judge_design(report("roadmap", {}, "- ok")).sets) == ["design"]
    assert list(judge_work("anything")(report("roadmap", {}, "- ok")).sets) == ["anything"]


def test_what_only_the_object_says_is_kept_too_and_nothing_twice() -> None:
    data = {
        "files": [{"path": "docs/adr/ADR-7.md", "note": "the record"}],
        "learnings": ["one store", "the cache is global"],
    }
    found = judge_design(
        report(
            "roadmap",
            data,
            "- The cache is ours\n- one store",
            outputs={"docs/adr/ADR-7.md": "# ADR-7: x\n\n## Decision\n\nFiles."},
        )
    )
    assert found.sets["design"].splitlines() == [
        "- The cache is ours",
        "- one store",
        "- ADR-7: x",
        "",
        "**Decision**",
        "- Files.",
        "- `docs/adr/ADR-7.md`",
        "- docs/adr/ADR-7.md: the record",
        "- the cache is global",
    ]


@pytest.mark.parametrize(
    ("status", "outcome"), [("success", "ok"), ("needs_revision", "revise"), ("blocked", "fail")]
)
def test_before_implement_blocked_blocks_the_item(status: str, outcome: str) -> None:
    for judge in (judge_research, judge_design):
        assert judge(report("roadmap", {"status": status})).outcome == outcome


@pytest.mark.parametrize("status", ["needs_revision", "blocked"])
@pytest.mark.parametrize(
    ("judge", "dialect", "data"),
    [
        (judge_implement, "roadmap", {}),
        (judge_validation, "roadmap-validation", {"validation": "aligned"}),
        (judge_testing, "roadmap-testing", {"tests": "pass"}),
        (judge_review("fail"), "roadmap-review", {"review": "ship", "checks": PASS}),
    ],
)
def test_from_implement_on_anything_but_success_is_a_failed_attempt(
    judge: Judge, dialect: str, data: dict[str, Any], status: str
) -> None:
    found = judge(report(dialect, {**data, "status": status, "failures": ["no access"]}))
    assert (found.outcome, found.word, found.sets["failure"]) == ("revise", status, ["no access"])


def test_implement_is_known_by_the_files_that_changed_and_not_by_those_it_claims() -> None:
    data = {
        "files": [
            {"path": "src/a.py", "note": "the entry\npoint"},
            {"path": "src/lie.py", "note": "never written"},
        ]
    }
    found = judge_implement(report("roadmap", data, "long story", changed=("src/b.py", "src/a.py")))
    assert found.outcome == "ok"
    assert found.sets == {
        "implemented": [
            {"path": "src/a.py", "note": "the entry point"},
            {"path": "src/b.py", "note": ""},
        ],
        "failure": [],
    }


@pytest.mark.parametrize(
    ("dialect", "judge", "data", "outcome", "word"),
    [
        ("roadmap-validation", judge_validation, {"validation": "aligned"}, "ok", "aligned"),
        (
            "roadmap-validation",
            judge_validation,
            {"validation": "drift_detected"},
            "revise",
            "drift_detected",
        ),
        ("roadmap-testing", judge_testing, {"tests": "pass"}, "ok", "pass"),
        ("roadmap-testing", judge_testing, {"tests": "fail"}, "revise", "fail"),
        ("roadmap-review", judge_review("fail"), {"review": "ship", "checks": PASS}, "ok", "ship"),
        (
            "roadmap-review",
            judge_review("fail"),
            {"review": "minor_fixes", "checks": PASS},
            "revise",
            "minor_fixes",
        ),
        (
            "roadmap-review",
            judge_review("fail"),
            {"review": "needs_work", "checks": PASS},
            "revise",
            "needs_work",
        ),
        (
            "roadmap-review",
            judge_review("fail"),
            {"review": "ship", "checks": {**PASS, "lint": "fail"}},
            "revise",
            "fail",
        ),
    ],
)
def test_success_and_failure_of_each_gate(
    dialect: str, judge: Judge, data: dict[str, Any], outcome: str, word: str
) -> None:
    found = judge(report(dialect, data))
    assert (found.outcome, found.word) == (outcome, word)
    assert bool(found.sets["failure"]) == (outcome == "revise")
    assert bool(found.contradictions) == (outcome == "revise")


def test_drift_becomes_the_failure_that_the_next_attempt_hears() -> None:
    found = judge_validation(
        report(
            "roadmap-validation",
            {"validation": "drift_detected", "failures": ["src/a.py: X, not Y"]},
        )
    )
    assert found.sets == {"failure": ["src/a.py: X, not Y"]}
    assert found.contradictions == ("status is success, but validation is drift_detected",)


def test_a_failed_check_is_a_failure_of_its_own_and_a_contradiction() -> None:
    found = judge_review("fail")(
        report(
            "roadmap-review",
            {
                "review": "ship",
                "checks": {**PASS, "build": "fail"},
                "failures": ["src/a.py:3 E999"],
            },
        )
    )
    assert found.sets["failure"] == ["build: fail", "src/a.py:3 E999"]
    assert found.contradictions == (
        "status is success, but build is fail",
        "review is ship, but build is fail",
    )


def test_a_failed_check_that_is_explained_is_told_once() -> None:
    data = {
        "review": "needs_work",
        "checks": {**PASS, "build": "fail"},
        "failures": ["build: fail — make: no rule"],
    }
    assert judge_review("fail")(report("roadmap-review", data)).sets["failure"] == [
        "build: fail — make: no rule"
    ]


def test_an_attempt_that_lists_no_failure_is_explained_by_its_verdict_and_its_answer() -> None:
    answer = (
        "### Results\n\n- fail\n\n```\nAssertionError: 1 != 2\na\nb\nc\n```\n\nGreat work "
        "otherwise!"
    )
    found = judge_testing(report("roadmap-testing", {"tests": "fail"}, answer))
    assert found.sets["failure"] == [
        "tests is fail",
        "fail",
        "`AssertionError: 1 != 2`",
        "`a`",
        "`b`",
    ]


def test_a_failure_without_a_word_of_explanation_is_still_a_failure() -> None:
    found = judge_testing(report("roadmap-testing", {"tests": "fail"}))
    assert found.sets["failure"] == ["tests is fail"]


def test_what_testing_and_review_leave_begins_with_their_verdict() -> None:
    answer = "- 12 passed, 0 failed\n\n- tests: fail\n" + "- tests/test_a.py covers it\n" * 3
    assert (
        judge_testing(report("roadmap-testing", {"tests": "pass"}, answer))
        .sets["tested"]
        .startswith("- tests: pass\n- 12 passed")
    )
    assert judge_review("fail")(reviewed("ship", "All fine in src/a.py")).sets[
        "reviewed"
    ].splitlines() == [
        "- review: ship",
        "- lint: pass",
        "- typecheck: pass",
        "- build: pass",
        "- All fine in src/a.py",
    ]


def test_the_policy_may_let_minor_fixes_pass_if_all_checks_do() -> None:
    lenient = judge_review("pass")
    found = lenient(reviewed("minor_fixes", status="needs_revision", failures=["rename x"]))
    assert (found.outcome, found.word, found.sets["failure"]) == ("ok", "minor_fixes", [])
    broken = report("roadmap-review", {"review": "minor_fixes", "checks": {**PASS, "lint": "fail"}})
    assert lenient(broken).outcome == "revise"
    assert lenient(reviewed("needs_work")).outcome == "revise"
    assert lenient(reviewed("minor_fixes", status="blocked")).outcome == "revise"


@pytest.mark.parametrize(
    ("judge", "outcome"),
    [
        (judge_research, "fail"),
        (judge_implement, "revise"),
        (judge_validation, "revise"),
        (judge_testing, "revise"),
        (judge_review("pass"), "revise"),
    ],
)
def test_an_answer_without_a_verdict_is_never_a_success(judge: Judge, outcome: str) -> None:
    found = judge(Report(Verdict("ok", ""), "🟢 Ship it"))
    assert (found.outcome, found.word, found.reason) == (
        outcome,
        "malformed",
        "the answer holds no verdict",
    )


def test_everything_that_is_kept_is_bounded() -> None:
    flood = "\n".join(f"- src/file{number}.py is broken in many ways" for number in range(5_000))
    data = {"learnings": ["x " * 5_000] * 50, "failures": ["y " * 5_000] * 50}
    assert len(judge_research(report("roadmap", data, flood)).sets["research_found"]) <= MAX_CHARS
    found = judge_testing(report("roadmap-testing", {"tests": "fail", **data}, flood))
    assert len(found.sets["tested"]) <= SUMMARY_CHARS
    assert sum(map(len, found.sets["failure"])) <= 20 * 3 * 300
    assert "\n" not in found.reason
    assert len(found.reason) <= 300


def test_the_reason_of_a_judgement_is_one_line() -> None:
    found = judge_implement(
        report("roadmap", {"status": "blocked", "failures": ["no\n## access\r\nat all"]})
    )
    assert found.reason == "status is blocked: no ## access at all"
