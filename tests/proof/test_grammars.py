"""Typical outputs of runners that are described by expressions, as their documentation and their
sources have them.
"""

from __future__ import annotations

import pytest

from podium.proof.report import Count, read_report

OUTPUTS: dict[str, tuple[str, str, tuple[int, int, int] | None, tuple[str, ...]]] = {
    "rspec": (
        "rspec",
        (
            "Failures:\n\n  1) Calc adds\n     Failure/Error: expect(1).to eq(2)\n\n"
            "Finished in 0.01 seconds\n4 examples, 1 failure, 1 pending\n\nFailed examples:\n\n"
            "rspec ./spec/calc_spec.rb:3 # Calc adds\n"
        ),
        (2, 1, 1),
        ("spec/calc_spec.rb > Calc adds",),
    ),
    "rspec, green": (
        "rspec",
        "..\n\nFinished in 0.01 seconds\n2 examples, 0 failures\n",
        (2, 0, 0),
        (),
    ),
    "minitest": (
        "minitest",
        (
            "# Running:\n\n.F\n\n  1) Failure:\n"
            "TestCalc#test_add [test/test_calc.rb:5]:\nExpected: 3\n"
            "  Actual: 4\n\n2 runs, 2 assertions, 1 failures, 0 errors, 0 skips\n"
        ),
        (1, 1, 0),
        ("TestCalc#test_add",),
    ),
    "phpunit": (
        "phpunit",
        (
            "PHPUnit 10.5.1 by Sebastian Bergmann.\n\nF.\n\nThere was 1 failure:\n\n"
            "1) CalcTest::testAdd\nFailed asserting that 4 matches expected 3.\n\nFAILURES!\n"
            "Tests: 2, Assertions: 2, Failures: 1.\n"
        ),
        (1, 1, 0),
        ("CalcTest::testAdd",),
    ),
    "phpunit, green": (
        "phpunit",
        "PHPUnit 10.5.1 by Sebastian Bergmann.\n\n..\n\nOK (2 tests, 2 assertions)\n",
        (2, 0, 0),
        (),
    ),
    "surefire": (
        "surefire",
        (
            "[INFO] Running com.a.CalcTest\n"
            "[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0, "
            "Time elapsed: 0.03 s <<< FAILURE! -- in com.a.CalcTest\n"
            "[ERROR] com.a.CalcTest.adds -- Time elapsed: 0.01 s <<< FAILURE!\n"
            "[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0\n"
        ),
        (1, 1, 0),
        ("com.a.CalcTest.adds",),
    ),
    "gradle": (
        "gradle",
        (
            "> Task :test FAILED\n\nCalcTest > adds() FAILED\n    java.lang.AssertionError at "
            "CalcTest.java:7\n\n3 tests completed, 1 failed, 1 skipped\n\nBUILD FAILED in 2s\n"
        ),
        (1, 1, 1),
        ("CalcTest > adds()",),
    ),
    "dotnet": (
        "dotnet",
        (
            "Starting test execution, please wait...\n"
            "  Failed Calc.Tests.Adds [5 ms]\n  Error Message:\n"
            "F"
            "ailed!  - Failed:     1, Passed:     2, Skipped:     1, Total:     4, Duration: 9 ms\n"
        ),
        (2, 1, 1),
        ("Calc.Tests.Adds",),
    ),
    "exunit": (
        "exunit",
        (
            "Running ExUnit with seed: 1, max_cases: 8\n\n  1) test adds (CalcTest)\n"
            "     test/calc_test.exs:4\n     Assertion with == failed\n\n"
            "Finished in 0.02 seconds (0.00s async, 0.02s sync)\n2 tests, 1 failure, 1 skipped\n"
        ),
        (0, 1, 1),
        ("test adds (CalcTest)",),
    ),
    "gtest": (
        "gtest",
        (
            "[==========] Running 3 tests from 1 test suite.\n[ RUN      ] Calc.Adds\n"
            "[  FAILED  ] Calc.Adds (0 ms)\n"
            "[==========] 3 tests from 1 test suite ran. (0 ms total)\n"
            "[  PASSED  ] 2 tests.\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] Calc.Adds\n"
        ),
        (2, 1, 0),
        ("Calc.Adds",),
    ),
    "meson": (
        "meson",
        (
            "1/2 good   OK    0.01s\n2/2 bad    FAIL  0.01s   exit status 1\n\n"
            "Ok:                 1\n"
            "Expected Fail:      0\nFail:               1\nUnexpected Pass:    0\n"
            "Skipped:            0\n"
            "Timeout:            0\n"
        ),
        (1, 1, 0),
        ("bad",),
    ),
    "nextest": (
        "nextest",
        (
            "    Starting 2 tests across 1 binary\n        PASS [   0.004s] demo tests::good\n"
            "        FAIL [   0.004s] demo tests::bad\n"
            "     Summary [   0.009s] 2 tests run: 1 passed, 1 failed, 1 skipped\n"
            "        FAIL [   0.004s] demo tests::bad\nerror: test run failed\n"
        ),
        (1, 1, 1),
        ("demo tests::bad",),
    ),
    "deno": (
        "deno",
        (
            "running 2 tests from ./a_test.ts\nadds ... FAILED (5ms)\n"
            "fine ... ok (1ms)\n\n ERRORS \n\n"
            " FAILURES \n\nadds => ./a_test.ts:3:6\n\nFAILED | 1 passed | 1 failed (20ms)\n"
        ),
        (1, 1, 0),
        ("./a_test.ts > adds",),
    ),
    "bun": (
        "bun",
        (
            "bun test v1.1.0\n\na.test.ts:\n(pass) fine [0.1ms]\n"
            "(fail) adds [0.3ms]\n\n 1 pass\n 1 fail\n"
            "Ran 2 tests across 1 files. [9.00ms]\n"
        ),
        (1, 1, 0),
        ("a.test.ts > adds",),
    ),
    "playwright": (
        "playwright",
        (
            "Running 3 tests using 1 worker\n\n"
            "  1) [chromium] › a.spec.ts:3:5 › shows a page ────\n\n"
            "  1 failed\n    [chromium] › a.spec.ts:3:5 › shows a page ──────\n  1 skipped\n"
            "  1 passed (2.1s)\n"
        ),
        (1, 1, 1),
        ("a.spec.ts > shows a page",),
    ),
    "jasmine": (
        "jasmine",
        (
            "Randomized with seed 1\nStarted\nF.\n\nFailures:\n1) calc adds\n"
            "  Message:\n    Expected 1\n\n"
            "2 specs, 1 failure\nFinished in 0.01 seconds\n"
        ),
        (1, 1, 0),
        ("calc adds",),
    ),
    "busted": (
        "busted",
        (
            "1 success / 1 failure / 0 errors / 0 pending : 0.001 seconds\n\n"
            "Failure -> spec/a_spec.lua @ 3\ncalc adds\n"
        ),
        (1, 1, 0),
        ("Failure -> spec/a_spec.lua",),
    ),
    "lab": (
        "lab",
        (
            "Failed tests:\n\n  1) calc adds:\n\n      expected 1 to equal 2\n\n"
            "1 of 2 tests failed\n"
            "Test duration: 9 ms\n"
        ),
        (1, 1, 0),
        ("calc adds",),
    ),
    "doctest": (
        "doctest",
        (
            '*****\nFile "calc.py", line 3, in calc.add\nFailed example:\n    add(1, 2)\n'
            "***Test Failed*** 1 failures.\n"
        ),
        (0, 1, 0),
        ("calc.py > calc.add",),
    ),
}


@pytest.mark.parametrize("name", OUTPUTS)
def test_a_typical_output_is_read(name: str) -> None:
    runner, text, count, failing = OUTPUTS[name]
    report = read_report(text)
    assert (report.runner, report.failing) == (runner, failing)
    assert report.count == (Count(*count) if count else None)
    assert (report.unnamed, report.empty) == (0, False)


EMPTY = {
    "rspec": "All examples were filtered out\n\n0 examples, 0 failures\n",
    "phpunit": "PHPUnit 10.5.1 by Sebastian Bergmann.\n\nNo tests executed!\n",
    "jest": "No tests found, exiting with code 1\n",
    "vitest": "\n RUN  v1.0.0 /home/ada\n\nNo test files found, exiting with code 1\n",
    "mocha": 'Error: No test files found: "test"\n',
    "pytest": "\nno tests ran in 0.01s\n",
    "unittest": "\nRan 0 tests in 0.000s\n\nNO TESTS RAN\n",
    "ctest": "Test project /home/ada/b\nNo tests were found!!!\n",
    "go": "testing: warning: no tests to run\n?   \texample.com/a\t[no test files]\n",
    "prove": "Files=0, Tests=0,  0 wallclock secs\nResult: NOTESTS\n",
    "nextest": "error: no tests to run\n",
    "automake": (
        "# TOTAL: 0\n# PASS:  0\n# SKIP:  0\n# XFAIL: 0\n# FAIL:  0\n# XPASS: 0\n# ERROR: 0\n"
    ),
}


@pytest.mark.parametrize("runner", EMPTY)
def test_a_runner_that_found_no_test_says_so(runner: str) -> None:
    report = read_report(EMPTY[runner])
    assert (report.runner, report.empty) == (runner, True)


FAULTS = {
    "/bin/sh: 1: pytset: not found": "pytset: not found",
    "bash: line 1: mocha: command not found": "mocha: not found",
    "zsh:1: command not found: carggo": "carggo: not found",
    "make: pytest: No such file or directory\nmake: *** [Makefile:2: test] Error 127": (
        "pytest: not found"
    ),
    "make: *** No rule to make target 'tset'.  Stop.": "make: no target tset",
    "make: *** No targets specified and no makefile found.  Stop.": (
        "make: No targets specified and no makefile found"
    ),
    'npm error Missing script: "tset"': "npm: no script tset",
    "/usr/bin/python3: No module named pytest": "python: no module pytest",
    "python: can't open file '/home/ada/run.py': [Errno 2] No such file": (
        "python: no file /home/ada/run.py"
    ),
    "sh: ./run: Permission denied": "./run: not allowed to run",
    "sh: 1: ./run: bad interpreter: No such file or directory": "./run: bad interpreter",
    "error: no such command: `nextst`": "cargo: no command nextst",
    "error: could not find `Cargo.toml` in `/home/ada`": "cargo: could not find `Cargo.toml`",
    "ERROR: file or directory not found: tests/nope": "pytest: no file tests/nope",
    "node:internal/modules/cjs/loader:1\nError: Cannot find module '/home/ada/x.js'\n"
    "  requireStack: []": "node: no file /home/ada/x.js",
    "error: Failed to spawn: `pytest`": "pytest: not found",
    'error Command "mocha" not found.': "mocha: not found",
    "nox > Program pytest not found.": "pytest: not found",
    "sh: line 1: cd: nope: No such file or directory": "cd: no folder nope",
    "sh: -c: line 1: syntax error near unexpected token `('": (
        "syntax error near unexpected token `('"
    ),
}


@pytest.mark.parametrize("text", FAULTS)
def test_why_a_command_could_not_begin_is_said_in_few_words(text: str) -> None:
    assert read_report(f"{text}\n").fault == FAULTS[text]


@pytest.mark.parametrize("text", list(FAULTS)[:6])
def test_where_tests_ran_such_a_line_is_what_one_of_them_is_about(text: str) -> None:
    if "Error 127" in text:
        return
    assert read_report(f"{text}\n\n===== 4 passed in 0.01s =====\n").fault == ""
