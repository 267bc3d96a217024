"""TAP of any version, with subtests: tape, tap, node --test, bats, Perl, ava, vitest, lab."""

from __future__ import annotations

import re

from podium.proof.session import Reader, Session

_RESULT = re.compile(r"( *)(not )?ok\b(?: +(\d{1,9}))?(?: +-)?(?: +(.*))?$")
_PLAN = re.compile(r"( *)1\.\.(\d{1,9})(?:\s*#.*)?$")
_VERSION = re.compile(r"TAP version \d+$")
_BAIL = re.compile(r" *Bail out!(.*)")
_SUBTEST = re.compile(r"( *)# Subtest(?:: (.*))?$")
_TRAILER = re.compile(r"# (tests|pass|fail|skip(?:ped)?|todo|cancelled|suites) +(\d{1,9})$")
_TOTALS = re.compile(r"# \{ total: \d+.*\}$")
_FAILS = re.compile(r"\bfail: (\d{1,9})")
_COMMENT = re.compile(r"# (\S.*)$")
_DIRECTIVE = re.compile(r"(?:^|(?<!\\)\s)#\s*(skip|todo)", re.IGNORECASE)
_TIME = re.compile(r"\s+# (?:time=|duration_ms).*$")
_PLACE = re.compile(
    r"\s+(?:at|location|file|fileName): (?:.{0,80}? \()?['\"]?(?:file://)?"
    r"([^'\"()>]{1,300}?)(?::\d{1,7}){0,2}['\")]{0,3}$"
)
_BATS = re.compile(r"# .{0,40}\bin test file (.+), line \d+\)$")
_BLOCK = re.compile(r" +---$")
_LIMIT = 60
"""Subtests inside subtests that are told apart."""


class TapReader(Reader):
    name = "tap"
    marks = ("\nTAP version 1", "\n1..")
    gate = re.compile(
        r" *(?:not )?ok\b| *1\.\.\d|TAP version| *Bail out!| *#| *\}|\s+(?:---|\.\.\.)$"
        r"|\s+(?:at|location|file)"
    )

    def __init__(self) -> None:
        super().__init__()
        self._start()

    def _start(self) -> None:
        self.plan: int | None = None
        self.results = 0
        """Results that are not in a subtest."""
        self.indent = -1
        """Of the latest result: a result further out is the sum of those before it."""
        self.broken: list[int] = []
        """Indents of failures that the result around them has not summed up yet."""
        self.subtests: dict[int, str] = {}
        self.comment = ""
        self.comments: bool | None = None
        """Whether comments name what follows, as in tape: then one stands before the first
        result.
        """
        self.placed = True
        """Whether the place of the latest failure is known."""
        self.braces: list[tuple[int, str, bool, int]] = []
        self.block = 0
        """Indent of a block of diagnostics; what is in it and looks like a result is none."""

    def begin(self) -> Session:
        self._start()
        return super().begin()

    def read(self, line: str) -> None:
        if self.block and self._in_block(line):
            if not self.placed and (match := _PLACE.match(line)):
                self._put(match[1])
        elif match := _RESULT.match(line):
            self._result(len(match[1]), bool(match[2]), match[3] or "", match[4] or "")
        elif match := _PLAN.match(line):
            if not match[1]:
                self._plan(int(match[2]), line)
        elif _VERSION.match(line):
            self._end_if_over(force=True)
            self._began()
        elif match := _BAIL.match(line):
            self._began().stopped = "Bail out!" + match[1]
        elif match := _SUBTEST.match(line):
            self._subtest(len(match[1]), match[2] or "")
        elif line.startswith("#"):
            self._remark(line)
        elif line.endswith("}") and self.braces and line.strip() == "}":
            self._close_brace(len(line) - 1)
        elif _BLOCK.match(line):
            self.block = len(line) - 3

    def _in_block(self, line: str) -> bool:
        """Whether a line belongs to the diagnostics; a line further out always ends them."""
        inside = not line.strip() or line.startswith(" " * self.block)
        if not inside or (line.endswith("...") and len(line) == self.block + 3):
            self.block = 0
        return inside

    def close(self) -> None:
        for session in self.sessions[-1:]:
            self._check(session)

    def _began(self) -> Session:
        session = self.session
        session.begun = session.counted = True
        return session

    def _end_if_over(self, *, force: bool = False) -> None:
        """A second stream of results begins after all that the first one planned."""
        if self.sessions and not self.latest.ended and (self.results or self.plan is not None):
            over = self.plan is not None and self.results >= self.plan
            if over or force:
                self._check(self.latest)
                self.latest.ended = True

    def _check(self, session: Session) -> None:
        if session.ended:
            return
        if self.plan is None:
            session.stopped = session.stopped or "no plan of its tests"
        elif self.results < self.plan:
            session.stopped = session.stopped or f"{self.results} of {self.plan} tests"
        session.ended = True

    def _plan(self, number: int, line: str) -> None:
        if self.plan is not None:
            self._end_if_over()
        session = self._began()
        self.comments = bool(self.comments)
        self.plan = (self.plan or 0) + number
        if not number:
            session.counts["skipped"] += bool(_DIRECTIVE.search(line))
            session.empty = not self.results

    def _result(self, indent: int, bad: bool, number: str, text: str) -> None:
        if not indent and number == "1" and self.results:
            self._end_if_over()
        session = self._began()
        self.comments = bool(self.comments)
        opens = text.endswith("{")
        directive = _DIRECTIVE.search(text)
        title = _TIME.sub("", text.removesuffix("{").rstrip())
        self.results += not indent
        inner = [each for each in self.broken if each > indent]
        sums, self.indent = self.indent > indent, indent
        self.broken = [each for each in self.broken if each <= indent][-_LIMIT:]
        self.placed = True
        if directive:
            session.counts["skipped"] += not sums
        elif opens:
            self.braces = [*self.braces, (indent, title, bad, len(session.names()))][-_LIMIT:]
        elif not bad:
            session.counts["passed"] += not sums
        elif inner and title in {self.subtests.get(indent), self.subtests.get(indent + 4)}:
            session.covered += 1
            self.broken.append(indent)
        else:
            self.broken.append(indent)
            self._failure(session, indent, title or f"test {number}")

    def _failure(self, session: Session, indent: int, title: str) -> None:
        around = [self.subtests[each] for each in sorted(self.subtests) if each < indent]
        around += [brace[1] for brace in self.braces if brace[0] < indent]
        if self.comments and self.comment and not around:
            around = [self.comment]
        session.counts["failed"] += 1
        session.name(" > ".join([*around, title]))
        self.placed = False

    def _close_brace(self, indent: int) -> None:
        """The end of a subtest that began with its result, as vitest prints it."""
        while self.braces and self.braces[-1][0] >= indent:
            at, title, bad, names = self.braces.pop()
            session = self.session
            if bad and len(session.names()) == names:
                self._failure(session, at, title)
            elif bad:
                session.covered += 1

    def _subtest(self, indent: int, title: str) -> None:
        self._began()
        self.comments = False
        self.subtests = {at: name for at, name in self.subtests.items() if at < indent}
        if len(self.subtests) < _LIMIT:
            self.subtests[indent] = title

    def _remark(self, line: str) -> None:
        if match := _TRAILER.match(line):
            self._trailer(match[1], int(match[2]))
        elif _TOTALS.match(line):
            fails = _FAILS.search(line)
            self.latest.least = max(self.latest.least, int(fails[1]) if fails else 0)
        elif not self.placed and (match := _BATS.match(line)):
            self._put(match[1])
        elif match := _COMMENT.match(line):
            if self.comments is None and self.sessions and self.latest.begun:
                self.comments = True
            self.comment = match[1]

    def _trailer(self, kind: str, number: int) -> None:
        session = self.latest
        if kind in {"fail", "cancelled"}:
            session.least = max(session.least, number)
        elif kind == "suites":
            session.runner = "node"
        elif kind == "tests" and not number:
            session.empty = True

    def _put(self, path: str) -> None:
        """Put the place of the latest failure before its name."""
        self.placed = True
        names = self.latest.names()
        if names and not path.endswith(names[-1].partition(" > ")[0]):
            self.latest.rename(f"{path} > {names[-1]}")
