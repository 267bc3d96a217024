"""Everything that is asked about a workflow and the workflows of its child runs, in one answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from podium.checking.approving import Approval, approvals
from podium.checking.asking import dealings
from podium.checking.ending import endless
from podium.checking.producing import artifacts
from podium.checking.reaching import dead
from podium.core.effects import FanOut
from podium.core.explore import explore
from podium.core.proofs import Exploration, Violation
from podium.core.workflow import Workflow

CLAIMS = {
    "every step can be reached": {"unreachable step", "unused edge", "unknown step"},
    "every outcome can happen": {"dead outcome", "unused outcome"},
    "no route fails": {"broken route", "undeclared exit"},
    "nothing is stuck": {"stuck state"},
    "every loop ends by itself or asks a person": {"endless loop", "unbounded"},
    "no approval is bypassed": {"approval bypassed", "missing gate"},
    "every file has one producer before its readers": {
        "two producers",
        "read before it is made",
        "broken contract",
    },
}
"""What is asked of every workflow, with the names of the violations that break it."""


@dataclass(frozen=True)
class Examined:
    """One workflow, explored and examined."""

    found: Exploration
    violations: tuple[Violation, ...]
    approvals: tuple[Approval, ...]
    artifacts: dict[str, list[str]]
    below: tuple[Examined, ...] = ()

    def claims(self) -> list[str]:
        """What was found to hold: general claims, then the workflow's own; nothing if
        exploration was cut off.
        """
        if not self.found.complete:
            return []
        broken = {each.name for each in self.violations}
        general = [claim for claim, names in CLAIMS.items() if broken.isdisjoint(names)]
        return [
            *general,
            *(each.name for each in self.found.workflow.invariants if each.name not in broken),
        ]

    def family(self) -> Iterator[Examined]:
        yield self
        for each in self.below:
            yield from each.family()


def examine(workflow: Workflow, walk: Callable[[Workflow], Exploration] = explore) -> Examined:
    found = walk(workflow)
    dealt, unasked = dealings(found)
    approved, bypassed = approvals(found, dealt)
    made, unmade = artifacts(found, dealt)
    broken = (*found.violations, *_general(found, unasked), *bypassed, *unmade)
    return Examined(
        found,
        broken,
        tuple(approved),
        made,
        tuple(examine(each, walk) for each in children(workflow)),
    )


def _general(found: Exploration, unasked: Iterable[Violation]) -> Iterator[Violation]:
    yield from dead(found)
    yield from endless(found)
    yield from unasked


def children(workflow: Workflow) -> list[Workflow]:
    """The workflows of the child runs that this one starts, each once."""
    found = [
        each.effect.workflow()
        for each in workflow.steps.values()
        if isinstance(each.effect, FanOut)
    ]
    return list({each.name: each for each in found}.values())
