"""What a final message states: words of a closed list, in places where such a message puts them.

A statement is a `Key: value` line, a heading of that form, a key followed by its word without a
colon, a word alone on a line under its heading, or a word alone in the whole message. Code, quotes,
comments and lines in the middle of a paragraph are never statements.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from podium.formats.field_lines import parse_field
from podium.formats.outline import Outline
from podium.workflows.roadmap.messages.words import (
    REVIEW,
    STATUS,
    TESTS,
    VALIDATION,
    Vocabulary,
    fold_word,
    plain,
    unsigned,
)

BULLET = re.compile(r"[ \t]*(?:[-+*]|\d{1,9}[.)])[ \t]+(?P<box>\[[ xX]\][ \t]+)?")
ADR_STATUSES = ("proposed", "accepted", "deprecated", "superseded")
"""An architect may quote the status of a decision record, which is not the status of its own
work.
"""

_KIND = (
    r"(?P<{0}>pass(?:ed|ing)?|fail(?:ed|ing|ures?)?|errors?|skipped|pending|todo|xfailed|"
    r"warnings?|total|tests?)"
)
_COUNT = re.compile(
    rf"(?P<count>\d{{1,9}}) (?:(?:tests?|specs?|cases?|suites?) )?{_KIND.format('kind')}\b",
    re.IGNORECASE,
)
_MORE = re.compile(r" ?(?:,|;|/|\||and) ?(?:and )?")
_LABELLED = re.compile(rf"{_KIND.format('kind')} ?[:=] ?(?P<count>\d{{1,9}})\b", re.IGNORECASE)
_SHARE = re.compile(
    r"(?P<some>\d{1,9}) ?(?:/|of|out of) ?(?P<all>\d{1,9}) (?:tests? )?pass(?:ed|ing)?\b",
    re.IGNORECASE,
)
_ALL = re.compile(
    r"all (?:\d{1,9} )?(?:\w{1,20} )?tests? (?:are )?pass(?:ed|ing)?\b", re.IGNORECASE
)
_ENDS = re.compile(r" ?(?:in [\d.,]{1,12} ?\w{0,8})? ?=* ?(?:$|[—–.:;(!]| -)")
_GAP = re.compile(r"[\s=]+")


@dataclass(frozen=True)
class Topic:
    """One thing that a message may state, and where."""

    name: str
    """The member of the verdict object."""
    vocabulary: Vocabulary
    keys: frozenset[str]
    """Keys whose value must be a word of the list."""
    hints: frozenset[str] = frozenset()
    """Keys whose value may be one."""
    titles: frozenset[str] = frozenset()
    """Headings under which a line may be one."""
    loose: frozenset[str] = frozenset()
    """Headings under which a line that stands alone may be one, if nothing else in the message
    is.
    """
    anywhere: bool = False
    """Whether a line that stands alone may be one anywhere."""
    read: Callable[[str], str] | None = None
    """From text to word, where the vocabulary alone is not enough."""

    def word(self, text: str) -> str:
        return self.read(text) if self.read else self.vocabulary.word(text)


@dataclass(frozen=True)
class Stated:
    """What a message says about one topic."""

    words: tuple[tuple[int, str], ...]
    """Line and word, in order."""
    faults: tuple[str, ...]
    """Values that are not in the list although their key requires it."""


def state(outline: Outline, topic: Topic, other: Topic | None = None) -> Stated:
    """Every statement on a topic; a value that is a word of the `other` topic is ignored."""
    words: list[tuple[int, str]] = []
    faults: list[str] = []
    candidates = list(_candidates(outline, topic))
    if not any(promised or topic.word(text) for _, text, promised in candidates):
        candidates = list(_candidates(outline, replace(topic, titles=topic.titles | topic.loose)))
    for line, text, promised in candidates:
        word = topic.word(text)
        if word:
            words.append((line, word))
        elif (
            promised
            and not (other and other.word(text))
            and fold_word(plain(text)) not in ADR_STATUSES
        ):
            known = ", ".join(topic.vocabulary.words)
            faults.append(f"{topic.name} is {plain(text)[:80]!r}; it must be one of {known}")
    return Stated(tuple(words), tuple(faults))


def _candidates(outline: Outline, topic: Topic) -> Iterator[tuple[int, str, bool]]:
    """Line, text, and whether the key requires a word of the list."""
    for heading in outline.headings:
        key, colon, value = heading.title.partition(":")
        name = fold_word(plain(key))
        if colon and name in topic.keys | topic.hints | topic.titles:
            yield heading.line, value, name in topic.keys
    inside = _inside(outline, topic.titles)
    only = not outline.headings and outline.kinds.count("text") == 1
    awaited = False
    for number, text in enumerate(outline.lines):
        if outline.kinds[number] != "text":
            awaited = awaited and outline.kinds[number] == "blank"
            continue
        bullet = BULLET.match(text)
        if bullet and bullet["box"] and bullet["box"][1] == " ":
            continue  # an empty box is an option that was not chosen
        found = parse_field(text.replace("*", "").replace("__", ""))
        name = fold_word(found.key) if found else ""
        if found and name in topic.keys | topic.hints:
            awaited = not found.value
            if found.value:
                yield number, found.value, name in topic.keys
            continue
        if (
            told := _spoken(plain(text[bullet.end() :] if bullet else text), topic)
        ) and _stands_alone(outline, number, after=False):
            yield number, told, False
        elif (awaited or only or number in inside or topic.anywhere) and _stands_alone(
            outline, number, after=awaited
        ):
            yield number, text[bullet.end() :] if bullet else text, False
        awaited = False


def _spoken(text: str, topic: Topic) -> str:
    """The word after a key without a colon: `**Verdict** 🟢 Ship it`, `Verdict — 🟢 Ship it`."""
    for key in topic.keys:
        if text[: len(key)].casefold() == key and text[len(key) :][:1].isspace():
            rest = text[len(key) :].lstrip(" \t—–-")
            return rest if topic.word(rest) else ""
    return ""


def _inside(outline: Outline, titles: frozenset[str]) -> set[int]:
    """Lines directly under a heading of that title, up to the next heading."""
    found: set[int] = set()
    ends = [*(heading.line for heading in outline.headings[1:]), len(outline.lines)]
    for heading, end in zip(outline.headings, ends, strict=False):
        if fold_word(plain(heading.title.partition(":")[0])) in titles:
            found.update(range(heading.end, end))
    return found


def _stands_alone(outline: Outline, number: int, *, after: bool) -> bool:
    """Whether a line is a paragraph or an item of its own: part of a sentence is not a
    statement.
    """
    lines, kinds = outline.lines, outline.kinds
    first = number == 0 or kinds[number - 1] != "text" or _breaks(lines[number - 1])
    if not (first or after or BULLET.match(lines[number])):
        return False
    last = number + 1 == len(lines) or kinds[number + 1] != "text" or _breaks(lines[number])
    return last or bool(BULLET.match(lines[number + 1]))


def _breaks(line: str) -> bool:
    return line.endswith(("  ", "\\"))


def _test_word(text: str) -> str:
    """A word of the list, or a count of tests that has only one reading."""
    words = [TESTS.word(text)] if not _LABELLED.match(_counted(text)) else []
    signs = [word for sign, word in TESTS.signs.items() if plain(text).startswith(sign)]
    counted = _counts(_counted(text))
    if counted:
        words += [counted, *signs]
    return TESTS.worst(words)


def _counted(text: str) -> str:
    return unsigned(_GAP.sub(" ", plain(text))).casefold()


def _counts(text: str) -> str:
    if (found := _SHARE.match(text)) and _ENDS.match(text, found.end()):
        return "pass" if 0 < int(found["some"]) == int(found["all"]) else "fail"
    if (found := _ALL.match(text)) and _ENDS.match(text, found.end()):
        return "pass"
    passed = failed = at = 0
    while found := _LABELLED.match(text, at) or _COUNT.match(text, at):
        kind, count = found["kind"], int(found["count"])
        passed += count if kind.startswith("pass") else 0
        failed += count if kind.startswith(("fail", "error")) else 0
        at = found.end()
        if more := _MORE.match(text, at):
            at = more.end()
        else:
            break
    if not at or not _ENDS.match(text, at):
        return ""
    return "fail" if failed else "pass" if passed else ""


STATUS_TOPIC = Topic("status", STATUS, frozenset({"status"}), titles=frozenset({"status"}))
VALIDATION_TOPIC = Topic(
    "validation",
    VALIDATION,
    frozenset({"validation", "alignment"}),
    hints=frozenset(
        {"status", "verdict", "result", "evidence", "validation result", "validation verdict"}
    ),
    titles=frozenset({"validation", "validation result", "verdict", "result"}),
    anywhere=True,
)
TESTS_TOPIC = Topic(
    "tests",
    TESTS,
    frozenset(),
    hints=frozenset(
        {"tests", "status", "verdict", "result", "results", "test result", "test results"}
    ),
    titles=frozenset(
        {"result", "results", "test result", "test results", "testing result", "verdict"}
    ),
    read=_test_word,
)
REVIEW_TOPIC = Topic(
    "review",
    REVIEW,
    frozenset({"verdict", "review verdict", "final verdict", "overall verdict"}),
    hints=frozenset({"status", "review"}),
    titles=frozenset({"verdict", "review verdict", "final verdict", "overall verdict"}),
    loose=frozenset({"code review"}),
)
