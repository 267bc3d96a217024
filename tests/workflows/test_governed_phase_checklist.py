from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from podium.workflows.governed.payloads.good import good_answer
from podium.workflows.governed.phase.checklist import phase_checklist, sought
from podium.workflows.governed.phase.reports import ExecutorReport, read_report

ALL = {"build": True, "test": True, "lint": True}


def report(role: str = "core-implementer", **members: Any) -> ExecutorReport:
    return read_report({**good_answer(role), **members})


def test_a_phase_is_complete_when_everything_holds() -> None:
    found = phase_checklist(report(), ALL, review=True, todo=True)
    assert found.complete
    assert (found.failure, found.reasons) == ("", ())
    assert [each.name for each in found.points] == [
        "tests",
        "build",
        "lint",
        "done",
        "review",
        "todo",
    ]


@pytest.mark.parametrize(
    ("said", "ran"),
    list(product(("PASS", "FAIL", "NOT_AVAILABLE", "NOT_RUN"), (True, False, None))),
)
def test_what_was_run_decides_and_a_report_only_where_there_is_nothing_to_run(
    said: str, ran: bool | None
) -> None:
    commands = {**ALL, "build": ran} if ran is not None else {"test": True, "lint": True}
    found = phase_checklist(report(build={"state": said}), commands, review=True, todo=True)  # type: ignore[arg-type]
    assert found.complete == (ran if ran is not None else said in {"PASS", "NOT_AVAILABLE"})
    assert bool(found.contradictions) == (said == "PASS" and ran is False)


def test_a_report_that_says_the_build_passes_while_it_fails_is_a_lie() -> None:
    found = phase_checklist(report(), {**ALL, "build": False}, review=True, todo=True)
    assert found.contradictions == ("the report says build PASS, and the command failed",)
    assert (found.failure, found.reasons) == ("build_failed", ("build: the command failed",))


@pytest.mark.parametrize(
    ("commands", "review", "todo", "failure"),
    [
        ({**ALL, "test": False}, True, True, "tests_failed"),
        ({**ALL, "lint": False}, True, True, "lint_failed"),
        (ALL, False, True, "review_blocked"),
        (ALL, None, True, ""),
        (ALL, True, False, "validation"),
    ],
)
def test_each_point_that_fails_keeps_the_phase_open(
    commands: Any, review: bool | None, todo: bool, failure: str
) -> None:
    found = phase_checklist(report(), commands, review=review, todo=todo)
    assert found.failure == failure
    assert found.complete == (failure == "")


def test_what_a_report_leaves_open_keeps_the_phase_open() -> None:
    open_ = {"all_items_complete": True, "unchecked_items": ["docs"]}
    found = phase_checklist(report(definition_of_done=open_), ALL, review=True, todo=True)
    assert found.reasons == ("done: left: docs",)


@pytest.mark.parametrize(
    ("gates", "ran", "complete"),
    [
        (("safety_clear",), None, True),
        (("safety_clear", "tests_pass"), None, False),
        (("safety_clear",), False, False),
        (("tests_pass",), True, True),
    ],
)
def test_tests_that_were_not_run_hold_only_where_there_are_none_and_the_plan_wants_none(
    gates: tuple[str, ...], ran: bool | None, complete: bool
) -> None:
    said = report(tests={"individual": "NOT_RUN", "full_suite": "NOT_RUN"})
    commands = {"build": True, "lint": True} | ({"test": ran} if ran is not None else {})
    assert phase_checklist(said, commands, review=True, todo=True, gates=gates).complete == complete


def test_an_executor_without_a_build_needs_none() -> None:
    assert phase_checklist(report("researcher"), {}, review=None, todo=True).complete
    assert not phase_checklist(
        report("technical-writer", parity_verified=False), {}, review=None, todo=True
    ).complete


FOUND = {"build": "make build", "test": "make test"}


@pytest.mark.parametrize(
    ("build", "individual", "run"),
    [
        ("PASS", "PASS", {}),
        ("NOT_AVAILABLE", "PASS", FOUND),
        ("NOT_RUN", "PASS", FOUND),
        ("PASS", "NOT_RUN", {"test": "make test"}),
        ("FAIL", "FAIL", FOUND),
    ],
)
def test_what_a_report_does_not_call_passed_is_run_where_the_project_tells_how(
    build: str, individual: str, run: dict[str, str]
) -> None:
    said = report(build={"state": build}, tests={"individual": individual, "full_suite": "PASS"})
    assert sought(FOUND, said) == run
    assert sought({}, said) == {}


def test_everything_is_run_for_a_report_that_says_nothing_of_a_build() -> None:
    assert sought(FOUND, report("technical-writer")) == FOUND
