"""go test: plain, verbose and as JSON."""

from __future__ import annotations

import json
import re

from podium.proof.session import Reader, Session

_PASSED = re.compile(r"ok  \t(\S+)\t(.*)$")
_FAILED = re.compile(r"FAIL\t(\S+)(?:\t| )(.*)$")
_NO_FILES = re.compile(r"(?:\?   )?\t?(\S+)\t+\[no test files\]$")
_TEST = re.compile(r" *--- (FAIL|PASS|SKIP): (\S+)")
_RUN = re.compile(r"=== RUN +(\S+)$")
_NO_MATCH = re.compile(r"go: warning: \".*\" matched no packages$|no packages to test$")


class GoReader(Reader):
    name = "go"
    marks = (
        "\nok  \t",
        "\nFAIL\t",
        "\n--- FAIL: ",
        "\n--- PASS: ",
        "\n=== RUN ",
        "[no test files]",
        "no packages to test",
        "matched no packages",
        '"Action":"',
    )
    gate = re.compile(
        r"ok  \t|FAIL\t|\?   \t|\t\S+\t| *--- |=== RUN|panic: |\{\"|go: warning|no packages"
    )

    def __init__(self) -> None:
        super().__init__()
        self.tests: list[str] = []
        """Failed tests whose package is not known yet."""
        self.green: set[str] = set()
        self.red: set[str] = set()
        self.named: set[str] = set()
        """Packages of which a failed test is named."""
        self.running = 0
        """Tests that said that they run, in a package that said nothing yet."""
        self.verbose = False
        self.panic = False

    def read(self, line: str) -> None:
        if line.startswith("{"):
            self._event(line)
        elif match := _TEST.match(line):
            self._test(match[1], match[2])
        elif match := _RUN.match(line):
            self._begun().counted = True
            self.running += 1
        elif match := _PASSED.match(line):
            self._package(match[1], good=True, tests="[no tests to run]" not in match[2])
        elif match := _FAILED.match(line):
            self._package(match[1], good=False, tests=True)
        elif line.startswith("panic: "):
            self.panic = True
        elif _NO_FILES.match(line) or _NO_MATCH.match(line):
            self._begun()

    def close(self) -> None:
        if not self.sessions:
            return
        session = self.latest
        for test in self.tests:
            session.name(test)
        session.ended = not (self.tests or self.running)
        if not self.verbose:
            session.counts["passed"] = len(self.green - self.red)
        session.counted = session.counted or bool(self.green or self.red or session.failing)
        session.empty = not session.counted

    def _begun(self) -> Session:
        session = self.latest
        session.begun = True
        return session

    def _test(self, word: str, name: str) -> None:
        session = self._begun()
        if word == "FAIL":
            self.tests.append(name)
        elif word == "PASS":
            self.verbose = True
            session.counts["passed"] += 1
        else:
            session.counts["skipped"] += 1
            self.verbose = True

    def _package(self, name: str, *, good: bool, tests: bool) -> None:
        session = self._begun()
        for test in self.tests:
            session.name(f"{name}.{test}")
        if not good:
            self.red.add(name)
            if not self.tests:
                session.name(name, coarse=True)
            if self.panic:
                session.stopped = f"a test of {name} panicked"
        elif tests:
            self.green.add(name)
        self.tests, self.running, self.panic = [], 0, False

    def _event(self, line: str) -> None:
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            return
        if not isinstance(event, dict):
            return
        action, package, test = (event.get(key) for key in ("Action", "Package", "Test"))
        if not (isinstance(action, str) and isinstance(package, str)):
            return
        if action == "output" and str(event.get("Output", "")).startswith("panic: "):
            self.panic = True
        elif isinstance(test, str):
            self._test_event(action, package, test)
        elif action in {"pass", "fail"}:
            self.panic = self.panic and action == "fail"
            self._json_package(package, good=action == "pass")

    def _test_event(self, action: str, package: str, test: str) -> None:
        session = self._begun()
        if action == "run":
            self.running += 1
        elif action == "fail":
            self.named.add(package)
            session.name(f"{package}.{test}")
        elif action in {"pass", "skip"}:
            self.verbose = session.counted = True
            session.counts["passed" if action == "pass" else "skipped"] += 1

    def _json_package(self, package: str, *, good: bool) -> None:
        session = self._begun()
        self.running, panic, self.panic = 0, self.panic, False
        if good:
            self.green.add(package)
            return
        self.red.add(package)
        if package not in self.named:
            session.name(package, coarse=True)
        if panic:
            session.stopped = f"a test of {package} panicked"
