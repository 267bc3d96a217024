"""Words of people and agents: without emphasis, on one line, compared without case."""

from __future__ import annotations

import re
import unicodedata

_WRAPPED = re.compile(r"`([^`]*)`|\*\*([^*]*)\*\*|__([^_]*)__")
# Everything that some reader takes for the end of a line, and what a terminal would act on.
_BREAKS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_EMPHASIS = re.compile(r"(?<!\w)_{1,3}(?=[^\s_])([^_]*[^\s_])_{1,3}(?!\w)")
_TAIL = re.compile(r"[—–.:;(]| -(?=[ -]|$)")
_NUMBERED = re.compile(r"\d{1,3}(?:\.\d{1,3}){0,3}[.):]?\s+")
_REMARK = re.compile(r"\s*\([^()]*\)$")
_LONGEST_NOTHING = 300
_NOTHING = re.compile(
    r"(?:there (?:are|were|is) )?(?:none|nil|n/?a|nothing|not applicable|no (?:(?:new|open|known"
    r"|blocking|critical|major|minor|high|medium|low|other|further|outstanding|significant"
    r"|security|quality) ){0,3}(?:issues?|problems?|defects?|findings?|concerns?|risks?|blockers?"
    r"|vulnerabilit(?:y|ies)|dependenc(?:y|ies)|deps))"
    r"(?: (?:(?:were|was|have been) )?(?:found|known|identified|noted|to report|observed|remain"
    r"|remaining|applicable))?"
    r"(?: (?:at this time|at present|so far|at all|in this (?:review|round)))?[.!]?"
    r"|[\s—–.-]*",
    re.IGNORECASE,
)


def one_line(text: str) -> str:
    """Any text as part of one line; it cannot open a comment that hides what follows."""
    return _BREAKS.sub(" ", text).replace("<!--", "<! --").strip()


def unwrap(value: str) -> str:
    """The text without the backquotes or stars around all of it."""
    # At most three layers match, because the inside of a layer never holds its own mark.
    while wrapped := _WRAPPED.fullmatch(value):
        value = next(inside for inside in wrapped.groups() if inside is not None).strip()
    return value


def bare(text: str) -> str:
    """The text without emphasis, a trailing comment and the symbols people put before a word."""
    text = text.partition("<!--")[0].replace("*", "").replace("`", "").strip()
    text = _EMPHASIS.sub(r"\1", text)
    start = 0
    while start < len(text) and unicodedata.category(text[start]) in {"So", "Mn", "Cf", "Zs"}:
        start += 1
    return text[start:]


def headword(text: str) -> tuple[str, str]:
    """What a text says before its dash, colon, bracket or full stop, and the words after that."""
    text = bare(text)
    tail = _TAIL.search(text)
    if not tail:
        return " ".join(text.split()), ""
    return " ".join(text[: tail.start()].split()), text[tail.end() :].strip(" -—–()")


def says_nothing(text: str) -> bool:
    """Whether a text says that there is nothing: `None`, `N/A`, `No issues found.`."""
    if len(text) > _LONGEST_NOTHING:
        return False
    return _NOTHING.fullmatch(" ".join(bare(text).strip(" ()").split())) is not None


def fold(title: str) -> str:
    """How titles and keys are compared: without case, emphasis, extra space and a last colon."""
    plain = title.replace("*", "").replace("`", "").replace("_", " ").replace("-", " ")
    return " ".join(plain.split()).rstrip(":").rstrip().casefold()


def spellings(title: str) -> frozenset[str]:
    """The folded title, also without its number, its remark in brackets and what follows a
    colon.
    """
    folded = fold(title)
    plain = _NUMBERED.sub("", folded, count=1)
    return frozenset(
        (folded, plain, plain.partition(":")[0].strip(), _REMARK.sub("", plain[:400]).strip())
    )
