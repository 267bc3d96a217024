"""The closed vocabularies of the roadmap's agents, and the accepted spellings of their words.

No word is searched for inside a text. The whole text must be a word, apart from symbols and
emphasis around it and an explanation after a dash.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from podium.core.verdict import Outcome

CHECKS = ("lint", "typecheck", "build")
"""What Review reports on, each with a word of `CHECK`."""

_TAIL = re.compile(r"[—–.:;(!]| -(?=[ -]|$)")
_GAPS = re.compile(r"[\s_-]+")
_SIGNS = ("So", "Sk", "Mn", "Cf", "Zs")


@dataclass(frozen=True)
class Vocabulary:
    """One closed list of words."""

    words: Mapping[str, Outcome]
    """Best first: if two are stated, the later one counts."""
    spellings: Mapping[str, str] = field(default_factory=dict)
    """Other spellings, folded, to their word."""
    signs: Mapping[str, str] = field(default_factory=dict)
    """Symbols that stand for a word, alone or next to one."""

    def word(self, text: str) -> str:
        """The word that a text states; empty if none, the worse if two."""
        head, tail = split_value(text)
        said = [word for sign, word in self.signs.items() if sign in _signs_of(head)]
        name = fold_word(head)
        if name:
            known = self._known(name)
            if not known:
                return ""
            said += [known, self._known(fold_word(split_value(tail)[0]))]
        return self.worst(said)

    def worst(self, said: Iterable[str]) -> str:
        order = list(self.words)
        return max((word for word in said if word), key=order.index, default="")

    def _known(self, name: str) -> str:
        return self.spellings.get(name) or next(
            (word for word in self.words if fold_word(word) == name), ""
        )


STATUS = Vocabulary({"success": "ok", "needs_revision": "revise", "blocked": "fail"})
VALIDATION = Vocabulary({"aligned": "ok", "drift_detected": "revise"})
TESTS = Vocabulary(
    {"pass": "ok", "fail": "revise"},
    {"passed": "pass", "passing": "pass", "failed": "fail", "failing": "fail"},
    {"✅": "pass", "❌": "fail"},
)
REVIEW = Vocabulary(
    {"ship": "ok", "minor_fixes": "revise", "needs_work": "revise"},
    {"ship it": "ship", "minor fixes needed": "minor_fixes"},
    {"🟢": "ship", "🟡": "minor_fixes", "🔴": "needs_work"},
)
CHECK = Vocabulary(
    {"pass": "ok", "n/a": "ok", "fail": "revise"},
    {**TESTS.spellings, "not applicable": "n/a"},
    TESTS.signs,
)


def plain(text: str) -> str:
    """The text without emphasis, code marks, trailing comment and surrounding space."""
    return text.partition("<!--")[0].replace("*", "").replace("`", "").strip()


def split_value(text: str) -> tuple[str, str]:
    """The first part of a line, and the explanation after a dash, a colon or a bracket."""
    text = plain(text)
    found = _TAIL.search(text)
    return (text[: found.start()], text[found.end() :].strip(" -—–()")) if found else (text, "")


def fold_word(text: str) -> str:
    """Words are compared without case, surrounding symbols and the kind of gap between them."""
    return _GAPS.sub(" ", unsigned(text)).strip().casefold()


def unsigned(text: str) -> str:
    """The text without surrounding symbols and space."""
    text = text.strip()
    start, end = 0, len(text)
    while start < end and _is_sign(text[start]):
        start += 1
    while end > start and _is_sign(text[end - 1]):
        end -= 1
    return text[start:end]


def _is_sign(char: str) -> bool:
    return unicodedata.category(char) in _SIGNS


def _signs_of(text: str) -> set[str]:
    return {char for char in text if unicodedata.category(char) == "So"}
