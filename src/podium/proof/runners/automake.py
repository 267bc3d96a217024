"""automake's `make check`, and hand-written suites that print `PASS: name` and `FAIL: name`."""

from __future__ import annotations

import re
from collections import Counter

from podium.proof.session import Reader

_RESULT = re.compile(r"(PASS|FAIL|SKIP|XFAIL|XPASS|ERROR): (\S.*)$")
_TOTAL = re.compile(r"# (TOTAL|PASS|FAIL|SKIP|XFAIL|XPASS|ERROR): +(\d{1,9})$")
_SERIAL = re.compile(
    r"(?:All )?(\d{1,9})(?: of (\d{1,9}))? tests? (passed|failed|behaved as expected)"
)
_TAP_TEST = re.compile(r"(\S+) \d+ (?:- )?(\S.*)$")
_UNDERLINE = re.compile(r"={4,}$")
_KINDS = {"PASS": "passed", "SKIP": "skipped", "XFAIL": "skipped"}
_BAD = frozenset({"FAIL", "XPASS", "ERROR"})


class AutomakeReader(Reader):
    name = "automake"
    marks = ("\nPASS: ", "\n# TOTAL: ", "\nTestsuite summary", " tests passed\n", " tests failed\n")
    gate = re.compile(
        r"(?:PASS|FAIL|SKIP|XFAIL|XPASS|ERROR): |# [A-Z]+: |(?:All )?\d+ (?:of \d+ )?tests? "
    )

    def __init__(self) -> None:
        super().__init__()
        self.lines: Counter[str] = Counter()
        self.bad = False
        """Whether the line before named a failure."""

    def applies(self, text: str) -> bool:
        other = "\nRan " in text or "\nTest duration: " in text
        return not other and super().applies(text)

    def read(self, line: str) -> None:
        after_failure, self.bad, self.wants_next = self.bad, False, False
        if after_failure and _UNDERLINE.match(line):
            # A heading of the log that follows the results: the failure was named before.
            self.session.move(1)
            self.lines["failed"] -= 1
        elif match := _RESULT.match(line):
            self._result(match[1], match[2])
        elif match := _TOTAL.match(line):
            self._total(match[1], int(match[2]))
        elif match := _SERIAL.match(line):
            self._serial(int(match[1]), failed=match[3] == "failed")

    def close(self) -> None:
        if self.sessions and not self.latest.ended:
            self._count()

    def _result(self, word: str, name: str) -> None:
        session = self.session
        session.counted = True
        if word not in _BAD:
            self.lines[_KINDS[word]] += 1
            return
        self.lines["failed"] += 1
        self.bad = self.wants_next = True
        match = _TAP_TEST.match(name)
        session.name(f"{match[1]} > {match[2]}" if match else name, coarse=not match)

    def _serial(self, number: int, *, failed: bool) -> None:
        self.session.counted = True
        if failed:
            self.session.least = max(self.session.least, number)
        else:
            self.lines["passed"] = max(self.lines["passed"], number)

    def _total(self, word: str, number: int) -> None:
        if word == "TOTAL":
            if self.sessions and self.latest.counts["total"]:
                self._count()
                self.latest.ended = True
            self.session.begun = self.session.counted = True
            self.session.counts["total"] = number
            self.session.empty = not number
        elif self.sessions:
            self.latest.counts["failed" if word in _BAD else _KINDS[word]] += number
        if word == "ERROR" and self.sessions:
            self._count()

    def _count(self) -> None:
        session = self.latest
        if not session.counts["total"] and not session.empty:
            session.counts.update(self.lines)
        session.least = max(session.least, self.lines["failed"])
        session.ended, self.lines = True, Counter()
