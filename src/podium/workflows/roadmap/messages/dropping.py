"""Which lines of an answer are passed on: one rule for each kind of line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from podium.workflows.roadmap.messages.words import REVIEW, TESTS, fold_word, plain, unsigned

ERROR_LINES = 3
_JOINED_LINES = 12
"""The most lines that a signature may span."""

_DROPPED_TITLES = frozenset(
    {
        *(
            "what looks good",
            "looks good",
            "positives",
            "positive feedback",
            "strengths",
            "praise",
            "highlights",
        ),
        *(
            "alternatives",
            "alternatives considered",
            "alternatives rejected",
            "rejected alternatives",
        ),
        *(
            "alternative approaches",
            "alternative approaches found",
            "options considered",
            "rejected options",
        ),
        *(
            "research executed",
            "tool output",
            "raw output",
            "full output",
            "output",
            "console output",
            "logs",
            "log",
        ),
        *(
            "diff",
            "diffs",
            "full diff",
            "code diff",
            "patch",
            "stack trace",
            "stack traces",
            "traceback",
        ),
        *("passing tests", "passed tests", "tests passed", "tests passing"),
    }
)
_TEST_PASSES = re.compile(
    r"[✓✔√☑]|(?:PASS|PASSED|ok \d+|--- PASS:?)[ :]+\S*[/.:]\S|\S+::\S+ +PASSED\b|.{1,200} "
    r"\.\.\. ok$|ok \d+ - "
)
_PRAISE = re.compile(
    r"(?:great|nice(?!-)|excellent|well done|well[- "
    r"](?:written|structured|organi[sz]ed|tested)|good (?:job|work|use|structure"
    r"|naming|coverage)|looks (?:good|great)|lgtm|love|kudos|clean "
    r"(?:code|implementation)|beautiful|impressive|solid work)\b",
    re.IGNORECASE,
)
_RESERVED = re.compile(
    (
        r"\b(?:but|however|except|although|though|yet|missing|lacks?|fail\w*|errors?|should|must|"
        r"not|needs?)\b"
    ),
    re.IGNORECASE,
)
_REJECTED = re.compile(
    r"(?:rejected|discarded|not chosen|ruled out|alternatives?(?: considered| "
    r"rejected)?|considered(?: and rejected)?)"
    r" ?(?:\([^)]{0,80}\))? ?(?:[:—–]| -)",
    re.IGNORECASE,
)
_FRAME = re.compile(
    r"at (?:async |new )?\S.{0,300}[:(]\d+(?::\d+)?\)?$|at "
    r".{1,300}\((?:native|<anonymous>|[\w.]+\.java:\d+)\)$"
    r"|File \"[^\"]{1,400}\", line \d+|Traceback \(most recent call last\)|goroutine \d+ "
    r"\[|#\d+ +0x[0-9a-f]|\d+: +0x[0-9a-f]"
    r"|from \S{1,400}:\d+:in |stack backtrace:|\^+$|\.\.\. \d+ more$"
)
_ERROR = re.compile(
    r"(?:[\w.]{0,120}(?:Error|Exception|Failure|Panic)\b(?: ?\[[^\]]{0,40}\])? "
    r"?[:(]|error(?:\[\w+\]|\(\w+\)| TS\d+)?:|fatal:|panic:"
    r"|(?:FAIL|FAILED|ERROR|FATAL|E)(?::| {1,4}\S)|E {5,12}\S|[✗✘❌×] ?\S|not ok \d+|npm "
    r"(?:ERR!|error)|--- FAIL:"
    r"|\S{1,400}:\d+(?::\d+)?:? (?:-? ?error|warning)\b|\S{1,400}\(\d+,\d+\): (?:fatal "
    r")?(?:error|warning)\b"
    r"|\S{1,400}:\d+: [\w.]{0,120}(?:Error|Exception|Failure)\b"
    r"|Traceback \(most recent call last\))"
)
_PRINTED = re.compile(
    r"[\w.]{0,120}(?:Error|Exception)$|\S{1,400}\.\w{1,8}:\d+:\d+:? \S|\S{1,400}:\[\d+,\d+\] "
    r"|\[ERROR\]"
    r"|thread '[^']{0,200}' (?:\(\d+\) )?panicked at |test \S{1,300} \.\.\. "
    r"FAILED|make(?:\[\d+\])?: \*\*\* "
    r"|\S{1,100}:.{0,200}\b(?:not found|No such file or directory|Permission denied|undefined "
    r"reference to)\b"
    r"|(?:Segmentation fault|Bus error|Aborted|Killed|Illegal instruction)\b|● "
    r"(?!Console)|expect\(received\)|Expected\b[^:]{0,60}:"
)
"""Errors as programs print them; in an agent's own sentence the same words may mean something
else.
"""
_GOES_ON = re.compile(r"E {1,12}\S")
_PLACE = re.compile(r"(?:[A-Za-z]:\\|[\w.@~-]{0,100}/)\S{1,400}\.\w{1,8}:?$")
_BELOW_PLACE = re.compile(r"\d+:\d+:? ")
"""Some linters print a path once and list its errors below it."""
_DIFF = re.compile(r"diff --git |@@ -\d|index [0-9a-f]{7,}\.\.|Index: \S")
_SIGNATURE = re.compile(
    r"(?:(?:export|default|public|private|protected|internal|static|abstract|final|async|"
    r"unsafe|extern|open|override|sealed"
    r"|readonly|declare|pub(?:\([^)]{0,40}\))?) )*"
    r"(?:(?:def|class|function\*?|interface|enum|struct|trait|impl|fn|func|protocol|record) "
    r"\(?\w|type \w+ ?[=<{]"
    r"|const \w+[^=]{0,200}= ?(?:async "
    r")?(?:<[^>]{0,80}>)?\([^)]{0,400}\)[^=]{0,200}=>|(?:GET|POST|PUT|PATCH|DELETE) /)"
    r"|(?:(?:public|private|protected|static|final) )+[\w<>\[\],.? ]{1,120}\([^)]{0,400}\)"
    r"|\w{1,80}\??\([^()]{0,400}\) ?(?::|->) ?[^{}=]{1,200};?$"
)
_OPENS = re.compile(r"(?:\w+ )*(?:class|interface|struct|enum|type|protocol|trait|record)\b")
_MEMBER = re.compile(r"[\w\"'?\[\]]{1,80} ?: ?[^{}()]{1,200}$")
_FACT = re.compile(
    (
        r"\w/[\w.]|`|\b(?:status|verdict|results?|tests?|review|lint|typecheck|build|validation|"
        r"aligned|drift\w*)\b ?[:|]"
    ),
    re.IGNORECASE,
)


def is_dropped_title(title: str) -> bool:
    """Whether what stands under this heading or key is left out."""
    return fold_word(plain(title.partition("(")[0]).rstrip(":")) in _DROPPED_TITLES


def is_noise(text: str) -> bool:
    """Whether an item of prose is a passing test, a stack frame, praise or a rejected
    alternative.
    """
    if _TEST_PASSES.match(text) or is_frame(text):
        return True
    bare = unsigned(text.replace("*", ""))
    if text.startswith("✅") and not (TESTS.word(text) or REVIEW.word(text)):
        return not _RESERVED.search(bare) and "|" not in text
    if _REJECTED.match(bare):
        return True
    return (
        bool(_PRAISE.match(bare)) and not _RESERVED.search(bare) and not re.search(r"\w/\w", bare)
    )


def is_frame(text: str) -> bool:
    return _FRAME.match(text) is not None


def is_error(text: str) -> bool:
    return _ERROR.match(text) is not None


def is_diff(lines: Sequence[str]) -> bool:
    """Whether a block is a diff; the next agent sees the change in the files themselves."""
    return any(map(_DIFF.match, lines)) or any(
        first.startswith("--- ") and second.startswith("+++ ") for first, second in pairwise(lines)
    )


def is_important(text: str) -> bool:
    """Whether a line carries a fact: a path, a verdict, an error or a signature."""
    bare = text.strip("` ")
    return bool(_FACT.search(text) or is_error(bare) or _SIGNATURE.match(bare))


def error_lines(lines: Sequence[str]) -> list[str]:
    """The lines of one error without stack frames and passing tests; its first line if nothing
    else remains.
    """
    kept = [
        line.strip()
        for line in _unframed(lines)
        if line.strip() and not line.strip().startswith(("```", "~~~"))
    ]
    return kept or [line.strip() for line in lines if line.strip()][:1]


def block_lines(lines: Sequence[str]) -> list[str]:
    """What is kept of a block of code or output: signatures, and the first lines of each error."""
    if is_diff(lines):
        return []
    rest = _unframed(lines)
    kept: list[str] = []
    at, told, member_of, place = 0, 0, -1, ""
    while at < len(rest):
        text, indent = rest[at].strip(), _indent(rest[at])
        at += 1
        if text and indent <= member_of:
            member_of = -1
        if not text:
            told = 0
        elif (is_error(text) or _PRINTED.match(text)) and not (told and _GOES_ON.match(text)):
            if place and _BELOW_PLACE.match(text):
                kept.append(place)
                place = ""
            kept.append(text)
            told = 1
        elif _PLACE.match(text) and not indent and not told:
            place = text
        elif _SIGNATURE.match(text):
            text, at = _whole(rest, at)
            kept.append(text)
            member_of = indent if _OPENS.match(text) else member_of
        elif 0 < told < ERROR_LINES or (0 <= member_of < indent and _MEMBER.match(text)):
            kept.append(text)
            told += bool(told)
    return kept


def _unframed(lines: Sequence[str]) -> list[str]:
    """The lines without stack frames, the source lines shown with them, and passing tests."""
    kept: list[str] = []
    framed = -1
    for line in lines:
        text = line.strip()
        if text and is_frame(text):
            framed = _indent(line)
        elif text and 0 <= framed < _indent(line):
            continue
        elif not _TEST_PASSES.match(text):
            framed = -1
            kept.append(line)
    return kept


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _whole(lines: Sequence[str], at: int) -> tuple[str, int]:
    """A signature up to its closing bracket, and the position of the next line."""
    text = lines[at - 1].strip()
    end = min(len(lines), at + _JOINED_LINES)
    while at < end and text.count("(") > text.count(")") and lines[at].strip():
        text += (" " if text[-1] not in "([" and lines[at].strip()[0] not in ")]" else "") + lines[
            at
        ].strip()
        at += 1
    return text.removesuffix("{").rstrip(), at
