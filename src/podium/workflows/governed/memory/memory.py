"""Facts that outlive a task: what an entry must contain, and whether it says something new."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from podium.workflows.governed.policy.policy import Policy

FIELDS = ("subject", "fact", "citations", "reason", "category")
ALIKE = 0.85
Kind = Literal["write", "ask", "refuse"]
CHOICES = ("skip", "merge", "create")
"""What a person may decide about an entry that looks known: drop it, merge it with the old one,
keep both with a reason.
"""
_SEPARATORS = re.compile(r"[\s/\\_\-.,:;|()\[\]{}<>\"'`=+*#&]+")


@dataclass(frozen=True)
class MemoryDecision:
    """Whether an entry may be written."""

    kind: Kind
    reason: str
    like: int | None = None
    """The position of the entry it resembles."""
    similarity: float = 0.0


def tokens(entry: Mapping[str, Any]) -> frozenset[str]:
    """The words of an entry's subject and fact, without case."""
    text = f"{entry.get('subject', '')}|{entry.get('fact', '')}".casefold()
    return frozenset(part for part in _SEPARATORS.split(text) if part)


def similarity(one: Mapping[str, Any], other: Mapping[str, Any]) -> float:
    """The share of words that two entries have in common: 0 to 1."""
    mine, theirs = tokens(one), tokens(other)
    return len(mine & theirs) / len(mine | theirs) if mine | theirs else 1.0


def entry_faults(entry: Mapping[str, Any], policy: Policy) -> tuple[str, ...]:
    """Everything that makes an entry invalid."""
    faults = [f"{name} is not known" for name in sorted(set(entry) - set(FIELDS))]
    faults += [f"{name} is missing" for name in FIELDS if not entry.get(name)]
    kinds = policy.texts("memory_hygiene.memory_content_types")
    if entry.get("category") and entry["category"] not in kinds:
        faults.append(
            f"category is {str(entry['category'])[:60]!r}, it must be one of {', '.join(kinds)}"
        )
    citations = entry.get("citations")
    if citations and not (
        isinstance(citations, list) and all(isinstance(each, str) for each in citations)
    ):
        faults.append("citations must be a list of texts")
    return tuple(faults)


def decide_memory(
    entry: Mapping[str, Any], known: Sequence[Mapping[str, Any]], policy: Policy
) -> MemoryDecision:
    """Write what is new and valid, refuse what is invalid, ask about what looks known."""
    if faults := entry_faults(entry, policy):
        return MemoryDecision("refuse", "; ".join(faults))
    if not policy.flag("memory_hygiene.repo_memory_dedup_required"):
        return MemoryDecision("write", "entries are not compared")
    scored = [(similarity(entry, each), -at) for at, each in enumerate(known)]
    best, place = max(scored, default=(0.0, 0))
    if best < ALIKE:
        return MemoryDecision("write", "nothing like it is known", similarity=best)
    return MemoryDecision(
        "ask",
        f"{best:.0%} of its words are in entry {-place + 1}: {known[-place].get('subject', '')}",
        -place,
        best,
    )


def settled(
    entry: Mapping[str, Any],
    known: Sequence[Mapping[str, Any]],
    decision: MemoryDecision,
    choice: str,
    rationale: str = "",
) -> tuple[dict[str, Any], ...]:
    """The entries after a person decided; both are kept only with a reason."""
    entries = [dict(each) for each in known]
    if choice == "skip":
        return tuple(entries)
    if choice == "create":
        if not rationale.strip():
            raise ValueError("two entries that look alike are kept only with a reason")
        return (
            *entries,
            {**entry, "reason": f"{entry['reason']} Kept beside a similar one: {rationale}"},
        )
    if choice != "merge" or decision.like is None:
        raise ValueError(f"{choice!r} is not one of {', '.join(CHOICES)}")
    old = entries[decision.like]
    citations = list(dict.fromkeys([*old["citations"], *entry["citations"]]))
    entries[decision.like] = {
        **old,
        "fact": entry["fact"],
        "citations": citations,
        "reason": entry["reason"],
    }
    return tuple(entries)


def archivable(status: str, age_days: float, policy: Policy) -> bool:
    """Whether a finished plan's documents may go to the archive."""
    old = age_days >= policy.integer("memory_hygiene.archive_completed_plans_threshold_days")
    return old and status in policy.texts("memory_hygiene.archive_eligible_statuses")
