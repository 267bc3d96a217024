"""The reporter of node --test for people, also as borp prints it; its TAP is read in `tap`."""

from __future__ import annotations

import re

from podium.proof.session import Reader, Session

_TOTAL = re.compile(r"ℹ (tests|pass|fail|cancelled|skipped|todo) (\d{1,9})$")
_TEST = re.compile(r"( *)([✔✖▶﹣⚠]) (.+?)(?: \((?:\d+\.)?\d+ms\))?( # .*)?$")
_TIMED = re.compile(r" *[✔✖▶﹣] .+ \(\d+\.\d+ms\)(?: # .*)?$")
_LIST = re.compile(r"✖ failing tests:$")
_PLACE = re.compile(r"test at (?:file://)?(.+):\d+:\d+$")
_LAST = "todo"
_LIMIT = 60


class NodeReader(Reader):
    name = "node"
    marks = ("\nℹ tests ", "\nℹ pass ", "ms)\n")
    gate = re.compile(r"ℹ | *[✔✖▶﹣⚠] |test at ")

    def __init__(self) -> None:
        super().__init__()
        self._start()

    def _start(self) -> None:
        self.suites: dict[int, str] = {}
        self.failures: list[tuple[str, str]] = []
        """(name, name with its suites) of what failed and is no suite of another failure."""
        self.broken: list[int] = []
        """Indents of failures that the suite around them has not summed up yet."""
        self.listing = False
        """Whether the list of failures at the end is being printed."""
        self.place = ""
        self.listed: list[tuple[str, str]] = []

    def begin(self) -> Session:
        self.close()
        self._start()
        return super().begin()

    def read(self, line: str) -> None:
        if match := _TOTAL.match(line):
            self._total(match[1], int(match[2]))
        elif _LIST.match(line):
            self.listing = True
        elif match := _PLACE.match(line):
            self.listing, self.place = True, match[1]
        elif self.listing and line.startswith("✖"):
            self._list(line)
        elif (self.sessions and self.latest.begun) or _TIMED.match(line):
            self._test(line)

    def close(self) -> None:
        """Names come with their suites while tests run and with their files in the list at the end,
        in the same order.
        """
        if not self.sessions:
            return
        session = self.latest
        paired = [name for name, _ in self.failures] == [name for name, _ in self.listed]
        if paired:
            for (_, whole), (_, path) in zip(self.failures, self.listed, strict=True):
                session.name(f"{path} > {whole}" if path and path != whole else whole)
            return
        for name, path in self.listed:
            session.name(f"{path} > {name}" if path else name)
        if not self.listed:
            for _, whole in self.failures:
                session.name(whole)

    def _test(self, line: str) -> None:
        match = _TEST.match(line)
        if not match:
            return
        if self.listing and line.startswith(" "):
            return
        session = self.session
        session.begun = True
        indent, sign, title = len(match[1]), match[2], match[3]
        if sign == "▶":
            self.suites = {at: name for at, name in self.suites.items() if at < indent}
            if len(self.suites) < _LIMIT:
                self.suites[indent] = title
        elif sign == "✖" and not match[4]:
            if self.broken and self.broken[-1] > indent and self.suites.get(indent) == title:
                session.covered += 1
            else:
                around = [self.suites[at] for at in sorted(self.suites) if at < indent]
                self.failures.append((title, " > ".join([*around, title])))
            self.broken = [*(at for at in self.broken if at < indent), indent]
        elif sign != "✖":
            self.broken = [at for at in self.broken if at <= indent]

    def _list(self, line: str) -> None:
        match = _TEST.match(line)
        if match and not match[4]:
            self.listed.append((match[3], self.place))
        self.place = ""

    def _total(self, kind: str, number: int) -> None:
        session = self.session if kind == "tests" else self.latest
        session.begun = session.counted = True
        if kind == "tests":
            session.empty = not number
        else:
            words = {"pass": "passed", "fail": "failed", "cancelled": "failed"}
            session.counts[words.get(kind, "skipped")] += number
        session.ended = kind == _LAST or session.ended
