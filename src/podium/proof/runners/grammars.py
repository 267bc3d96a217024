"""Runners whose output needs no more than expressions."""

from __future__ import annotations

from podium.proof.grammar import Grammar

_N = r"\d{1,9}"
_SCRIPT = r"(?:\S+ )?\S+\.(?:[cm]?[jt]sx?|vue|svelte)"

JAVASCRIPT = (
    Grammar(
        name="jest",
        marks=("\nTest Suites: ", "\nNo tests found", "\nPASS ", "\nFAIL "),
        unless=("\n RUN  v",),
        begins=rf" ?(?:FAIL|PASS) {{1,2}}{_SCRIPT}(?: \(|$)",
        heading=rf" ?FAIL {{1,2}}(?P<id>{_SCRIPT})(?: \([\d.]+ m?s\))?$",
        closing=r" ?PASS {1,2}\S",
        failing=(r"  ● (?:(?P<coarse>Test suite failed to run)|(?P<id>\S.*))$",),
        again=r"Summary of all failing tests$",
        summary=(rf"Tests: +(?P<counts>.*{_N} total)$",),
        ends=r"Tests: +.*total$",
        empty=r"No tests found(?:,| related)",
        parts=rf"Test Suites: (?P<counts>.*), (?:{_N} of )?(?P<of>{_N}) total$",
    ),
    Grammar(
        name="vitest",
        marks=("\n RUN  v", " Test Files  ", "\nNo test files found"),
        begins=r" RUN  v\d",
        failing=(r" FAIL {2}(?:\|(?P<file>[^|]+)\| )?(?:(?P<coarse>\S+) \[ .* \]|(?P<id>\S.*))$",),
        summary=(
            rf" +Tests {{2}}(?P<counts>{_N} .*)\(\d+\)",
            rf" +(?:Type )?Errors {{2}}(?P<counts>{_N} errors?)",
        ),
        parts=rf" +Test Files {{2}}(?P<counts>.*) \((?P<of>{_N})\)$",
        after=True,
        repeats=True,
        ends=r" +(?:Start at|Duration) ",
        empty=r"No test files found| +Tests {2}no tests$",
    ),
    Grammar(
        name="ava",
        marks=(
            "✘ [fail]: ",
            " tests passed",
            " test passed",
            " tests failed",
            " test failed",
            "  ✘ ",
        ),
        unless=("\nℹ tests ",),
        begins=r"  ✘ \[fail\]: ",
        weak=True,
        passing=r"  ✔ ",
        failing=(
            (
                r"  [✘✖] (?:(?P<coarse>\S+ exited .*|No tests found in .*)"
                r"|(?!Based on|Couldn)(?:\[fail\]: )?(?P<id>\S.*))$"
            ),
        ),
        summary=(
            (
                rf" {{2}}(?P<counts>{_N} (?:tests? (?:passed|failed|skipped|todo)|known failures?"
                r"|uncaught exceptions?|unhandled rejections?))$"
            ),
        ),
        scattered=True,
        empty=r"  [✘✖] (?:Based on your configuration|Couldn.t find any (?:files|tests))",
        stopped=r" +(?P<why>`--fail-fast` is on\. At least \d+ tests? w.*)$",
    ),
    Grammar(
        name="jasmine",
        marks=(" specs, ", " spec, "),
        heading=r"Failures:$",
        closing=r"Pending:$",
        failing=(r"\d{1,6}\) (?P<id>\S.*)$",),
        summary=(rf"(?P<counts>{_N} specs?, {_N} failures?.*)$",),
        empty=r"No specs found",
        stopped=rf"(?P<why>Ran {_N} of {_N} specs)|Incomplete: ",
    ),
    Grammar(
        name="uvu",
        marks=("\n  Total:  ",),
        heading=r"(?P<id>\S+\.[cm]?[jt]sx?)$",
        failing=(r"   FAIL  (?P<id>.+)$",),
        summary=(
            rf"  Total: +(?P<total>{_N})$",
            rf"  Passed: +(?P<passed>{_N})$",
            rf"  Skipped: +(?P<skipped>{_N})$",
        ),
        ends=r"  Duration: ",
    ),
    Grammar(
        name="lab",
        marks=("\nTest duration: ",),
        failing=(r"  \d{1,6}\) (?P<id>\S.*):$",),
        summary=(
            rf"(?P<failed>{_N}) of (?P<total>{_N}) tests failed(?: \((?P<skipped>{_N}) skipped\))?",
            rf"(?P<passed>{_N}) tests? passed(?: \((?P<skipped>{_N}) skipped\))?$",
        ),
        ends=r"Test duration: ",
    ),
    Grammar(
        name="tap",
        marks=("\nAsserts:  ",),
        heading=r" FAIL {2}(?P<id>\S+) \d.* \d+m?s$",
        closing=r" PASS {2}\S",
        again=r".*TEST COMPLETE",
        failing=(r"✖ (?P<id>.+?)(?: \S+:\d+:\d+)?$",),
        summary=(r"Asserts: +(?P<counts>\d.*) \d+ of \d+ complete$",),
    ),
    Grammar(
        name="bun",
        marks=("\nbun test v", "\nRan "),
        heading=r"(?P<id>\S+\.[cm]?[jt]sx?):$",
        begins=r"bun test v|\((?:pass|fail)\) ",
        failing=(r"\(fail\) (?P<id>.+?)(?: \[[\d.]+m?s\])?$",),
        again=rf"{_N} tests failed:$",
        summary=(rf" (?P<counts>{_N} (?:pass|fail|skip|todo|filtered out|errors?))$",),
        ends=rf"Ran {_N} tests? across",
        empty=r"The following filters did not match|No tests found!|error: .*0 test files",
    ),
    Grammar(
        name="deno",
        marks=("\nok | ", "\nFAILED | ", "No test modules found"),
        planned=rf"running (?P<of>{_N}) tests? from ",
        heading=r" FAILURES ?$",
        failing=(
            r"(?P<id>\S.*) => (?P<file>\S+?)(?::\d+){1,2}$",
            r"(?P<coarse>\S+ \(uncaught error\))$",
        ),
        summary=(r"(?:ok|FAILED) \| (?P<counts>\d.*) \([^()]*\)$",),
        empty=r"error: No test modules found",
    ),
    Grammar(
        name="playwright",
        marks=("\nRunning ",),
        planned=rf"Running (?P<of>{_N}) tests? using {_N} worker",
        heading=rf"  {_N} failed$",
        closing=rf"  {_N} (?!failed)",
        failing=(r" {4}(?:\[[\w -]+\] › )?(?P<file>\S+?):\d+:\d+ › (?P<id>.*?)[ ─]*$",),
        summary=(rf"  (?P<counts>{_N} (?:passed|failed|flaky|skipped|interrupted))\b",),
        stopped=rf"  (?P<why>{_N} did not run)",
        scattered=True,
    ),
)

NATIVE = (
    Grammar(
        name="ctest",
        marks=("% tests passed, ", "\nTest project ", "No tests were found!!!", "No test config"),
        begins=r"Test project ",
        failing=(
            r" *\d+/\d+ Test +#\d+: (?P<id>\S+) [ .]*\*\*\*(?!Skipped|Not Run \(Disabled)",
            r"\s+\d+ - (?P<id>\S.*) \((?!Skipped|Disabled|Not Run \(Disabled)[^()]+\)$",
        ),
        summary=(
            rf"\d+% tests passed, (?P<failed>{_N}) tests? failed out of (?P<total>{_N})",
            r"\s+\d+ - \S.* \((?P<skip>Skipped)\)$",
        ),
        each=rf" *{_N}/(?P<of>{_N}) Test +#",
        scattered=True,
        empty=r"No tests were found!!!|No test configuration file found!",
        coarse=True,
    ),
    Grammar(
        name="gtest",
        marks=("\n[==========] ",),
        planned=rf"\[==========\] Running (?P<of>{_N}) tests?",
        failing=(
            r"\[  FAILED  \] (?P<id>\S+)(?:, where .*)? \(\d+ ms\)$",
            r"\[  FAILED  \] (?P<id>[^\s,]+)(?:, where .*)?$",
        ),
        summary=(
            rf"\[  PASSED  \] (?P<passed>{_N}) tests?\.",
            rf"\[  SKIPPED \] (?P<skipped>{_N}) tests?",
            rf"\[  FAILED  \] (?P<failed>{_N}) tests?, listed below",
        ),
        scattered=True,
    ),
    Grammar(
        name="meson",
        marks=("\nOk:  ",),
        each=rf" *{_N}/(?P<of>{_N}) \S",
        failing=(r" *\d+/\d+ (?P<id>\S.*?) +(?:FAIL|TIMEOUT|ERROR|UNEXPECTEDPASS|INTERRUPT) ",),
        summary=(
            rf"(?P<counts>(?:Ok|Fail|Expected Fail|Unexpected Pass|Skipped|Timeout): +{_N})\b",
        ),
        scattered=True,
        coarse=True,
    ),
    Grammar(
        name="bats",
        marks=("\n ✓ ", "\n ✗ "),
        failing=(r" ✗ (?P<id>.+?)(?: \[\d+\])?$",),
        summary=(rf"(?P<counts>{_N} tests?, {_N} failures?.*)$",),
    ),
    Grammar(
        name="nextest",
        marks=("\n     Summary [", "Nextest run ID", "error: no tests to run"),
        planned=rf" +Starting (?P<of>{_N}) tests? across",
        heading=r" +Summary \[",
        failing=(
            (
                r" +(?:TRY \d+ )?(?:FAIL|ABORT|TIMEOUT|SIG\w+|EXEC FAIL|LEAK-FAIL|XFAIL) "
                r"\[[^\]]*\] (?:\( *\d+/\d+\) )?(?P<id>\S.*)$"
            ),
        ),
        summary=(rf" +Summary \[[^\]]*\] {_N}(?:/{_N})? tests? run: (?P<counts>\d.*)$",),
        scattered=True,
        empty=r"error: no tests to run",
        stopped=rf" +Summary \[[^\]]*\] (?P<why>{_N}/{_N} tests?) run",
        absorbs=("cargo",),
    ),
)

OTHERS = (
    Grammar(
        name="rspec",
        after=True,
        marks=(" examples, ", " example, ", "No examples found."),
        failing=(
            r"rspec '?(?:\./)?(?P<file>[^\s:\['][^:\[']*)(?::\d+|\[[\d:]+\])'? # (?P<id>\S.*)$",
            r"An error occurred while loading (?:\./)?(?P<coarse>\S+?)\.(?: .*)?$",
        ),
        summary=(rf"(?P<counts>{_N} examples?, {_N} failures?.*)$",),
        empty=r"All examples were filtered out",
        stopped=rf"{_N} examples?, .*(?P<why>\d+ errors? occurred outside of examples)",
    ),
    Grammar(
        name="minitest",
        marks=(" assertions, ",),
        begins=r"# Running:$",
        heading=r" *(?:\d+\) )?(?:Failure|Error):$",
        closing=r" *\d+\) Skipped:$",
        once=True,
        failing=(r"(?P<id>[\w:]+#\S.*?)(?: \[.+:\d+\])?:$",),
        summary=(rf"(?P<counts>{_N} (?:runs|tests), {_N} assertions, .* skips)$",),
    ),
    Grammar(
        name="test-unit",
        marks=(" pendings, ",),
        begins=r"Loaded suite ",
        failing=(r"(?:Failure|Error): (?P<id>\S+?\([\w:]+\))",),
        summary=(rf"(?P<counts>{_N} tests, {_N} assertions, .*) notifications$",),
    ),
    Grammar(
        name="phpunit",
        marks=("\nPHPUnit ", "No tests executed!"),
        begins=r"PHPUnit \d",
        heading=r"There (?:was|were) \d+ (?:failure|error)",
        closing=r"There (?:was|were) \d+ (?!failure|error)",
        failing=(r"\d{1,6}\) (?P<id>\S+::.+)$",),
        summary=(rf"OK \((?P<counts>{_N} tests?), ", r"(?P<counts>Tests: \d.*)\.$"),
        empty=r"No tests executed!",
    ),
    Grammar(
        name="surefire",
        marks=("Tests run: ", "No tests to run."),
        begins=r"(?:\[INFO\] )?Running [\w.$]+$",
        failing=(
            r"(?:\[ERROR\] )?(?P<id>[\w.$]+(?:\([\w.$]+\)|\.[\w$]+)\S*) .*<<< (?:FAILURE|ERROR)!$",
        ),
        summary=(
            (
                rf"(?:\[\w+\] )?(?P<counts>Tests run: {_N}, Failures: {_N}, Errors: {_N},"
                rf" Skipped: {_N}(?:, Flakes: {_N})?)$"
            ),
        ),
        empty=r"(?:\[INFO\] )?No tests to run\.$",
        stopped=r"\[INFO\] (?P<why>\S.*?) \.* ?SKIPPED$",
    ),
    Grammar(
        name="gradle",
        marks=("\n> Task :", " tests completed", " test completed"),
        begins=r"> Task :\S*[tT]est\b(?! NO-SOURCE| SKIPPED)",
        failing=(r"(?P<id>\S.* > \S.*) FAILED$",),
        summary=(rf"(?P<counts>{_N} tests? completed.*)$",),
        ends=r"BUILD (?:SUCCESSFUL|FAILED)",
    ),
    Grammar(
        name="dotnet",
        marks=(
            "! - Failed: ",
            "!  - Failed: ",
            "\nTotal tests: ",
            "\nTest summary: ",
            "No test is avail",
        ),
        begins=r"Starting test execution",
        failing=(r" +(?:Failed|\[FAIL\]) (?P<id>\S.*?) \[[^\]]+\]$",),
        summary=(
            r" *(?:Passed|Failed|Skipped)! +- (?P<counts>Failed: +\d.*), Duration",
            rf"Total tests: +(?P<total>{_N})$",
            rf" +(?P<counts>(?:Passed|Failed|Skipped): +{_N})$",
            rf"Test summary: (?P<counts>total: +{_N}, .*)$",
        ),
        scattered=True,
        empty=r".*No test is available in ",
    ),
    Grammar(
        name="busted",
        after=True,
        marks=(" success / ", " successes / "),
        failing=(r"(?P<coarse>(?:Failure|Error) -> \S.*?)(?: @ \d+)?$",),
        summary=(
            rf"(?P<counts>{_N} success(?:es)? / {_N} failures? / {_N} errors? / {_N} pending)",
        ),
        coarse=True,
    ),
    Grammar(
        name="exunit",
        marks=("s async, ", "\nRunning ExUnit with seed", " doctests, "),
        failing=(r"  \d{1,6}\) (?P<id>\S.* \([\w.]+\))$",),
        summary=(
            (
                rf"(?P<counts>(?:{_N} (?:doctests?|properties), )*{_N} tests?, {_N} failures?"
                rf"(?:, {_N} (?:excluded|invalid|skipped))*)$"
            ),
        ),
    ),
    Grammar(
        name="doctest",
        marks=("***Test Failed***", " items had failures:", " passed all tests:"),
        failing=(r"File \"(?P<file>[^\"]+)\", line \d+, in (?P<id>\S+)$",),
        summary=(
            rf"\*\*\*Test Failed\*\*\* (?P<counts>{_N} failures?)",
            rf"(?P<passed>{_N}) passed(?: and \d+ failed)?\.$",
        ),
        scattered=True,
        coarse=True,
    ),
)

GRAMMARS = (*JAVASCRIPT, *NATIVE, *OTHERS)
