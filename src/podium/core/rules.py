"""A rule that the program enforces, listed by name so that prose about it leads to the code and
its test.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True)
class Rule:
    """One rule of a workflow, or of the engine under all of them."""

    id: str
    """`workflow.name`."""
    says: str
    """The rule in one sentence."""
    test: str
    """The test that fails if the rule is broken: `tests/path.py::test_name`."""
    about: tuple[str, ...]
    """How people phrase it. Each entry is a list of terms that must all occur; a term is one or
    more word beginnings separated by `|`.
    """
    number: float | None = None
    """The number in it, by the workflow's defaults."""
    policy: str = ""
    """The policy value that sets the number."""


@lru_cache(maxsize=1000)
def alternatives(rule: Rule) -> tuple[tuple[frozenset[str], ...], ...]:
    """The entries of `about`: each as its terms, each term as its word beginnings."""
    return tuple(
        tuple(frozenset(term.split("|")) for term in entry.split()) for entry in rule.about
    )


def terms(rules: Iterable[Rule]) -> frozenset[str]:
    """Every word beginning that any rule uses."""
    return frozenset(
        each for rule in rules for entry in alternatives(rule) for term in entry for each in term
    )
