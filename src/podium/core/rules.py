"""A rule that the program holds, as a catalogue names it: so that prose about it can be led to the code and its proof."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from podium.core.dataclass import dataclass


@dataclass(frozen=True)
class Rule:
    """One rule of a workflow, or of the engine under all of them."""

    id: str
    """`workflow.name`."""
    says: str
    """The rule in one sentence."""
    test: str
    """The test that fails where the rule is broken: `tests/path.py::test_name`."""
    about: tuple[str, ...]
    """How people speak of it. Each entry is a list of terms that must all occur; a term is one or more beginnings of
    words with `|` between them."""
    number: float | None = None
    """The number in it, as the workflow comes."""
    policy: str = ""
    """The policy value that sets the number."""


@lru_cache(maxsize=1000)
def alternatives(rule: Rule) -> tuple[tuple[frozenset[str], ...], ...]:
    """The entries of `about`, each as its terms, each term as its beginnings."""
    return tuple(tuple(frozenset(term.split("|")) for term in entry.split()) for entry in rule.about)


def terms(rules: Iterable[Rule]) -> frozenset[str]:
    """Every beginning of a word that some rule is spoken of with."""
    return frozenset(each for rule in rules for entry in alternatives(rule) for term in entry for each in term)
