"""The closed severity words of each cluster, from best to worst; an unknown word counts as the
worst.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

_SIGNS = ("So", "Mn", "Cf", "Zs")
_TAIL = frozenset("—–:;(.")


def bare(text: str) -> str:
    """The text without emphasis, trailing comment and the symbols people put around a word."""
    text = text.partition("<!--")[0].replace("*", "").replace("`", "").strip(" \t_")
    start, end = 0, len(text)
    while start < end and unicodedata.category(text[start]) in _SIGNS:
        start += 1
    while start < end and unicodedata.category(text[end - 1]) in _SIGNS:
        end -= 1
    return text[start:end]


def headword(text: str) -> str:
    """What a value says before its dash, colon, parenthesis or full stop, folded for comparison."""
    text = bare(text).replace(" - ", " — ")
    end = next((at for at, char in enumerate(text) if char in _TAIL), len(text))
    return " ".join(text[:end].split()).casefold()


@dataclass(frozen=True)
class Scale:
    """One cluster's words."""

    words: tuple[str, ...]
    """From best to worst; the first means that nothing was found."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Folded words of other scales, and their equivalent here."""

    @property
    def nothing(self) -> str:
        return self.words[0]

    @property
    def worst(self) -> str:
        return self.words[-1]

    def read(self, said: str) -> str:
        """The word that counts: an empty text means nothing found, an unknown word the worst."""
        if not said.strip():
            return self.nothing
        return self._find(said) or self.worst

    def rank(self, said: str) -> int:
        return self.words.index(self.read(said))

    def highest(self, said: Iterable[str]) -> str:
        return max((self.read(each) for each in said), key=self.words.index, default=self.nothing)

    def at_least(self, said: str, word: str) -> bool:
        return self.rank(said) >= self.words.index(word)

    def _find(self, said: str) -> str | None:
        if said in self.words:
            return said
        folded = headword(said)
        own = next((word for word in self.words if word.casefold() == folded), None)
        return own or self.aliases.get(folded)


CT = Scale(("None", "Low", "Medium", "High", "Critical"))
R = Scale(("None", "Minor", "Major", "Blocker"), {"critical": "Blocker"})
V = Scale(
    ("PASS", "PARTIAL", "FAIL"),
    {
        # The severities of a verdict object are words of the other two clusters.
        **dict.fromkeys(("none", "low", "minor", "medium"), "PASS"),
        **dict.fromkeys(("high", "major", "critical", "blocker"), "FAIL"),
    },
)
_NO_CLUSTER = Scale(("None", "Low", "Minor", "Medium", "Major", "High", "Blocker", "Critical"))


def scale_of(member: str) -> Scale:
    """The scale of the cluster that an agent belongs to, by the agent's name."""
    return {"ct": CT, "v": V, "r": R}.get(member.partition("-")[0], _NO_CLUSTER)


_WEIGHTS: Mapping[str, int] = {
    **dict.fromkeys(("None", "PASS"), 0),
    **dict.fromkeys(("Low", "Minor"), 1),
    **dict.fromkeys(("Medium", "PARTIAL"), 2),
    **dict.fromkeys(("High", "Major"), 3),
    **dict.fromkeys(("Critical", "Blocker", "FAIL"), 4),
}


def weight(severity: str) -> int:
    """How bad a word is, whatever its cluster; an unknown word weighs most."""
    return _WEIGHTS.get(severity, 5)
