"""What a step broke is told apart from what was broken before it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.verify.baseline import Ran, evidence, failures, new_failures

LINES = st.lists(
    st.sampled_from(
        [
            "FAILED tests/test_a.py::one",
            "FAILED tests/test_a.py::two",
            "ERROR in build",
            "all well",
            "",
        ]
    ),
    max_size=6,
)


def ran(exit_code: int, *lines: str) -> Ran:
    return Ran("test", "pytest", exit_code, "\n".join(lines))


def test_a_command_that_passes_has_broken_nothing_whatever_it_prints() -> None:
    assert new_failures(ran(0, "FAILED but exit 0"), ran(0)) == ()


def test_a_failure_without_a_past_is_new() -> None:
    assert new_failures(ran(1, "FAILED a"), None) == ("FAILED a",)


def test_a_failure_of_a_command_that_passed_before_is_new() -> None:
    assert new_failures(ran(1, "FAILED a"), ran(0)) == ("FAILED a",)


def test_the_same_failure_as_before_is_not_new() -> None:
    assert new_failures(ran(1, "FAILED a"), ran(1, "FAILED a")) == ()


def test_only_what_is_not_among_the_old_failures_is_new() -> None:
    assert new_failures(ran(1, "FAILED a", "FAILED b"), ran(1, "FAILED a", "FAILED c")) == (
        "FAILED b",
    )


def test_a_failure_that_says_nothing_we_can_read_is_named_by_its_exit_code() -> None:
    assert new_failures(ran(2, "boom"), None) == ("exit code 2",)
    assert new_failures(ran(2, "boom"), ran(0)) == ("exit code 2",)


def test_the_same_complaints_with_another_exit_code_are_new() -> None:
    assert new_failures(ran(139, "FAILED a"), ran(1, "FAILED a")) == ("exit code 139, was 1",)
    assert new_failures(ran(1), ran(1)) == ()


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("FAILED a in 0.31s", "FAILED a in 12.5s"),
        ("Error: a.py:12:3 broke", "Error: a.py:99:1 broke"),
        ("Error on line 12", "Error on line 13"),
        ("Error at 0x7f00ab", "Error at 0xdeadbeef"),
        ("ERROR /tmp/view-1/src/a.py", "ERROR /home/ada/src/a.py"),
        ("FAILED   a", "FAILED a"),
    ],
)
def test_times_places_and_addresses_do_not_make_a_failure_new(before: str, now: str) -> None:
    assert new_failures(ran(1, now), ran(1, before)) == ()


@pytest.mark.parametrize(
    ("before", "now"),
    [("FAILED test_a", "FAILED test_b"), ("Error: a.py broke", "Error: b.py broke")],
)
def test_another_name_is_another_failure(before: str, now: str) -> None:
    assert new_failures(ran(1, now), ran(1, before)) == (now,)


@pytest.mark.parametrize(
    "line",
    [
        "2 failed, 3 passed",
        "=== 1 failed in 0.2s ===",
        "Tests: 1 failed",
        "short test summary info: FAILED",
    ],
)
def test_a_summary_is_no_failure(line: str) -> None:
    assert failures(line) == frozenset()


@pytest.mark.parametrize(
    "line",
    [
        "FAILED x",
        "not ok 3 - adds",
        "thread 'main' panicked at x",
        "Traceback (most recent call last):",
        "✗ adds",
        "❌ adds",
        "error[E0308]: mismatched",
    ],
)
def test_failures_of_many_tools_are_recognised(line: str) -> None:
    assert len(failures(line)) == 1


def test_a_word_that_only_contains_one_is_no_failure() -> None:
    assert failures("errorless failover: FAILEDOVER") == frozenset()


@given(lines=LINES, code=st.integers(1, 255))
def test_a_run_compared_with_itself_has_broken_nothing(lines: list[str], code: int) -> None:
    assert new_failures(ran(code, *lines), ran(code, *lines)) == ()


@given(now=LINES, before=LINES, code=st.integers(1, 255))
def test_a_failure_without_a_failing_past_is_never_forgiven(
    now: list[str], before: list[str], code: int
) -> None:
    assert new_failures(ran(code, *now), None)
    assert new_failures(ran(code, *now), ran(0, *before))


@given(now=LINES, before=LINES, code=st.integers(1, 255))
def test_the_order_of_lines_changes_nothing(now: list[str], before: list[str], code: int) -> None:
    assert new_failures(ran(code, *now), ran(code, *before)) == new_failures(
        ran(code, *now[::-1]), ran(code, *before[::-1])
    )


@given(now=LINES, before=LINES)
def test_every_new_failure_was_said_now_and_not_before(now: list[str], before: list[str]) -> None:
    found = set(new_failures(ran(1, *now), ran(1, *before)))
    assert found == failures("\n".join(now)) - failures("\n".join(before))


def test_the_record_says_what_ran_and_whether_it_counts() -> None:
    said = evidence(Ran("test", "pytest", 1, "FAILED a\nFAILED b", 1.23456), ran(1, "FAILED a"))
    assert said == {
        "name": "test",
        "command": "pytest",
        "exit": 1,
        "seconds": 1.235,
        "baseline_exit": 1,
        "new_failures": ["FAILED b"],
        "passed": False,
    }


def test_a_failure_that_is_not_new_passes_and_says_its_exit_code_all_the_same() -> None:
    said = evidence(ran(1, "FAILED a"), ran(1, "FAILED a"))
    assert (said["passed"], said["exit"], said["baseline_exit"]) == (True, 1, 1)


def test_a_record_without_a_past_says_so() -> None:
    assert evidence(ran(0), None)["baseline_exit"] is None


def test_a_record_is_cut_after_twenty_failures_and_still_not_passed() -> None:
    said = evidence(ran(1, *(f"FAILED t{n:02d}" for n in range(50))), None)
    assert said["new_failures"] == [f"FAILED t{n:02d}" for n in range(20)]
    assert said["passed"] is False
