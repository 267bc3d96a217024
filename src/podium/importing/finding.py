"""The rules of one document: the statements that ask for something, and what each is about."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from podium.importing.kinds import Kind, kind_of
from podium.importing.statements import statements
from podium.importing.wording import fragment, hits, numbers, words


@dataclass(frozen=True)
class Found:
    """One rule, as far as its words reveal it."""

    line: int
    kind: Kind
    enforceable: bool
    """Whether a program could enforce it; the rest is advice."""
    numbers: tuple[float, ...]
    topics: tuple[str, ...]
    """Terms of the catalogues that it mentions."""
    around: tuple[str, ...]
    """Terms in the words before its list and in its heading."""
    quote: str
    """Its first words, to find the place again."""


def find(text: str, terms: Iterable[str], first: int = 1) -> tuple[Found, ...]:
    """Every rule in a text; `terms` are the topics that the catalogues know."""
    known = frozenset(terms)
    found = []
    for said in statements(text, first):
        kind = kind_of(said)
        if kind is None:
            continue
        topics = hits(known, words(said.text))
        around = hits(known, words(f"{said.section} {said.lead}")) - topics
        number = numbers(said.text)
        found.append(
            Found(
                said.line,
                *kind,
                number,
                tuple(sorted(topics)),
                tuple(sorted(around)),
                fragment(said.text),
            )
        )
    return tuple(found)
