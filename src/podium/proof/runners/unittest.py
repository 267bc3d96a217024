"""Python's unittest and what prints like it: nose, nose2, Django, trial."""

from __future__ import annotations

import re

from podium.proof.session import Reader, tally

_RULE = re.compile(r"={20,}$")
_NAMED = re.compile(r"(FAIL|ERROR|UNEXPECTED SUCCESS): (\S.*)$")
_ID = re.compile(r"(\S+) \((\S+)\)(.*)$")
_RAN = re.compile(r"Ran (\d{1,9}) tests? in \d")
_RESULT = re.compile(r"(OK|FAILED|PASSED|NO TESTS RAN)(?: \((.*)\))?$")
_LIVE = re.compile(
    r" *\w+ \([\w.<>]*\.[\w<>]+\).* \.\.\. (ok|FAIL|ERROR|skipped .*|expected failure|)$"
)
_WHOLE = ("setUpClass", "tearDownClass", "setUpModule", "tearDownModule", "_ErrorHolder")
_UNLOADED = ("_FailedTest", "ModuleImportFailure", "LoadTestsFailure")


class UnittestReader(Reader):
    name = "unittest"
    marks = ("\nRan ", ") ... ok\n", ") ... FAIL\n", ") ... ERROR\n")
    gate = re.compile(r"={20}|FAIL|ERROR|UNEXPECTED|Ran \d|OK|NO TESTS|PASSED|.* \.\.\. ")

    def __init__(self) -> None:
        super().__init__()
        self.ran: int | None = None
        self.bad = 0

    def read(self, line: str) -> None:
        after_rule, self.wants_next = self.wants_next, False
        if _RULE.match(line):
            self.wants_next = True
        elif after_rule and (match := _NAMED.match(line)):
            self._named(match[2])
        elif match := _LIVE.match(line):
            self.session.begun = True
            self.bad += match[1] in {"FAIL", "ERROR"}
        elif match := _RAN.match(line):
            self.session.begun = True
            self.ran = int(match[1])
        elif self.ran is not None and (match := _RESULT.match(line)):
            self._result(match[1], match[2] or "")

    def _named(self, text: str) -> None:
        session = self.session
        session.begun = True
        match = _ID.match(text)
        if not match:
            session.name(text, coarse=True)
            return
        test, where, rest = match.groups()
        if any(word in where for word in _UNLOADED):
            session.name(test, coarse=True)
        elif test in _WHOLE:
            session.name(f"{where}.{test}", coarse=True)
        else:
            path = where if where.rpartition(".")[2] == test else f"{where}.{test}"
            session.name(path + rest)

    def _result(self, word: str, details: str) -> None:
        session = self.session
        counts = tally(details.replace("=", ": "))
        session.add(counts)
        bad = counts["failed"]
        if "passed" not in counts or word != "PASSED":
            rest = (self.ran or 0) - bad - counts["skipped"]
            session.counts["passed"] = max(0, rest)
        session.least = max(self.bad, int(word == "FAILED"))
        session.empty = self.ran == 0
        session.ended, self.ran, self.bad = True, None, 0
