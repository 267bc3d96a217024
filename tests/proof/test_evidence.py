"""What a command proves: the table of what it did now and what it did before, and the sentence
about each.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.proof.evidence import (
    STATES,
    Evidence,
    Execution,
    broken,
    decide,
    from_json,
    holds,
    preflight,
    to_json,
)
from podium.proof.report import Count, TestReport
from podium.proof.sentences import failure_lines, line_of, proof_of, sentence, worst


def ran(
    code: int | None = 0,
    passed: int = 0,
    *failing: str,
    skipped: int = 0,
    failed: int | None = None,
    report: dict[str, Any] | None = None,
    **more: Any,
) -> Execution:
    number = len(failing) if failed is None else failed
    told = TestReport(
        runner="pytest",
        count=Count(passed, number, skipped),
        failing=failing,
        unnamed=max(0, number - len(failing)),
    )
    return Execution("test", "pytest", code, replace(told, **(report or {})), **more)


def silent(code: int | None, **more: Any) -> Execution:
    """A command of which nothing is known but how it ended."""
    return Execution("test", "make test", code, **more)


A, B, C = "a/test_x.py::test_it", "b/test_x.py::test_it", "a/test_x.py::test_other"
GREEN, RED, TWO = ran(0, 4), ran(1, 3, A), ran(1, 2, A, B)
COARSE = {"coarse": frozenset({"suite"})}

TABLE: dict[str, tuple[Execution, Execution | None, str, str]] = {
    # -- passed
    "passes": (GREEN, None, "passed", "test: 4 passed"),
    "passes as before": (GREEN, GREEN, "passed", "test: 4 passed"),
    "passes, with more": (ran(0, 6), GREEN, "passed", "test: 6 passed (2 new)"),
    "passes, mended": (GREEN, RED, "passed", "test: 4 passed"),
    "passes, with fewer": (
        ran(0, 3),
        GREEN,
        "passed",
        "test: 3 passed (1 fewer tests than before)",
    ),
    "passes, more skipped": (
        ran(0, 3, skipped=1),
        GREEN,
        "passed",
        "test: 3 passed (1 newly skipped)",
    ),
    "passes, deselected": (
        ran(0, 4, report={"deselected": 2}),
        GREEN,
        "passed",
        "test: 4 passed (2 deselected)",
    ),
    "passes, tried again": (
        ran(0, 4, report={"reruns": 1}),
        GREEN,
        "passed",
        "test: 4 passed (1 tried again)",
    ),
    "a command without tests": (silent(0), None, "passed", "test: passed"),
    "a command without tests, mended": (silent(0), silent(1), "passed", "test: passed"),
    # -- failed
    "fails": (RED, None, "failed", f"test: 1 failed: {A}"),
    "fails, was green": (RED, GREEN, "failed", f"test: 1 failed: {A}"),
    "some without a name, was green": (
        ran(1, 2, A, failed=5),
        GREEN,
        "failed",
        f"test: 5 failed: {A}",
    ),
    "one more fails": (TWO, RED, "failed", f"test: 2 failed, 1 of them new: {B}"),
    "another one fails": (ran(1, 3, B), RED, "failed", f"test: 1 failed: {B}"),
    "the same name in another folder": (
        ran(1, 3, A, B, failed=2),
        ran(1, 3, A, A, failed=2),
        "failed",
        f"test: 2 failed, 1 of them new: {B}",
    ),
    "the same name twice": (
        ran(1, 2, A, A, failed=2),
        RED,
        "failed",
        f"test: 2 failed, 1 of them new: {A}",
    ),
    "a failure without a name": (
        ran(1, 2, A, failed=2),
        ran(1, 2, A, failed=2),
        "failed",
        f"test: 2 failed: {A} (not every failure is named)",
    ),
    "no name at all": (ran(1, 3, failed=1), RED, "failed", "test: 1 failed, no names of them"),
    "no runner known": (silent(1), silent(1), "failed", "test: failed (exit 1)"),
    "exit 0 in spite of failures": (
        ran(0, 3, A),
        GREEN,
        "failed",
        f"test: 1 failed: {A}",
    ),
    "another exit code": (
        ran(2, 3, A),
        RED,
        "failed",
        f"test: 1 failed: {A} (exit 2, before it was 1)",
    ),
    "stopped at the first failure": (
        ran(1, 0, A, report={"stopped": "pytest ended early: stopping after 1 failures"}),
        ran(1, 0, A, report={"stopped": "pytest ended early: stopping after 1 failures"}),
        "failed",
        f"test: 1 failed: {A} (pytest ended early: stopping after 1 failures)",
    ),
    "before it did not run": (
        RED,
        silent(127),
        "failed",
        f"test: 1 failed: {A}",
    ),
    "before it timed out": (
        RED,
        ran(1, 3, A, timed_out_after=2.0),
        "failed",
        f"test: 1 failed: {A}",
    ),
    "a coarse name, another output": (
        ran(1, 0, "suite", report={**COARSE, "complaints": ("x",)}),
        ran(1, 0, "suite", report={**COARSE, "complaints": ("y",)}),
        "failed",
        "test: 1 failed: suite (suite failed before too, but with another output)",
    ),
    "a coarse name, no output": (
        ran(1, 0, "suite", report=COARSE),
        ran(1, 0, "suite", report=COARSE),
        "failed",
        (
            "test: 1 failed: suite (suite failed before too, but its output does not show what "
            "failed in it)"
        ),
    ),
    "tests pass and the command fails": (
        ran(1, 4),
        ran(1, 4),
        "failed",
        "test: failed (exit 1), though 4 tests passed",
    ),
    # -- failed before
    "the same failure": (RED, RED, "failed_before", f"test: 1 failed, the same as before: {A}"),
    "the same failures": (
        TWO,
        TWO,
        "failed_before",
        f"test: 2 failed, the same 2 as before: {A}, {B}",
    ),
    "one of two is mended": (
        ran(1, 3, A),
        TWO,
        "failed_before",
        f"test: 1 failed, all of them failed before, 1 more did: {A}",
    ),
    "the number of failures as exit code": (
        ran(1, 3, A),
        ran(2, 2, A, B),
        "failed_before",
        f"test: 1 failed, all of them failed before, 1 more did: {A}",
    ),
    "127 failures": (
        ran(127, 3, *[f"t{number}" for number in range(127)]),
        ran(127, 3, *[f"t{number}" for number in range(127)]),
        "failed_before",
        "test: 127 failed, the same 127 as before: t0, t1, t2, t3, t4 and 122 more",
    ),
    "137 failures are no signal": (
        ran(137, 3, *[f"t{number}" for number in range(137)]),
        ran(137, 3, *[f"t{number}" for number in range(137)]),
        "failed_before",
        "test: 137 failed, the same 137 as before: t0, t1, t2, t3, t4 and 132 more",
    ),
    "a coarse name, the same output": (
        ran(1, 0, "suite", report={**COARSE, "complaints": ("x",)}),
        ran(1, 0, "suite", report={**COARSE, "complaints": ("x",)}),
        "failed_before",
        "test: 1 failed, the same as before: suite",
    ),
    "exit 0 in spite of the same failures": (
        ran(0, 3, A),
        ran(0, 3, A),
        "failed_before",
        f"test: 1 failed, the same as before: {A}",
    ),
    # -- not run
    "not found": (silent(127), silent(127), "not_run", "a program was not found (exit 127)"),
    "its name is known": (
        silent(127, report=TestReport(fault="mocha: not found")),
        None,
        "not_run",
        "mocha: not found",
    ),
    "make turns 127 into 2": (
        silent(2, report=TestReport(fault="mocha: not found")),
        silent(2, report=TestReport(fault="mocha: not found")),
        "not_run",
        "mocha: not found",
    ),
    "not allowed": (silent(126), None, "not_run", "not allowed to run (exit 126)"),
    "did not start": (silent(None), None, "not_run", "did not start"),
    "why it did not start": (silent(None, fault="no shell"), None, "not_run", "no shell"),
    "timed out": (
        silent(None, timed_out_after=2.0),
        silent(None, timed_out_after=2.0),
        "not_run",
        "timed out after 2 s",
    ),
    "timed out while it passed": (
        ran(0, 4, timed_out_after=1.5),
        None,
        "not_run",
        "timed out after 1.5 s",
    ),
    "too much output": (
        ran(0, 4, cut_after=64_000_000),
        None,
        "not_run",
        "stopped after 64 MB of output",
    ),
    "killed": (silent(-9), silent(-9), "not_run", "killed by SIGKILL"),
    "killed, told by a shell": (silent(137), silent(137), "not_run", "killed by SIGKILL"),
    "killed by an odd signal": (silent(-64), None, "not_run", "killed by signal 64"),
    "crashed": (silent(139), None, "not_run", "killed by SIGSEGV"),
    "no tests": (ran(0, 0), GREEN, "not_run", "collected no tests"),
    "no tests, and it says so": (
        ran(5, 0, report={"empty": True}),
        ran(5, 0, report={"empty": True}),
        "not_run",
        "collected no tests",
    ),
    "all skipped": (ran(0, 0, skipped=4), GREEN, "not_run", "all 4 tests were skipped"),
    "no summary any more": (
        silent(0),
        GREEN,
        "not_run",
        "no summary of pytest in its output",
    ),
    "stopped in the middle with exit 0": (
        ran(0, 2, report={"stopped": "pytest ended early: it printed no summary"}),
        GREEN,
        "not_run",
        "pytest ended early: it printed no summary",
    ),
    "changed the tree": (
        ran(0, 4, changed=("src/a.py",)),
        GREEN,
        "not_run",
        "changed src/a.py while it ran",
    ),
    "changed three files": (
        ran(0, 4, changed=("a", "b", "c")),
        GREEN,
        "not_run",
        "changed a and 2 other files while it ran",
    ),
    "failed as before, and changed the tree": (
        ran(1, 3, A, changed=("a",)),
        RED,
        "not_run",
        "changed a while it ran",
    ),
}


@pytest.mark.parametrize("case", TABLE)
def test_a_command_is_in_one_of_four_states_and_a_sentence_says_why(case: str) -> None:
    now, before, state, words = TABLE[case]
    evidence = decide(now, before)
    assert evidence.state == state, evidence.why
    assert sentence(evidence) == (words if state != "not_run" else f"TESTS DID NOT RUN: {words}")
    assert (evidence.why == "") == (state == "passed")
    assert not evidence.why.endswith(".")


def test_every_state_is_in_the_table() -> None:
    assert {state for _, _, state, _ in TABLE.values()} == set(STATES)


@pytest.mark.parametrize("case", TABLE)
def test_what_was_decided_is_the_same_in_the_journal(case: str) -> None:
    now, before, _, _ = TABLE[case]
    evidence = decide(now, before)
    record = json.loads(json.dumps(to_json(evidence)))
    assert from_json(record) == evidence
    assert line_of(record) == sentence(evidence)
    assert holds(record) == (evidence.state in {"passed", "failed_before"})
    assert bool(broken([record])) != holds(record)


@pytest.mark.parametrize("case", TABLE)
def test_before_any_step_nothing_is_as_before(case: str) -> None:
    state = preflight(TABLE[case][0]).state
    assert state in {"passed", "failed", "not_run"}


def test_what_a_command_makes_anew_in_every_run_is_a_product_and_named_once() -> None:
    now = ran(0, 4, changed=("Makefile", "configure"))
    evidence = decide(now, now)
    assert (evidence.state, evidence.products) == ("passed", ("Makefile", "configure"))
    assert sentence(evidence) == "test: 4 passed (makes Makefile, configure anew)"


def test_what_a_step_touched_is_no_product() -> None:
    now = ran(0, 4, changed=("Makefile", "configure"))
    evidence = decide(now, now, touched={"configure"})
    assert (evidence.state, evidence.why) == ("not_run", "changed configure while it ran")
    assert evidence.products == ("Makefile",)


def test_before_any_step_all_that_changes_is_a_product() -> None:
    evidence = preflight(ran(0, 4, changed=("Makefile",)))
    assert (evidence.state, evidence.products) == ("passed", ("Makefile",))


def test_a_record_of_another_kind_speaks_for_itself_and_an_unknown_state_is_refused() -> None:
    assert holds({"name": "git commit", "commit": "0"})
    assert holds({"state": "not_run", "waived": "Ada"})
    assert not holds({"state": "no such state"})
    with pytest.raises(ValueError, match="is not one of passed"):
        from_json({"state": "green"})


def test_the_worst_command_counts_for_all() -> None:
    assert worst([]) is None
    assert worst(["passed", "failed_before"]) == "failed_before"
    assert worst(["failed_before", "not_run", "passed"]) == "not_run"
    assert worst(STATES) == "failed"
    evidence = {state: decide(now, before) for now, before, state, _ in TABLE.values()}
    assert proof_of([]) == "none"
    assert proof_of([evidence["passed"]]) == "passed"
    assert proof_of([evidence["passed"], evidence["failed_before"]]) == "failed_before"
    for state in ("failed", "not_run"):
        assert proof_of([evidence["passed"], evidence[state]]) == "none"


def test_a_command_that_did_not_run_is_named() -> None:
    build = replace(decide(silent(127)), name="build")
    assert sentence(build) == "BUILD DID NOT RUN: a program was not found (exit 127)"


def test_whoever_has_to_mend_it_gets_the_sentence_the_command_and_what_was_printed() -> None:
    record = {**to_json(decide(RED)), "output": "  assert 1 == 2\n"}
    assert failure_lines(record) == [f"test: 1 failed: {A} (`pytest`)", "assert 1 == 2"]
    assert failure_lines(to_json(decide(RED))) == [f"test: 1 failed: {A} (`pytest`)"]


NAMES = st.lists(st.sampled_from([A, B, C]), max_size=4)
REPORTS = st.builds(
    lambda passed, names, more, skipped, empty, stopped, fault: TestReport(
        runner="pytest",
        count=Count(passed, len(names) + more, skipped),
        failing=tuple(names),
        unnamed=more,
        empty=empty,
        stopped=stopped,
        fault=fault,
    ),
    *(st.integers(0, 3), NAMES, st.integers(0, 1), st.integers(0, 2), st.booleans()),
    *(st.sampled_from(["", "early"]), st.sampled_from(["", "mocha: not found"])),
)
EXECUTIONS = st.builds(
    lambda code, report, limit, changed: Execution(
        "test", "pytest", code, report, timed_out_after=limit, changed=changed
    ),
    *(st.sampled_from([0, 1, 2, 3, 126, 127, 137, -9, None]), REPORTS | st.just(TestReport())),
    *(st.sampled_from([None, None, None, 2.0]), st.sampled_from([(), (), ("Makefile",)])),
)


@given(EXECUTIONS, EXECUTIONS | st.none())
def test_nothing_but_a_clean_end_passes_and_nothing_but_the_same_failures_is_as_before(
    now: Execution, before: Execution | None
) -> None:
    evidence: Evidence = decide(now, before)
    failed = now.report.count.failed if now.report.count else 0
    if evidence.state == "passed":
        assert (now.exit, failed, now.timed_out_after) == (0, 0, None)
        assert not now.changed or (before is not None and before.changed)
    if evidence.state == "failed_before":
        assert before is not None
        assert before.report.count
        assert failed <= before.report.count.failed
        assert not evidence.new
        assert now.report.unnamed == 0
    if now.exit is None or now.timed_out_after is not None:
        assert evidence.state == "not_run"
    assert decide(now, before) == evidence
    assert from_json(json.loads(json.dumps(to_json(evidence)))) == evidence
