"""An onlooker that knows what must have happened before what, and nothing about routes.

It is told where a run begins, how its steps end and what it enters next; it counts stages that were
skipped and gates that were bypassed. Its rules come from the specification (`specified`), so a
mistake in a workflow cannot be in both places.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from podium.core.run import Run

End = tuple[str, str]
"""A step and how it ended."""


@dataclass(frozen=True)
class Rule:
    """Before `target` is entered, one of `needs` must have happened, after the last of `since`."""

    kind: Literal["stage", "gate"]
    target: str
    needs: frozenset[End]
    since: frozenset[str | End] = frozenset()
    """Steps or ends of steps after which it is due again."""
    when: Callable[[Run], bool] = lambda _: True
    """Whether the rule applies to the run, judged when it begins."""
    said: str = ""
    at_once: bool = True
    """Whether it is due from the beginning, or only after something in `since`."""


def rule(
    kind: Literal["stage", "gate"],
    target: str,
    needs: Sequence[str],
    since: Iterable[str | End] = (),
    when: Callable[[Run], bool] = lambda _: True,
    *,
    at_once: bool = True,
) -> Rule:
    """`needs`: each as `step outcome`."""
    ends = frozenset(
        (step, outcome) for step, _, outcome in (each.partition(" ") for each in needs)
    )
    return Rule(
        kind,
        target,
        ends,
        frozenset(since),
        when,
        f"{target} without {' or '.join(needs)}",
        at_once,
    )


@dataclass
class Onlooker:
    """Watches one run; what it finds is added to the counts of all."""

    rules: Sequence[Rule]
    found: list[tuple[Rule, int]] = field(default_factory=list)
    """Each broken rule, with the number of ends before it."""
    asked: set[str] = field(default_factory=set)
    """Rules whose target was entered, so that they applied."""
    _due: list[int] = field(default_factory=list)
    _met: list[bool] = field(default_factory=list)
    _ends: int = 0

    def begin(self, run: Run) -> None:
        self._due = [place for place, each in enumerate(self.rules) if each.when(run)]
        self._met = [not each.at_once for each in self.rules]
        self.entered(run.step)

    def ended(self, step: str, outcome: str) -> None:
        self._ends += 1
        end = step, outcome
        for place in self._due:
            each = self.rules[place]
            if end in each.since:
                self._met[place] = False
            if end in each.needs:
                self._met[place] = True

    def entered(self, step: str) -> None:
        for place in self._due:
            each = self.rules[place]
            if each.target == step:
                self.asked.add(each.said)
                if not self._met[place]:
                    self.found.append((each, self._ends))
            if step in each.since:
                self._met[place] = False
