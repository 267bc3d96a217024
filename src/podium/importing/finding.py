"""The rules of one document: its statements, those that ask for something, and what each is about."""

from __future__ import annotations

from collections.abc import Iterable

from podium.core.dataclass import dataclass
from podium.importing.kinds import Kind, kind_of
from podium.importing.statements import statements
from podium.importing.wording import fragment, hits, numbers, words


@dataclass(frozen=True)
class Found:
    """One rule, as far as it can be told from its words."""

    line: int
    kind: Kind
    enforceable: bool
    """Whether a program could hold somebody to it; the rest is advice."""
    numbers: tuple[float, ...]
    topics: tuple[str, ...]
    """Terms of the catalogues that it speaks of."""
    around: tuple[str, ...]
    """Those of the words before its list and of its heading."""
    quote: str
    """Its first words, to find the place again."""


def find(text: str, terms: Iterable[str], first: int = 1) -> tuple[Found, ...]:
    """Every rule in a text; `terms` are the topics that catalogues know."""
    known = frozenset(terms)
    found = []
    for said in statements(text, first):
        kind = kind_of(said)
        if kind is None:
            continue
        topics = hits(known, words(said.text))
        around = hits(known, words(f"{said.section} {said.lead}")) - topics
        number = numbers(said.text)
        found.append(Found(said.line, *kind, number, tuple(sorted(topics)), tuple(sorted(around)), fragment(said.text)))
    return tuple(found)
