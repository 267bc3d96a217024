"""The words of a request: sentences, content words, and the closed lists that decide what it
asks for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

KEYWORDS: Mapping[str, str] = {
    **dict.fromkeys(("fix", "bug", "defect"), "fix"),
    **dict.fromkeys(("feature", "add", "implement", "create"), "feature"),
    **dict.fromkeys(("refactor", "cleanup", "chore", "update", "improve"), "chore"),
}
"""Words that name the type of work."""
WIDER: Mapping[str, str] = {**KEYWORDS, "issue": "fix", "error": "fix", "new": "feature"}
"""These plus words that only the Interpreter may take as a hint."""
VAGUE = ("somewhere", "something", "maybe", "probably")
_STOP_WORDS = """
a about above after all also an and any are as at be been before being below but by can could do
does for from get give had has have how i if in into is it its just let like make more most must
need no not now of off on one only or other our out over please should show so some such than that
the their them then there these they this those to too under up us use used using very want was we
were what when where which while who why will with without would you your
"""
_STOP = frozenset(_STOP_WORDS.split())
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[^\s\d a-z])|\s*\n\s*|;\s+")
_BULLET = re.compile(r"^(?:[-+*•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")


def words_of(text: str) -> list[str]:
    return [found[0].casefold() for found in _WORD.finditer(text)]


def content_words(text: str) -> list[str]:
    """The distinct words that say what the text is about: no stop words, no names of a type of
    work.
    """
    found = (
        each
        for each in words_of(text)
        if each not in _STOP and not keyword(each, WIDER) and each not in VAGUE
    )
    return list(dict.fromkeys(each for each in found if not each.isdigit()))


def keyword(word: str, table: Mapping[str, str] = KEYWORDS) -> str:
    """The type of work that a word names, in the singular or plural; empty if none."""
    for form in (word, word.removesuffix("s"), word.removesuffix("es")):
        if form in table:
            return table[form]
    return ""


def work_type(text: str, table: Mapping[str, str] = KEYWORDS) -> str:
    """The type that the first keyword names; empty if there is none."""
    joined = re.sub(r"\bclean[ -]up\b", "cleanup", text, flags=re.IGNORECASE)
    return next((found for each in words_of(joined) if (found := keyword(each, table))), "")


def vague_words(text: str) -> tuple[str, ...]:
    said = set(words_of(text))
    return tuple(each for each in VAGUE if each in said)


def sentences(text: str) -> list[str]:
    """The text's sentences and list items, each exactly as written."""
    parts = (each.strip() for each in _SENTENCE.split(text))
    return [each for each in parts if any(map(str.isalnum, each))]


def item(line: str) -> str | None:
    """The text of a list item; None if the line is not one."""
    found = _BULLET.match(line.strip())
    return line.strip()[found.end() :].strip() if found else None
