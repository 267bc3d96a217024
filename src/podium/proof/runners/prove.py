"""prove and Test::Harness (`make test` of Perl)."""

from __future__ import annotations

import re

from podium.proof.session import Reader, Session

_FILE = re.compile(r"(\S+\.t) \.{2,} ?(ok|skipped|Dubious|Failed|All|No|$)")
_SUMMARY = re.compile(r"(\S+) +\(Wstat: (\d+).{0,60}? Tests: (\d{1,9}) Failed: (\d{1,9})\)$")
_PROBLEM = re.compile(r"  (Parse errors|Non-zero exit status|Non-zero wait status): ")
_FILES = re.compile(r"Files=(\d{1,9}), Tests=(\d{1,9})\b")
_RESULT = re.compile(r"Result: (PASS|FAIL|NOTESTS)$")
_LESS = re.compile(r"\t\(less (\d{1,9}) skipped subtest")
_NAMED = re.compile(r"#   Failed test (?:'(.*)|at (.+) line \d+\.)$")
_AT = re.compile(r"#   at (.+) line \d+\.$")
_STOPPED = re.compile(r"FAILED--(.+)$")


class ProveReader(Reader):
    name = "prove"
    marks = ("\nFiles=", "\nTest Summary Report\n", ".t .. ", ".t ... ")
    gate = re.compile(r"\S+ +(?:\.{2,}|\(Wstat)|  \S|Files=|Result: |\t\(less|#   |FAILED--")
    absorbs = ("tap",)

    def __init__(self) -> None:
        super().__init__()
        self.reports: list[list[int | str]] = []
        """[file, failed tests, other problems] of the summary at the end."""
        self.names: dict[str, list[str]] = {}
        """Names of failed tests by file, from what they wrote to stderr."""
        self.title: str | None = None

    def read(self, line: str) -> None:
        if self.title is not None and (match := _AT.match(line)):
            self.names.setdefault(match[1], []).append(self.title)
            self.title = None
        elif match := _NAMED.match(line):
            self.title = match[1].removesuffix("'") if match[1] is not None else None
        elif match := _SUMMARY.match(line):
            self.reports.append([match[1], int(match[4]), int(match[2] != "0")])
        elif self.reports and _PROBLEM.match(line):
            self.reports[-1][2] = 2 if "Parse" in line else max(1, int(self.reports[-1][2]))
        elif match := _FILES.match(line):
            self._begun().counts["total"] += int(match[2])
        elif match := _RESULT.match(line):
            self._result(match[1])
        elif match := _LESS.match(line):
            self._begun().counts["skipped"] += int(match[1])
        elif match := _STOPPED.match(line):
            self._begun().stopped = match[1]
        elif match := _FILE.match(line):
            self._begun().counts["skipped"] += match[2] == "skipped"

    def _begun(self) -> Session:
        session = self.session
        session.begun = True
        return session

    def _result(self, word: str) -> None:
        session = self._begun()
        session.counted = session.ended = True
        session.empty = word == "NOTESTS"
        session.least = int(word == "FAIL")

    def close(self) -> None:
        if not self.sessions:
            return
        session = self.latest
        for file, failed, problem in self.reports:
            names = self.names.get(str(file), [])
            session.counts["failed"] += int(failed) or int(bool(problem))
            if int(failed) and len(names) == int(failed):
                for name in names:
                    session.name(f"{file} > {name}")
            elif int(failed) or problem:
                session.name(str(file), coarse=True)
                session.covered += max(0, int(failed) - 1)
            if problem == 2 and int(failed) and len(names) == int(failed):
                session.name(str(file), coarse=True)
        session.counts["passed"] = max(0, session.counts["total"] - session.counts["failed"])
