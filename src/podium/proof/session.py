"""What one start of a test runner said: the numbers of its summary, the names of failures."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from re import Pattern

from podium.proof.output import printable

_NUMBER_WORD = re.compile(r"(\d{1,9}) ([a-z][a-z ]{0,39})", re.IGNORECASE)
_WORD_NUMBER = re.compile(r"([a-z][a-z ]{0,39}): {0,20}(\d{1,9})", re.IGNORECASE)
_KINDS = {
    "passed": "pass passed passing ok success successes succeeded successful xpassed xpass",
    "failed": "fail failed failing failure failures error errors timeout cancelled broken",
    "skipped": "skip skips skipped pending pendings todo ignored omissions incomplete xfailed xfail"
    " excluded disabled",
    "total": "total tests test runs examples example specs spec run",
    "deselected": "deselected filtered",
    "reruns": "rerun reruns retried flaky flakes",
}
_KIND = {word: kind for kind, words in _KINDS.items() for word in words.split()}
_PHRASES = {
    "known": "skipped",  # ava: "1 known failure" is a test that is expected to fail
    "expected": "skipped",  # unittest: "expected failures=1"
    "pending": "skipped",
    "timed": "failed",
    "uncaught": "failed",
    "unexpected": "failed",
    "unhandled": "failed",
    "filtered": "deselected",
}
_NEGLECTED = frozenset({"subtests", "doctests", "files", "suites", "steps", "warnings", "warning"})


def tally(text: str) -> Counter[str]:
    """The numbers of a summary by kind: `3 passed, 1 failed` as well as `Passed: 3, Failed: 1`."""
    pairs = [(word, number) for number, word in _NUMBER_WORD.findall(text)]
    pairs = pairs or _WORD_NUMBER.findall(text)
    counts: Counter[str] = Counter()
    for phrase, number in pairs:
        words = phrase.lower().split()
        if words[0] in _NEGLECTED:
            # "2 subtests failed" fails the test that is counted too; alone it still is a failure.
            counts["failed"] += int(number) if words[-1] == "failed" else 0
            continue
        kinds = [_KIND[word] for word in words if word in _KIND]
        kind = _PHRASES.get(words[0]) or next((each for each in kinds if each != "total"), "")
        if kind or kinds:
            counts[kind or "total"] += int(number)
    return counts


class Session:
    """One start of a runner, while its output is read."""

    def __init__(self, runner: str, label: str = "", absorbs: tuple[str, ...] = ()) -> None:
        self.runner, self.label, self.absorbs = runner, label, absorbs
        self.counts: Counter[str] = Counter()
        self.counted = False
        """Whether the runner gave numbers."""
        self.ended = False
        """Whether it printed what it prints last."""
        self.begun = False
        """Whether it printed something that an end has to follow."""
        self.empty = False
        """Whether it said that there were no tests."""
        self.stopped = ""
        """Why it did not run all of its tests."""
        self.least = 0
        """Failures that were counted some other way than in the summary."""
        self.covered = 0
        """Failures that only say that something inside them failed."""
        self.coarse: set[str] = set()
        self._names: dict[int, list[str]] = {}

    def add(self, counts: Counter[str]) -> None:
        self.counts.update(counts)
        self.counted = True

    def name(self, name: str, *, coarse: bool = False, channel: int = 0) -> str:
        """Take the name of a failing test; a runner that lists its failures twice has two
        channels.
        """
        name = printable(name)
        self._names.setdefault(channel, []).append(name)
        if coarse:
            self.coarse.add(name)
        return name

    def rename(self, name: str, channel: int = 0) -> None:
        """Give the latest name of a channel a better form."""
        names = self._names[channel]
        coarse = names[-1] in self.coarse
        names[-1] = printable(name)
        if coarse:
            self.coarse.add(names[-1])

    def names(self, channel: int = 0) -> list[str]:
        return self._names.get(channel, [])

    def move(self, channel: int) -> None:
        """Put the latest name into another channel."""
        self._names.setdefault(channel, []).append(self._names[0].pop())

    def drop(self, channel: int) -> None:
        """Forget the names of a channel."""
        self._names.pop(channel, None)

    def forget(self) -> None:
        """Forget all names."""
        self._names.clear()

    def merge_repeats(self) -> None:
        """Take names that are the same for one test each, as long as as many are left as failed."""
        for channel, names in self._names.items():
            spare = len(names) - max(self.counts["failed"], self.least)
            present: set[str] = set()
            rest = []
            for name in names:
                if name in present and spare > 0:
                    spare -= 1
                else:
                    rest.append(name)
                present.add(name)
            self._names[channel] = rest

    @property
    def failing(self) -> tuple[str, ...]:
        """The multiset union of all channels, in the order of the first."""
        return union(self._names[channel] for channel in sorted(self._names))

    @property
    def failed(self) -> int:
        """Of several readings the worst."""
        rest = 0
        if "passed" in self.counts and "total" in self.counts:
            rest = self.counts["total"] - self.counts["passed"] - self.counts["skipped"]
        return max(self.counts["failed"], self.least, len(self.failing), rest)

    @property
    def skipped(self) -> int:
        return self.counts["skipped"]

    @property
    def passed(self) -> int:
        if "passed" in self.counts:
            return self.counts["passed"]
        rest = self.counts["total"] - self.counts["failed"] - self.counts["skipped"]
        return max(0, rest)


def union(lists: Iterable[Iterable[str]]) -> tuple[str, ...]:
    whole: list[str] = []
    for names in lists:
        missing = Counter(names) - Counter(whole)
        for name in names:
            if missing[name]:
                missing[name] -= 1
                whole.append(name)
    return tuple(whole)


class Reader:
    """Reads the lines of one kind of runner. A subclass says what to look for."""

    name = ""
    marks: tuple[str, ...] = ()
    """Texts of which at least one occurs in every output of the runner."""
    gate: Pattern[str] | None = None
    """Matches the beginning of every line that it has to see."""
    absorbs: tuple[str, ...] = ()
    """Runners whose output this one passes on and counts."""

    def __init__(self) -> None:
        self.sessions: list[Session] = []
        self.label = ""
        self.wants_next = False
        """Whether the next line has to be shown, whatever it is."""

    @property
    def session(self) -> Session:
        """The session that is going on; a new one if the last has ended or there is none."""
        return self.sessions[-1] if self.sessions and not self.sessions[-1].ended else self.begin()

    @property
    def latest(self) -> Session:
        """The last session, even if it has ended."""
        return self.sessions[-1] if self.sessions else self.begin()

    def begin(self) -> Session:
        self.sessions.append(Session(self.name, self.label, self.absorbs))
        return self.sessions[-1]

    def applies(self, text: str) -> bool:
        """Whether a plain output, with a line break before it, can be one of this runner."""
        return any(mark in text for mark in self.marks)

    def sees(self, line: str) -> bool:
        """Whether the line can mean anything; asked for every line, so it has to be quick."""
        return self.wants_next or (self.gate is not None and self.gate.match(line) is not None)

    def read(self, line: str) -> None:
        """Take one line."""
        raise AssertionError(line)

    def close(self) -> None:
        """Take the end of the output."""
