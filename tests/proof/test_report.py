"""What real runners print, and what is read of it: numbers, failing tests with their places, an
empty run, a run that was stopped. The outputs in tests/fixtures/outputs are as they were printed.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from podium.proof.evidence import Execution, decide
from podium.proof.report import Count, TestReport, read_report

OUTPUTS = Path(__file__).parents[1] / "fixtures" / "outputs"
FOLDER = "/home/ada/demo"
"""Where they were printed."""


@dataclass(frozen=True)
class Sample:
    name: str
    exit: int
    runner: str
    count: tuple[int, int, int] | None
    failing: tuple[str, ...] = ()
    coarse: frozenset[str] | set[str] = frozenset()
    unnamed: int = 0
    empty: bool = False
    stopped: str = ""
    fault: str = ""
    deselected: int = 0

    @property
    def text(self) -> str:
        return (OUTPUTS / f"{self.name}.txt").read_text(encoding="utf-8")

    def ran(self, code: int | None = None) -> Execution:
        report = read_report(self.text, FOLDER)
        return Execution("test", "x", self.exit if code is None else code, report)


SAMPLES = (
    Sample("automake", 2, "automake", (1, 1, 2), failing=("bad.sh",), coarse={"bad.sh"}),
    Sample("automake-green", 0, "automake", (1, 0, 0)),
    Sample("ava", 1, "ava", (2, 1, 3), failing=("fails",)),
    Sample("ava-tap", 1, "tap", (2, 2, 2), failing=("fails",), unnamed=1),
    Sample("bats", 1, "tap", (1, 1, 1), failing=("a.bats > fails",)),
    Sample("bats-green", 0, "tap", (1, 0, 0)),
    Sample("bats-none", 0, "tap", (0, 0, 0), empty=True),
    Sample("bats-pretty", 1, "bats", (1, 1, 1), failing=("fails",)),
    Sample(
        "cargo",
        101,
        "cargo",
        (2, 1, 1),
        failing=("demo src/lib.rs > tests::bad",),
        stopped="cargo ended early: --no-fail-fast would run the targets after the one that failed",
    ),
    Sample("cargo-all", 101, "cargo", (3, 1, 1), failing=("demo src/lib.rs > tests::bad",)),
    Sample("cargo-lost", 101, "", None, fault="cargo: no command carggo"),
    Sample("cargo-none", 0, "cargo", (0, 0, 0), deselected=4),
    Sample("ctest", 8, "ctest", (1, 2, 1), failing=("bad", "crash"), coarse={"crash", "bad"}),
    Sample("ctest-green", 0, "ctest", (1, 0, 0)),
    Sample("ctest-none", 0, "ctest", None, empty=True),
    Sample(
        "ctest-output", 8, "ctest", (1, 2, 1), failing=("bad", "crash"), coarse={"crash", "bad"}
    ),
    Sample(
        "go",
        1,
        "go",
        (1, 4, 0),
        failing=(
            "example.com/demo.TestBad",
            "example.com/demo.TestBad/sub",
            "example.com/demo/inner.TestBad",
            "example.com/demo/panics.TestA",
        ),
        stopped="go ended early: a test of example.com/demo/panics panicked",
    ),
    Sample(
        "go-build",
        2,
        "go",
        (0, 1, 0),
        failing=("example.com/demo/good",),
        coarse={"example.com/demo/good"},
    ),
    Sample("go-green", 0, "go", (1, 0, 0)),
    Sample("go-green-v", 0, "go", (1, 0, 0)),
    Sample(
        "go-json",
        1,
        "go",
        (1, 3, 1),
        failing=(
            "example.com/demo.TestBad/sub",
            "example.com/demo.TestBad",
            "example.com/demo/inner.TestBad",
        ),
    ),
    Sample("go-none", 0, "go", None, empty=True),
    Sample(
        "go-v",
        1,
        "go",
        (1, 3, 1),
        failing=(
            "example.com/demo.TestBad",
            "example.com/demo.TestBad/sub",
            "example.com/demo/inner.TestBad",
        ),
    ),
    Sample(
        "jest",
        1,
        "jest",
        (1, 4, 2),
        failing=(
            "j/a.test.js > math › fails",
            "j/a.test.js > fails",
            "j/c.test.js > fails",
            "j/b.test.js > Test suite failed to run",
        ),
        coarse={"j/b.test.js > Test suite failed to run"},
    ),
    Sample("jest-green", 0, "jest", (1, 0, 4)),
    Sample(
        "jest-json",
        1,
        "jest",
        (1, 4, 2),
        failing=(
            "j/c.test.js > fails",
            "j/b.test.js > Test suite failed to run",
            "j/a.test.js > math › fails",
            "j/a.test.js > fails",
        ),
        coarse={"j/b.test.js > Test suite failed to run"},
    ),
    Sample(
        "jest-verbose",
        1,
        "jest",
        (1, 4, 2),
        failing=(
            "j/a.test.js > math › fails",
            "j/a.test.js > fails",
            "j/c.test.js > fails",
            "j/b.test.js > Test suite failed to run",
        ),
        coarse={"j/b.test.js > Test suite failed to run"},
    ),
    Sample("make-missing", 2, "", None, fault="nothere: not found"),
    Sample("make-notarget", 2, "", None, fault="make: no target zzz"),
    Sample(
        "mocha",
        3,
        "mocha",
        (1, 3, 2),
        failing=(
            "m/a.test.js > math > fails",
            "m/a.test.js > math > inner > fails",
            "m/b.test.js > math > fails",
        ),
    ),
    Sample("mocha-bail", 1, "mocha", (1, 1, 0), failing=("m/a.test.js > math > fails",)),
    Sample(
        "mocha-dot",
        3,
        "mocha",
        (1, 3, 2),
        failing=(
            "m/a.test.js > math > fails",
            "m/a.test.js > math > inner > fails",
            "m/b.test.js > math > fails",
        ),
    ),
    Sample("mocha-green", 0, "mocha", (1, 0, 0)),
    Sample("mocha-json", 3, "", None),
    Sample(
        "mocha-min",
        3,
        "mocha",
        (1, 3, 2),
        failing=(
            "m/a.test.js > math > fails",
            "m/a.test.js > math > inner > fails",
            "m/b.test.js > math > fails",
        ),
    ),
    Sample("mocha-none", 1, "mocha", None, empty=True),
    Sample(
        "mocha-tap", 3, "tap", (1, 3, 2), failing=("math fails", "math inner fails", "math fails")
    ),
    Sample("mocha-xunit", 3, "", None),
    Sample(
        "node-crash", 1, "", None, fault="node: no file /home/ada/demo/nodeproj/nothere.test.js"
    ),
    Sample(
        "node-dot",
        1,
        "node",
        (0, 4, 0),
        failing=("fails", "inner", "suite", "fails"),
        stopped="node ended early: it printed no summary",
    ),
    Sample("node-green", 0, "node", (2, 0, 0)),
    Sample("node-junit", 1, "", None),
    Sample(
        "node-spec",
        1,
        "node",
        (2, 3, 2),
        failing=(
            "test/a.test.js > fails",
            "test/a.test.js > suite > inner",
            "test/b.test.js > fails",
        ),
    ),
    Sample(
        "node-tap",
        1,
        "node",
        (2, 3, 2),
        failing=(
            "nodeproj/test/a.test.js > fails",
            "nodeproj/test/a.test.js > suite > inner",
            "nodeproj/test/b.test.js > fails",
        ),
    ),
    Sample("npm-missing", 127, "", None, fault="nothere: not found"),
    Sample("npm-noscript", 1, "", None, fault="npm: no script nope"),
    Sample("perl-tap", 1, "tap", (1, 1, 2), failing=("is two",)),
    Sample(
        "prove-fail", 1, "prove", (4, 2, 1), failing=("t/a.t > is two", "t/c.t"), coarse={"t/c.t"}
    ),
    Sample("prove-green", 0, "prove", (1, 0, 0)),
    Sample("prove-none", 2, "prove", (0, 0, 0), empty=True, fault="prove: no file nothere"),
    Sample("prove-v", 1, "prove", (4, 2, 1), failing=("t/a.t > is two", "t/c.t"), coarse={"t/c.t"}),
    Sample(
        "pytest-collect",
        2,
        "pytest",
        (0, 1, 0),
        failing=("py/test_broken.py",),
        coarse={"py/test_broken.py"},
        stopped="pytest ended early: Interrupted: 1 error during collection",
    ),
    Sample(
        "pytest-color",
        1,
        "pytest",
        (3, 5, 2),
        failing=(
            "py/a/test_one.py::test_fail",
            "py/a/test_one.py::test_param[a - b]",
            "py/a/test_one.py::TestK::test_fail",
            "py/b/test_two.py::test_fail",
            "py/a/test_one.py::test_error",
        ),
    ),
    Sample(
        "pytest-default",
        1,
        "pytest",
        (3, 5, 2),
        failing=(
            "py/a/test_one.py::test_fail",
            "py/a/test_one.py::test_param[a - b]",
            "py/a/test_one.py::TestK::test_fail",
            "py/b/test_two.py::test_fail",
            "py/a/test_one.py::test_error",
        ),
    ),
    Sample("pytest-green", 0, "pytest", (1, 0, 0), deselected=1),
    Sample("pytest-missing", 4, "pytest", None, empty=True, fault="pytest: no file py/zzz"),
    Sample(
        "pytest-no-summary",
        1,
        "pytest",
        (3, 5, 2),
        failing=(
            "py/a/test_one.py::test_error",
            "py/a/test_one.py::test_fail",
            "py/a/test_one.py::test_param[a - b]",
            "py/a/test_one.py::TestK::test_fail",
            "py/b/test_two.py::test_fail",
        ),
    ),
    Sample("pytest-none", 5, "pytest", (0, 0, 0), empty=True, deselected=2),
    Sample(
        "pytest-q",
        1,
        "pytest",
        (3, 5, 2),
        failing=(
            "py/a/test_one.py::test_fail",
            "py/a/test_one.py::test_param[a - b]",
            "py/a/test_one.py::TestK::test_fail",
            "py/b/test_two.py::test_fail",
            "py/a/test_one.py::test_error",
        ),
    ),
    Sample("pytest-qq", 1, "pytest", (1, 1, 0), failing=("py/b/test_two.py::test_fail",)),
    Sample(
        "pytest-rA-short",
        1,
        "pytest",
        (3, 5, 2),
        failing=(
            "py/a/test_one.py::test_error",
            "py/a/test_one.py::test_fail",
            "py/a/test_one.py::test_param[a - b]",
            "py/a/test_one.py::TestK::test_fail",
            "py/b/test_two.py::test_fail",
        ),
    ),
    Sample(
        "pytest-tb-no",
        1,
        "pytest",
        (3, 5, 2),
        failing=(
            "py/a/test_one.py::test_fail",
            "py/a/test_one.py::test_param[a - b]",
            "py/a/test_one.py::TestK::test_fail",
            "py/b/test_two.py::test_fail",
            "py/a/test_one.py::test_error",
        ),
    ),
    Sample(
        "pytest-v",
        1,
        "pytest",
        (3, 5, 2),
        failing=(
            "py/a/test_one.py::test_fail",
            "py/a/test_one.py::test_param[a - b]",
            "py/a/test_one.py::TestK::test_fail",
            "py/b/test_two.py::test_fail",
            "py/a/test_one.py::test_error",
        ),
    ),
    Sample(
        "pytest-x",
        1,
        "pytest",
        (1, 1, 0),
        failing=("py/a/test_one.py::test_fail",),
        stopped="pytest ended early: stopping after 1 failures",
    ),
    Sample(
        "pytest-xdist",
        1,
        "pytest",
        (3, 5, 2),
        failing=(
            "py/a/test_one.py::test_fail",
            "py/a/test_one.py::test_param[a - b]",
            "py/b/test_two.py::test_fail",
            "py/a/test_one.py::TestK::test_fail",
            "py/a/test_one.py::test_error",
        ),
    ),
    Sample("sh-missing", 127, "", None, fault="pytset: not found"),
    Sample("tap", 1, "tap", (2, 1, 0), failing=("t/tap.test.js > sub > two",)),
    Sample("tap-tap", 1, "tap", (2, 1, 0), failing=("t/tap.test.js > sub > two",)),
    Sample(
        "tape",
        1,
        "tap",
        (1, 2, 1),
        failing=("node/t/tape.js > math > two", "node/t/tape.js > more > two"),
    ),
    Sample("tape-green", 0, "tap", (1, 0, 0)),
    Sample(
        "tox",
        1,
        "pytest",
        (2, 2, 0),
        failing=("../py/b/test_two.py::test_fail", "pytest #2 > ../py/b/test_two.py::test_fail"),
    ),
    Sample(
        "tox-loud",
        1,
        "pytest",
        (2, 2, 0),
        failing=("a > ../py/b/test_two.py::test_fail", "b > ../py/b/test_two.py::test_fail"),
    ),
    Sample(
        "unittest",
        1,
        "unittest",
        (1, 3, 2),
        failing=("ut.A.test_err", "ut.A.test_bad", "ut.A.test_sub (i=1)"),
    ),
    Sample("unittest-green", 0, "unittest", (2, 0, 0)),
    Sample("unittest-import", 1, "unittest", (0, 1, 0), failing=("nope",), coarse={"nope"}),
    Sample("unittest-none", 0, "unittest", (0, 0, 0), empty=True),
    Sample(
        "unittest-v",
        1,
        "unittest",
        (1, 3, 2),
        failing=("ut.A.test_err", "ut.A.test_bad", "ut.A.test_sub (i=1)"),
    ),
    Sample("uvu", 1, "uvu", (1, 1, 1), failing=('u.js > math  "fails"',)),
    Sample(
        "vitest", 1, "vitest", (1, 2, 2), failing=("a.test.js > math > fails", "b.test.js > fails")
    ),
    Sample("vitest-green", 0, "vitest", (1, 0, 4)),
    Sample("vitest-junit", 1, "", None),
    Sample(
        "vitest-tap", 1, "tap", (1, 2, 2), failing=("a.test.js > math > fails", "b.test.js > fails")
    ),
    Sample(
        "vitest-verbose",
        1,
        "vitest",
        (1, 2, 2),
        failing=("a.test.js > math > fails", "b.test.js > fails"),
    ),
)
BY_NAME = {sample.name: sample for sample in SAMPLES}
each_sample = pytest.mark.parametrize("sample", SAMPLES, ids=[sample.name for sample in SAMPLES])


@each_sample
def test_the_output_of_a_runner_is_read(sample: Sample) -> None:
    report = sample.ran().report
    assert report == TestReport(
        runner=sample.runner,
        count=Count(*sample.count) if sample.count else None,
        failing=sample.failing,
        coarse=frozenset(sample.coarse),
        unnamed=sample.unnamed,
        deselected=sample.deselected,
        empty=sample.empty,
        stopped=sample.stopped,
        fault=sample.fault,
        complaints=report.complaints,
    )


def test_every_output_is_in_the_table() -> None:
    assert {file.stem for file in OUTPUTS.iterdir()} == {sample.name for sample in SAMPLES}


@each_sample
def test_a_run_without_a_fault_passes_and_no_other_does(sample: Sample) -> None:
    state = decide(sample.ran()).state
    judged = not sample.fault and not sample.empty
    if sample.exit == 0:
        assert (state == "passed") == bool(judged and sample.count and sample.count[0])
    else:
        assert state == ("failed" if judged else "not_run")


RED = [sample for sample in SAMPLES if sample.failing]
UNCLEAR = {
    *("pytest-x", "pytest-collect", "go", "cargo", "node-dot"),  # stopped early
    "ava-tap",  # a failure without a name
    *("automake", "ctest", "ctest-output"),  # a name for a whole program, and not what is wrong
}
"""Nobody knows what else would fail."""


@pytest.mark.parametrize("sample", RED, ids=[sample.name for sample in RED])
def test_the_same_failures_are_the_same_and_any_other_is_not(sample: Sample) -> None:
    now = sample.ran()
    expected = "failed" if sample.name in UNCLEAR else "failed_before"
    assert decide(now, now).state == expected, decide(now, now).why
    other = now.report.failing[:-1]
    fewer = TestReport(
        runner=now.report.runner,
        count=Count(now.report.count.passed + 1, now.report.count.failed - 1, 0)
        if now.report.count
        else None,
        failing=other,
    )
    assert decide(now, Execution("test", "x", sample.exit, fewer)).state == "failed"


@pytest.mark.parametrize("sample", RED, ids=[sample.name for sample in RED])
def test_failures_that_are_printed_are_no_pass_whatever_the_exit_code(sample: Sample) -> None:
    assert decide(sample.ran(0)).state == "failed"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("pytest-default", "pytest-v"),
        ("pytest-default", "pytest-q"),
        ("pytest-default", "pytest-color"),
        ("pytest-default", "pytest-xdist"),
        ("pytest-default", "pytest-no-summary"),
        ("pytest-default", "pytest-tb-no"),
        ("unittest", "unittest-v"),
        ("mocha", "mocha-dot"),
        ("mocha", "mocha-min"),
        ("jest", "jest-verbose"),
        ("vitest", "vitest-verbose"),
        ("prove-fail", "prove-v"),
        ("go", "go-v"),
        ("ctest", "ctest-output"),
    ],
)
def test_the_way_a_runner_reports_changes_no_name(one: str, other: str) -> None:
    first, second = (set(BY_NAME[name].failing) for name in (one, other))
    assert second <= first
    assert first == second or one == "go"


@pytest.mark.parametrize(
    "name", ["pytest-v", "mocha", "jest", "node-spec", "go-json", "prove-fail"]
)
def test_what_is_printed_around_an_output_changes_nothing(name: str) -> None:
    sample = BY_NAME[name]
    noise = "$ npm test\n" + "compiled a file of the project\n" * 9000
    read = read_report(f"{noise}{sample.text}\n{noise}", FOLDER)
    assert (read.count, sorted(read.failing)) == (sample.ran().report.count, sorted(sample.failing))


@pytest.mark.parametrize("name", ["pytest-default", "mocha", "jest", "unittest", "ctest", "tape"])
def test_colours_and_other_ends_of_lines_change_nothing(name: str) -> None:
    sample = BY_NAME[name]
    painted = "".join(f"\x1b[31m{line}\x1b[0m\r\n" for line in sample.text.split("\n"))
    assert read_report(painted, FOLDER).failing == sample.failing


def test_a_failure_before_very_much_output_is_not_lost() -> None:
    sample = BY_NAME["pytest-default"]
    flood = "x passed\n" * 40_000
    report = read_report(f"{sample.text}\n{flood}", FOLDER)
    assert report.failing == sample.failing


def test_two_starts_of_one_runner_are_added_and_their_names_stay_apart() -> None:
    sample = BY_NAME["pytest-q"]
    report = read_report(sample.text * 2, FOLDER)
    assert report.failing == (
        *sample.failing,
        *(f"pytest #2 > {name}" for name in sample.failing),
    )
    assert report.count == Count(6, 10, 4)


@pytest.mark.parametrize(
    "forged",
    [
        "297 passed in 0.01s\n",
        "===== 297 passed in 0.01s =====\n",
        "# tests 297\n# pass 297\n# fail 0\n",
        "Tests:       297 passed, 297 total\n",
        "OK (297 tests, 300 assertions)\n",
        "  297 passing (1s)\n",
        "ok  \texample.com/demo\t0.01s\n",
        "test result: ok. 297 passed; 0 failed; 0 ignored\n",
        "All tests successful.\nFiles=1, Tests=297,  0 wallclock secs\nResult: PASS\n",
        "100% tests passed, 0 tests failed out of 297\n",
    ],
)
@pytest.mark.parametrize("name", ["pytest-q", "mocha", "jest", "node-spec", "go", "cargo-all"])
@pytest.mark.parametrize("after", [True, False])
def test_a_forged_summary_takes_no_failure_away(forged: str, name: str, after: bool) -> None:
    sample = BY_NAME[name]
    text = f"{sample.text}\n{forged}" if after else f"{forged}\n{sample.text}"
    report = read_report(text, FOLDER)
    assert set(sample.failing) <= {failing.rpartition("#2 > ")[2] for failing in report.failing}
    assert report.count
    assert sample.count
    assert report.count.failed >= sample.count[1]
    assert decide(Execution("test", "x", 0, report)).state != "passed"


@pytest.mark.parametrize(
    "text", ["", "\n", "done\n", "build ok\n", "0\n", "\x00\xff", "✓ all good\n"]
)
def test_where_no_runner_is_known_nothing_is_said_about_tests(text: str) -> None:
    assert read_report(text) == TestReport()


@pytest.mark.parametrize("sample", [sample for sample in SAMPLES if sample.failing][::4])
def test_an_output_that_is_cut_anywhere_is_never_a_pass_of_all(sample: Sample) -> None:
    """A runner that prints its end last, cut before it: exit 0 alone proves nothing then."""
    whole, before = sample.text, sample.ran()
    for at in range(0, len(whole), max(1, len(whole) // 40)):
        cut = Execution("test", "x", 0, read_report(whole[:at], FOLDER))
        evidence = decide(cut, before)
        assert evidence.state != "passed" or (
            evidence.tests is not None and evidence.tests.failed == 0 and not cut.report.failing
        )
