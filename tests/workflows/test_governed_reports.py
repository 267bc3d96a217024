from __future__ import annotations

from typing import Any

import pytest

from podium.workflows.governed.payloads.good import good_answer
from podium.workflows.governed.phase.reports import changed_files, read_report


def report(role: str = "core-implementer", **members: Any) -> Any:
    return read_report({**good_answer(role), **members})


@pytest.mark.parametrize(
    ("role", "status", "outcome"),
    [
        ("core-implementer", "COMPLETE", "ok"),
        ("core-implementer", "NEEDS_INPUT", "needs_input"),
        ("core-implementer", "FAILED", "fail"),
        ("core-implementer", "ABSTAIN", "abstain"),
        ("researcher", "INSUFFICIENT_EVIDENCE", "abstain"),
        ("code-mapper", "COMPLETE", "ok"),
    ],
)
def test_each_status_has_one_outcome(role: str, status: str, outcome: str) -> None:
    assert report(role, status=status).outcome == outcome


def test_a_report_that_is_complete_and_abstains_abstains() -> None:
    found = report(abstain={"is_abstaining": True, "reasons": ["no access"]})
    assert found.outcome == "abstain"
    assert found.contradictions == ("COMPLETE, but abstain says no access",)


@pytest.mark.parametrize(
    "done",
    [
        {"all_items_complete": False, "unchecked_items": []},
        {"all_items_complete": True, "unchecked_items": ["docs"]},
    ],
)
def test_a_report_that_leaves_items_open_is_not_done(done: dict[str, Any]) -> None:
    found = report(definition_of_done=done)
    assert not found.done
    assert found.contradictions[0].startswith("COMPLETE with unchecked items")


@pytest.mark.parametrize(
    ("individual", "suite", "tests"),
    [
        ("PASS", "PASS", "PASS"),
        ("PASS", "NOT_RUN", "NOT_RUN"),
        ("NOT_RUN", "FAIL", "FAIL"),
        ("FAIL", "PASS", "FAIL"),
    ],
)
def test_the_worse_of_two_tests_counts(individual: str, suite: str, tests: str) -> None:
    assert report(tests={"individual": individual, "full_suite": suite}).tests == tests


@pytest.mark.parametrize(
    ("role", "members", "tests"),
    [
        ("browser-tester", {"scenarios_run": 3, "scenarios_passed": 3}, "PASS"),
        ("browser-tester", {"scenarios_run": 3, "scenarios_passed": 2}, "FAIL"),
        ("technical-writer", {"parity_verified": True}, "PASS"),
        ("technical-writer", {"parity_verified": False}, "FAIL"),
        ("researcher", {}, ""),
    ],
)
def test_scenarios_and_parity_are_tests_too(role: str, members: dict[str, Any], tests: str) -> None:
    assert report(role, **members).tests == tests


def test_files_of_all_kinds_of_reports_come_together_once() -> None:
    reports = [
        {"changes": [{"file": "b.py"}, {"file": "a.py"}]},
        {"ui_changes": [{"file": "ui.tsx"}]},
        {"docs_created": [{"path": "d.md"}], "docs_updated": [{"path": "a.py"}]},
        {},
    ]
    assert changed_files(reports) == ("a.py", "b.py", "d.md", "ui.tsx")
