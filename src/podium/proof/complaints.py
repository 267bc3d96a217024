"""The lines of an output that say what is wrong, in a form that is the same in the next run."""

from __future__ import annotations

import re
from collections.abc import Iterator

from podium.proof.output import lines, printable

LIMIT = 5000
"""With more complaints than that, two outputs are never the same."""
_WIDTH = 500

_WORD = re.compile(
    r".*(?:\b(?:errors?|fail(?:s|ed|ures?|ing)?|assert\w*|exceptions?|traceback|panic(?:ked)?|fatal"
    r"|abort\w*|undefined|cannot|can't|unable|expected|actual|received|got|left|right|wrong"
    r"|mismatch|not (?:ok|found)|no such|invalid|missing|denied|unexpected|thresholds?|refused"
    r"|leak\w*|timed? ?out|segmentation|signal|did not|does not|instead|diff\w*|warnings?)\b"
    r"|[✗✕✖✘❌×●]|!=|\w(?:Error|Exception)\b)",
    re.IGNORECASE,
)
_PLACE = re.compile(r"\s*(?:at |File \"|-->|❯ )?\S*[\w/]\.\w{1,8}[\"')]?(?:, line |:)\d+")
_MARKED = re.compile(r"(?:E  |>  |[-+] |#  )\s*\S")
_OPENS = re.compile(
    r"---- .+ stdout ----$|.*\*\*\*(?:Failed|Exception|Timeout|Not Run)|(?:FAIL|ERROR|XPASS): \S"
    r"|_+ ERROR collecting |  ● Test suite failed to run|\s*not ok\b| FAIL  "
    r"|An error occurred while loading"
)
_CLOSES = re.compile(
    r"\s*Start +\d+: | *\d+/\d+ Test +#|(?:PASS|SKIP|XFAIL): |\s*ok\b|test result: |failures:$"
    r"|={5,}|PASS |\d+% tests passed|# TOTAL|Making |make(?:\[\d+\])?: "
)
_FORMAL = re.compile(
    r"\s*$|[-=_*~⎯─]{3,}[^\w]*$|={3,}.*={3,}$|_{3,}.*_{3,}$"
    r"| *\d+/\d+ Test +#|The following tests|\s+\d+ - .*\([\w ]+\)$|\d+% tests passed"
    r"|Errors while running CTest|Output from these tests are in|Use \"--rerun-failed"
    r"|make(?:\[\d+\])?: |npm (?:ERR!|error|warn)|error Command failed| ?ELIFECYCLE|ERR_PNPM"
    r"|(?:PASS|FAIL|ERROR|XPASS|SKIP|XFAIL)(?:ED)?:? \S+$|# [A-Z]+: +\d+$|Testsuite summary|See \S+"
    r"|FAIL\b.*\d\.\d+s$|FAIL$|(?:FAILED|ERROR) \S+$|not ok\b|failures:$|    \S+$|test .* FAILED$"
    r"|test result: |error: (?:test failed|\d+ targets? failed)|Files=|Result: |Failed \d+/\d+"
    r"|\S+ +\(Wstat|.*\d+ (?:passed|failed|errors?).* in \d|  Non-zero exit|Test Summary Report"
    r"|Dubious, test returned|Tests: |Test Suites: |Snapshots: |  ● Test suite failed|FAIL \S+$"
    r"|Ran |# Looks like"
)
_TEST_PLACE = re.compile(
    r"(?:^|[\s\"'(/])(?:\S*/)?(?:tests?|specs?|t|__tests__|testing)/|\btest_|[_.-](?:test|spec)s?\."
)
_VOLATILE = (
    (re.compile(r"\d{4}-\d\d-\d\d[T_ ]\d\d[:_]\d\d[:_]\d\d[\d.:_+Z-]*"), "TIME"),
    (re.compile(r"\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b"), "TIME"),
    (re.compile(r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b"), "UUID"),
    (re.compile(r"0x[0-9a-fA-F]+"), "0x"),
    (
        re.compile(r"(?:/private)?(?:/var/tmp|/tmp|/dev/shm|/var/folders/\w+/\w+/T)/[^/\s'\")]+"),
        "/TMP",
    ),
    (re.compile(r"pytest-\d+\b"), "pytest-N"),
    (re.compile(r"-[0-9a-f]{16}\b"), "-HASH"),
    (
        re.compile(r"(?<![\w.])\d+(?:\.\d+)?\s?(?:ns|µs|us|ms|s|secs?|seconds?|m|min|minutes?)\b"),
        "DURATION",
    ),
    (re.compile(r"((?:127\.0\.0\.1|localhost|\[::1?\]|0\.0\.0\.0):)\d+"), r"\1PORT"),
    (re.compile(r"\b([Pp][Ii][Dd][ =:]+|[Ss]eed[ =:]+|==)\d+"), r"\1N"),
    (re.compile(r"(thread '[^']*' \()\d+"), r"\1N"),
)
_LINE_NUMBER = re.compile(r"(?<=[\w\"')])(?::\d+){1,2}\b|(\bline )\d+")


def complaints(text: str, folder: str = "") -> tuple[str, ...]:
    """The complaints of a plain output, sorted; () if there are none or too many to compare."""
    kept: list[str] = []
    for line in _complaining(text):
        kept.append(normal(line, folder))
        if len(kept) > LIMIT:
            return ()
    return tuple(sorted(kept))


def _complaining(text: str) -> Iterator[str]:
    inside = False
    for line in lines(text):
        if _OPENS.match(line):
            inside = True
        elif inside and _CLOSES.match(line):
            inside = False
        if _FORMAL.match(line):
            continue
        if inside or _MARKED.match(line) or _WORD.match(line) or _PLACE.match(line):
            yield line


def normal(line: str, folder: str = "") -> str:
    """A line without times, addresses and temporary folders. The numbers of lines go too, except in
    tests: there two places are two complaints.
    """
    line = printable(line)[:_WIDTH]
    if folder:
        line = line.replace(folder.rstrip("/") + "/", "")
    for expression, instead in _VOLATILE:
        line = expression.sub(instead, line)
    if not _TEST_PLACE.search(line):
        line = _LINE_NUMBER.sub(lambda match: match[1] or "", line)
    return " ".join(line.split())
