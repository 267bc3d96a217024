"""Outputs as lines, complaints that can be compared, and how long it takes to read what nobody
would print.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.proof.complaints import LIMIT, complaints, normal
from podium.proof.output import HEAD, TAIL, lines, plain, printable
from podium.proof.report import read_report
from podium.proof.scopes import streams
from podium.proof.secrecy import LEFT_OUT, UNSEEN, masked, names_one


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ("\x1b[31mFAILED\x1b[0m a", "FAILED a"),
        ("\x1b[1;31;40mFAILED", "FAILED"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("a\x1b[2Kb", "ab"),
        ("a\x1b[1Ab", "a\nb"),
        ("\x1b]8;;http://x\x07link\x1b]8;;\x07", "link"),
        ("\x1b[FAILED", "\x1b[FAILED"),
        ("as it is", "as it is"),
    ],
)
def test_what_a_terminal_obeys_is_taken_out(output: str, text: str) -> None:
    assert plain(output) == text or plain(output).replace("\n", "") == text.replace("\x1b[F", "")


def test_of_a_long_line_its_head_and_its_tail_are_read() -> None:
    (head, tail) = lines("a" * 3000 + "b" * 3000)
    assert (head, tail) == ("a" * HEAD, "b" * TAIL)


@given(st.text(alphabet="ab \n\r\t", max_size=300))
def test_lines_are_those_of_the_text(text: str) -> None:
    assert "\n".join(lines(text)) in {text, text.removesuffix("\n")}


@given(st.text(max_size=300))
def test_a_name_is_one_line(text: str) -> None:
    assert "\n" not in printable(text)
    assert printable(printable(text)) == printable(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("E   assert 1 == 2 (took 0.31s)", "E   assert 1 == 2 (took 1.52s)"),
        ("Error: at 2026-01-02T10:11:12Z", "Error: at 2026-02-03 11:12:13.5"),
        ("AssertionError: <A object at 0x7f00>", "AssertionError: <A object at 0x8e11>"),
        ("Error in /tmp/pytest-of-a/x/file.py", "Error in /tmp/abc/x/file.py"),
        ("src/calc.py:12: ValueError", "src/calc.py:99: ValueError"),
        ("failed, listening on 127.0.0.1:4000", "failed, listening on 127.0.0.1:5111"),
        ("error, pid=411", "error, pid=9"),
    ],
)
def test_what_changes_from_run_to_run_makes_no_other_complaint(one: str, other: str) -> None:
    assert normal(one) == normal(other)
    assert complaints(one) == complaints(other) != ()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("E   assert 1 == 2", "E   assert 1 == 3"),
        ("ValueError: a", "KeyError: a"),
        ("tests/test_a.py:12: AssertionError", "tests/test_a.py:14: AssertionError"),
        ("expected 3, got 4", "expected 3, got 5"),
    ],
)
def test_what_is_wrong_in_another_way_is_another_complaint(one: str, other: str) -> None:
    assert complaints(one) != complaints(other)


def test_the_folder_of_a_command_is_no_part_of_a_complaint() -> None:
    one = complaints("Error in /home/ada/demo/src/a.py", "/home/ada/demo")
    assert one == complaints("Error in /mnt/b/src/a.py", "/mnt/b/")


def test_more_complaints_than_can_be_compared_are_none() -> None:
    assert len(complaints("Error: x\n" * LIMIT)) == LIMIT
    assert complaints("Error: x\n" * (LIMIT + 1)) == ()


def test_programs_whose_lines_are_mixed_are_read_apart() -> None:
    text = (
        "packages/a test$ mocha\npackages/b test$ mocha\npackages/a test: one\n"
        "packages/b test: two\n"
    )
    parts = streams(text)
    assert "one" in parts["packages/a test"]
    assert "two" not in parts["packages/a test"]


# -- how long it takes


def steps(work: Callable[[], object]) -> int:
    """The lines of Python that run: the same number on every machine."""
    count = 0

    def trace(_frame: FrameType, event: str, _argument: object) -> object:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


HOSTILE = {
    "one line": "a",
    "passed": "1 passed in 0.01s\n",
    "failed": "FAILED a::b - c\n",
    "sections": "_____ a _____\nE   x\na.py:1: \n",
    "tap": "not ok 1 - a\n  ---\n  at: x\n  ...\n",
    "subtests": "# Subtest: a\n    # Subtest: b\n",
    "go": '{"Action":"fail","Package":"a","Test":"b"}\n',
    "deep JSON": "{" * 50 + "\n",
    "running": "running 1 test\ntest a ... FAILED\n",
    "mocha": "  1) a\n       b:\n",
    "not found": "sh: 1: a: not found\n",
    "errors": "Error: a\n",
    "colours": "\x1b[31ma\x1b[0m\r",
    "many spaces": " " * 200 + "\n",
    "a broken end": "E" + "=" * 80 + "\n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_twice_as_much_output_takes_about_twice_as_long(name: str) -> None:
    unit = HOSTILE[name]
    small, large = unit * (4000 // len(unit)), unit * (16000 // len(unit))
    first, second = steps(lambda: read_report(small)), steps(lambda: read_report(large))
    assert second <= 5 * first + 2000


@pytest.mark.parametrize("size", [300_000])
def test_very_much_noise_is_read_to_its_end(size: int) -> None:
    text = "x passed\n" * (size // 9) + "FAILED tests/test_a.py::test_b - no\n1 failed in 0.1s\n"
    assert read_report(text).failing == ("tests/test_a.py::test_b",)


def test_bytes_that_are_half_of_a_sign_are_read_like_any_other() -> None:
    text = b"FAILED tests/test_\xc3.py::test_b - \xff\n1 failed in 0.1s\n".decode(errors="replace")
    assert read_report(text).failing == ("tests/test_\ufffd.py::test_b",)


def test_a_name_does_nothing_to_a_terminal() -> None:
    text = "FAILED tests/test_a.py::test_b[\x07\x9b2J]\n1 failed in 0.1s\n"
    (name,) = read_report(text).failing
    assert name == printable(name)


# -- hidden checks

PATTERNS = ("checks/**",)


@pytest.mark.parametrize(
    "text",
    [
        "checks/test_a.py::test_b",
        "FAILED checks/test_a.py::test_b - no",
        "/home/ada/demo/checks/test_a.py:3: AssertionError",
        "checks.test_a.TestA.test_b",
        "(checks/x/y.sh)",
    ],
)
def test_a_hidden_check_is_known_in_whatever_way_it_is_named(text: str) -> None:
    assert names_one(text, PATTERNS)


@pytest.mark.parametrize("text", ["", "tests/test_a.py::test_b", "all checks passed", "precheck/a"])
def test_what_only_looks_like_one_is_none(text: str) -> None:
    assert not names_one(text, PATTERNS)


def test_a_record_says_that_a_hidden_check_failed_and_nothing_more() -> None:
    record = {
        "failing": ["tests/a.py::a", "checks/b.py::b"],
        "new": ["checks/b.py::b"],
        "why": "checks/b.py failed before too",
        "output": "E  assert 1 == 2",
    }
    assert masked(record, PATTERNS) == {
        "failing": ["tests/a.py::a", UNSEEN],
        "new": [UNSEEN],
        "why": UNSEEN,
        "output": LEFT_OUT,
    }
    assert masked(record, ()) == record
    seen = {"failing": ["tests/a.py::a"], "output": "E  assert 1 == 2"}
    assert masked(seen, PATTERNS) == seen


def test_a_test_cannot_add_lines_to_what_people_read() -> None:
    text = '{"Action":"fail","Package":"a","Test":"B\\n✓ test: 297 passed"}\n'
    (name,) = read_report(text).failing
    assert name == "a.B ✓ test: 297 passed"
