"""Runners each of whose facts stands on a line of its own, described by expressions."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from podium.proof.session import Reader, Session, tally

_GROUP = re.compile(r"\(\?P<\w+>")


@dataclass(frozen=True)
class Grammar:
    """Expressions are matched at the beginning of a line. Named groups carry the facts: `counts` is
    text for `tally`; `passed`, `failed`, `skipped` and `total` are numbers; `id`, `file` and
    `coarse` are parts of a name; `why` is a reason; `of` is how many tests there are.
    """

    name: str
    marks: tuple[str, ...]
    """Texts of which at least one occurs in every output of the runner."""
    summary: tuple[str, ...]
    """Lines with numbers; unless there are `ends` or they are scattered, the first one ends a
    session.
    """
    scattered: bool = False
    """Whether the numbers are on several lines with no end to them."""
    ends: str = ""
    begins: str = ""
    """What the runner prints while it works: an end has to follow."""
    heading: str = ""
    """A line after which names follow, perhaps with an `id` of what they are in."""
    closing: str = ""
    """A line after which no names follow."""
    once: bool = False
    """Whether one name follows a heading."""
    after: bool = False
    """Whether names follow the summary."""
    repeats: bool = False
    """Whether a test that failed twice is listed twice."""
    weak: bool = False
    """Whether other runners print lines like those of the names."""
    failing: tuple[str, ...] = ()
    """Lines that name a failing test; the same name on lines of two of them is one test."""
    again: str = ""
    """A line after which the runner lists its failures once more."""
    passing: str = ""
    """A line for each test that passed, where the summary leaves that number out."""
    planned: str = ""
    """A line that says how many tests are to run."""
    each: str = ""
    """The line of one test, if it says of how many."""
    parts: str = ""
    """A summary of files, if it says of how many."""
    empty: str = ""
    stopped: str = ""
    coarse: bool = False
    unless: tuple[str, ...] = ()
    """Texts that show that the output is one of another runner."""
    absorbs: tuple[str, ...] = ()


_KINDS = (
    *("begins", "planned", "heading", "closing", "each", "passing", "failing"),
    *("parts", "summary", "again", "empty", "stopped", "ends"),
)


def reader(grammar: Grammar) -> Callable[[], Reader]:
    return lambda: GrammarReader(grammar)


class GrammarReader(Reader):
    def __init__(self, grammar: Grammar) -> None:
        super().__init__()
        self.grammar, self.name, self.absorbs = grammar, grammar.name, grammar.absorbs
        self.second = False
        """Whether the names are being listed once more."""
        self.open = not grammar.heading
        """Whether names may follow."""
        self.place = ""
        self.planned = self.results = self.passes = 0
        self._steps = [
            (getattr(self, f"_{kind}"), number, re.compile(source))
            for kind in _KINDS
            for number, source in enumerate(_expressions(getattr(grammar, kind)))
        ]
        self.gate = re.compile("|".join(_GROUP.sub("(?:", step[2].pattern) for step in self._steps))

    def applies(self, text: str) -> bool:
        grammar = self.grammar
        return any(mark in text for mark in grammar.marks) and not any(
            mark in text for mark in grammar.unless
        )

    def read(self, line: str) -> None:
        for take, number, expression in self._steps:
            match = expression.match(line)
            if match:
                take(match, number)

    def close(self) -> None:
        if self.sessions and not self.latest.ended:
            if self.grammar.scattered:
                self.latest.ended = self.latest.counted or self.latest.empty
            self._complete(self.latest)
        for session in self.sessions:
            if self.grammar.repeats:
                session.merge_repeats()
            if self.grammar.weak and not (session.begun or session.counted):
                session.forget()

    def _complete(self, session: Session) -> None:
        """What can be said when all lines of a session are read."""
        if "passed" not in session.counts and self.passes:
            session.counts["passed"] = self.passes
        whole = self.results or session.passed + session.skipped + session.failed
        if self.planned > whole and session.counted:
            session.stopped = session.stopped or f"{whole} of {self.planned} tests"
        self.planned = self.results = self.passes = 0

    def _begins(self, _match: re.Match[str], _number: int) -> None:
        self.session.begun = True

    def _planned(self, match: re.Match[str], _number: int) -> None:
        self.session.begun = True
        self.planned += int(match["of"])

    def _each(self, match: re.Match[str], _number: int) -> None:
        self.results += 1
        self.planned = max(self.planned, int(match["of"]))

    def _passing(self, _match: re.Match[str], _number: int) -> None:
        self.passes += 1

    def _heading(self, match: re.Match[str], _number: int) -> None:
        self.open, self.place = True, match.groupdict().get("id") or ""
        if self.place:
            self.session.begun = True

    def _closing(self, _match: re.Match[str], _number: int) -> None:
        self.open, self.place = False, ""

    def _failing(self, match: re.Match[str], number: int) -> None:
        if not self.open:
            return
        self.open = not self.grammar.once
        parts = match.groupdict()
        name = parts.get("id") or parts.get("coarse") or ""
        place = parts.get("file") or self.place
        if place and not name.startswith(place):
            name = f"{place} > {name}"
        coarse = self.grammar.coarse or bool(parts.get("coarse"))
        session = self.latest if self.grammar.after else self.session
        session.name(name, coarse=coarse, channel=number + 10 * self.second)

    def _summary(self, match: re.Match[str], _number: int) -> None:
        parts = match.groupdict()
        session = self.session
        session.add(tally(parts.get("counts") or ""))
        for kind in ("passed", "failed", "skipped", "total"):
            if parts.get(kind):
                session.counts[kind] += int(parts[kind])
        session.counts["skipped"] += bool(parts.get("skip"))
        if not self.grammar.ends and not self.grammar.scattered:
            self._ends(match, 0)

    def _parts(self, match: re.Match[str], _number: int) -> None:
        counts = tally(match["counts"])
        if counts.total() < int(match["of"]):
            self.session.stopped = f"{counts.total()} of {match['of']} files"

    def _again(self, _match: re.Match[str], _number: int) -> None:
        self.second = True

    def _empty(self, match: re.Match[str], _number: int) -> None:
        self.session.empty = True
        if not self.grammar.scattered:
            self._ends(match, 0)

    def _stopped(self, match: re.Match[str], _number: int) -> None:
        self.latest.stopped = self.latest.stopped or match.groupdict().get("why") or "early"

    def _ends(self, _match: re.Match[str], _number: int) -> None:
        if self.sessions and not self.latest.ended:
            self._complete(self.latest)
            self.latest.ended, self.second = True, False


def _expressions(value: str | tuple[str, ...]) -> tuple[str, ...]:
    expressions = (value,) if isinstance(value, str) else value
    return tuple(each for each in expressions if each)
