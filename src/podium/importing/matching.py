"""Compares a rule found in prose with the rules that Podium enforces: which one it is, and how
sure that is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from podium.core.rules import Rule, alternatives
from podium.importing.finding import Found

Standing = Literal["enforced", "other number", "not enforced", "advisory"]
Confidence = Literal["sure", "likely", ""]
LEAST, SURE = 3, 5
"""The minimum is one topic of its own and one from its surroundings; two and one leave little
doubt.
"""
GENERAL = "engine."
"""A workflow's own rule is closer to what people mean than one that applies everywhere."""
OWN, AROUND = 2, 1
"""What a topic counts for, by where it is mentioned."""


@dataclass(frozen=True)
class Matched:
    """One rule of a document, and what became of it."""

    found: Found
    rule: Rule | None
    standing: Standing
    confidence: Confidence


def match(found: Found, rules: Sequence[Rule]) -> Matched:
    """The rule that it matches most closely: among limits the one with its number, among equals
    the first.
    """
    best, closest = None, (0, LEAST - 1)
    for rule in rules:
        common = (
            _common(found, rule)
            - int(rule.id.startswith(GENERAL))
            - OWN * int(_unlike(found, rule))
        )
        numbered = int(common >= LEAST and found.kind == "limit" and rule.number in found.numbers)
        if common >= LEAST and (numbered, common) > closest:
            best, closest = rule, (numbered, common)
    if best is None:
        return Matched(found, None, "not enforced" if found.enforceable else "advisory", "")
    sure: Confidence = "sure" if closest[1] >= SURE or closest[0] else "likely"
    return Matched(found, best, "other number" if _differs(found, best) else "enforced", sure)


def match_all(found: Iterable[Found], rules: Sequence[Rule]) -> tuple[Matched, ...]:
    return tuple(match(each, rules) for each in found)


def _common(found: Found, rule: Rule) -> int:
    """How closely it matches the rule; 0 if no alternative fits, or none of its own words does."""
    own, around = frozenset(found.topics), frozenset(found.around)
    best = 0
    for entry in alternatives(rule):
        counts = [OWN if term & own else AROUND if term & around else 0 for term in entry]
        if all(counts) and OWN in counts:
            best = max(best, sum(counts))
    return best


def _differs(found: Found, rule: Rule) -> bool:
    """Whether it is a limit with a number that differs from the rule's."""
    return (
        found.kind == "limit"
        and rule.number is not None
        and bool(found.numbers)
        and rule.number not in found.numbers
    )


def _unlike(found: Found, rule: Rule) -> bool:
    """Whether it is a limit with a number, and the rule has another number or none."""
    if found.kind != "limit" or not found.numbers or rule.policy:
        return False
    return rule.number is None or rule.number not in found.numbers


def closeness(matched: Iterable[Matched]) -> int:
    """How much of a document is surely about the rules of one workflow, not of all."""
    own = (
        each for each in matched if each.rule is not None and not each.rule.id.startswith(GENERAL)
    )
    return sum(each.confidence == "sure" for each in own)
