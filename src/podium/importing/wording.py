"""The words of a statement, normalised: what it is about, and the numbers it names."""

from __future__ import annotations

import re
from collections.abc import Iterable

_WORD = re.compile(r"[a-z0-9]+(?:[-_.][a-z0-9]+)*")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
SHORT, LONGEST = 3, 40
_NUMBERS = {
    "once": 1,
    "one": 1,
    "twice": 2,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
}
_FIGURE = re.compile(r"(?<![\w.#§/-])(?P<figure>\d{1,6}(?:\.\d+)?)(?P<part>%)?(?![\w-]|\.\d)")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_COUNTED = re.compile(
    (
        r"(?<!by )\b(?P<word>once|one|twice|two|three|four|five|six|seven|eight|nine|"
        r"ten)\b(?!\s+(?:of|or|by)\b)"
    ),
    re.IGNORECASE,
)


def words(text: str) -> frozenset[str]:
    """Every word in lower case; `run-state.md` gives run, state, md and run-state-md,
    `maxRetries` max and retries.
    """
    found: set[str] = set()
    for whole in _WORD.findall(_CAMEL.sub("-", text).lower()):
        spelt = re.sub("[_.]", "-", whole)
        found.add(spelt)
        found.update(spelt.split("-"))
    return frozenset(found)


def hits(terms: Iterable[str], said: frozenset[str]) -> frozenset[str]:
    """The terms that are a prefix of one of the words; a short term must be a whole word."""
    beginnings = {
        word[:end] for word in said for end in range(SHORT + 1, min(len(word), LONGEST) + 1)
    }
    return frozenset(term for term in terms if term in (said if len(term) <= SHORT else beginnings))


def numbers(text: str) -> tuple[float, ...]:
    """The numbers in a statement, in order: digits, and number words."""
    plain = re.sub(
        r"`[^`]*`", lambda found: found[0] if re.search(r"[<>=≤≥]\s*\d", found[0]) else " ", text
    )
    found = [
        (each.start(), float(each["figure"]) / (100 if each["part"] else 1))
        for each in _FIGURE.finditer(plain)
    ]
    found += [
        (each.start(), float(_NUMBERS[each["word"].lower()])) for each in _COUNTED.finditer(plain)
    ]
    return tuple(number for _, number in sorted(found))


def fragment(text: str, most: int = 6) -> str:
    """The first words, enough to find the place again."""
    plain = " ".join(re.sub(r"[*_`>|]+", " ", _LINK.sub(r"\1", text)).split())
    said = plain.split(" ")
    return " ".join(said[:most]) + (" …" if len(said) > most else "")
