"""Declarations without use: steps that no run reaches, outcomes that no run sees."""

from __future__ import annotations

from collections.abc import Iterator

from podium.core.proofs import Exploration, Violation


def dead(found: Exploration) -> Iterator[Violation]:
    """Unreachable steps and dead outcomes; after an incomplete exploration nothing can be called
    either.
    """
    if not found.complete:
        return
    entered = {run.step for run in found.states}
    happened = {(found.states[each.source].step, each.outcome) for each in found.transitions}
    known = {
        each.path[-1]
        for each in found.violations
        if each.name in {"unused outcome", "broken route", "undeclared exit"} and each.path
    }
    for name, each in found.workflow.steps.items():
        if name not in entered:
            yield Violation("unreachable step", f"no run ever comes to {name}")
            continue
        for outcome in each.outcomes:
            if (name, outcome) not in happened and (name, outcome) not in known:
                yield Violation(
                    "dead outcome", f"{name} declares {outcome}, which can never happen there"
                )
