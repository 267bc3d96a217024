"""Agents that answer anything: right words, wrong words, words of other steps. The routes must
withstand all of it.

Every step is a real call of `advance`. A person often lets a blocked run continue, as in reality.
The onlooker must count nothing in the end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from podium.core.advance import advance, unblocked
from podium.core.effects import Check, FanOut, Gate
from podium.core.errors import MISTAKES
from podium.core.explore import outcomes_of
from podium.core.run import ENDED, Run, Status
from podium.core.workflow import Step, Workflow
from podium.simulation.model import Chance
from podium.simulation.watching import Onlooker, Rule

WRONG = 0.2
"""How often an agent answers something that its step does not declare."""
GOOD = 0.55
"""How often somebody takes the first option, so that runs get far."""
SENT_ON = 0.7
"""How often a person lets a blocked run continue."""
OTHER = 0.5
"""How often a child run is of a random kind, not of the kind its parent imagines."""
LONGEST = 300
"""Steps after which a run is abandoned, so that many begin."""
LIES = (
    "",
    "OK",
    "approved",
    "APPROVED",
    "done",
    "complete",
    "skip",
    "force",
    "yes",
    "ok ",
    "Ok",
    "proceed",
    "accept",
    "\x00",
    "null",
)
"""What agents say that want to be further than they are."""
SHOWN = 5

T = TypeVar("T")


@dataclass
class Counted:
    """What was walked and what was seen."""

    steps: int = 0
    runs: int = 0
    complete: int = 0
    wrong: int = 0
    """Answers that no step declares."""
    refused: int = 0
    """Those that had no effect."""
    skipped: int = 0
    bypassed: int = 0
    by_step: Counter[str] = field(default_factory=Counter)
    known: set[str] = field(default_factory=set)
    """Rules about these workflows."""
    asked: set[str] = field(default_factory=set)
    """Those that applied to at least one run."""
    stories: list[str] = field(default_factory=list)

    def add(self, other: Counted) -> None:
        for name in ("steps", "runs", "complete", "wrong", "refused", "skipped", "bypassed"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.by_step.update(other.by_step)
        self.known |= other.known
        self.asked |= other.asked
        self.stories = [*self.stories, *other.stories][:SHOWN]

    @property
    def sound(self) -> bool:
        return not self.skipped and not self.bypassed and self.wrong == self.refused


Progress = Callable[[int, int], None]


def assault(
    workflow: Workflow,
    rules: Callable[[Workflow], Sequence[Rule]],
    steps: int,
    chance: Chance,
    progress: Progress = lambda _done, _all: None,
) -> Counted:
    """At least this many steps of fresh runs, checked against the rules of their workflow."""
    counted = Counted()
    attack = _Attack(rules, chance, counted)
    while counted.steps < steps:
        attack.run(workflow, attack.one(workflow.variants()))
        progress(min(counted.steps, steps), steps)
    return counted


@dataclass
class _Attack:
    rules: Callable[[Workflow], Sequence[Rule]]
    chance: Chance
    counted: Counted

    def one(self, among: Sequence[T]) -> T:
        return among[min(int(self.chance() * len(among)), len(among) - 1)]

    def run(self, workflow: Workflow, run: Run) -> Run:
        """One run until it has ended, is left blocked, or is long enough."""
        onlooker, told = Onlooker(self.rules(workflow)), list[tuple[str, str]]()
        onlooker.begin(run)
        self.counted.runs += 1
        words = _words(workflow)
        for _ in range(LONGEST):
            if run.status in ENDED:
                break
            if run.status is Status.BLOCKED:
                if self.chance() > SENT_ON:
                    break
                told.append((run.step, "(sent on)"))
                before, run = run.step, unblocked(workflow, run)
                if run.step != before:  # otherwise it is where it was
                    onlooker.entered(run.step)
                continue
            run = self._step(workflow, run, words, onlooker, told)
        self.counted.complete += run.status is Status.COMPLETE
        self._tell(workflow, onlooker, told)
        return run

    def _step(
        self,
        workflow: Workflow,
        run: Run,
        words: Sequence[str],
        onlooker: Onlooker,
        told: list[tuple[str, str]],
    ) -> Run:
        step = workflow.steps[run.step]
        outcome, sets = self._answer(workflow, run, step, words)
        declared = outcome in step.outcomes
        after = advance(workflow, run, outcome, sets)
        self.counted.steps += 1
        self.counted.by_step[f"{workflow.name}/{run.step}"] += 1
        told.append((run.step, outcome))
        stopped = after.status is Status.BLOCKED and after.step == run.step
        if not declared:
            self.counted.wrong += 1
            self.counted.refused += stopped
        if not stopped:
            onlooker.ended(run.step, outcome)
            onlooker.entered(after.step)
        return after

    def _answer(
        self, workflow: Workflow, run: Run, step: Step, words: Sequence[str]
    ) -> tuple[str, Mapping[str, Any]]:
        if isinstance(step.effect, FanOut):
            said = self._children(run, step.effect)
            if said and self.chance() > WRONG:
                return said, self._sets(workflow, run, said)
        elif not isinstance(step.effect, Gate | Check) and self.chance() < WRONG:
            lie = self.one(words)
            return lie, self._sets(workflow, run, lie) if lie in step.outcomes else {}
        possible = [each for each in outcomes_of(step) if workflow.imagined(run, each)]
        outcome = possible[0] if self.chance() < GOOD else self.one(possible)
        return outcome, self._sets(workflow, run, outcome)

    def _sets(self, workflow: Workflow, run: Run, outcome: str) -> Mapping[str, Any]:
        imagined = workflow.imagined(run, outcome)
        return self.one(imagined) if imagined else {}

    def _children(self, run: Run, fan_out: FanOut) -> str:
        """Child runs of every kind are attacked too, and the step judges the results."""
        below = fan_out.workflow()
        kinds = below.variants()
        try:
            ended = {
                each.key: self.run(
                    below, self.one(kinds) if self.chance() < OTHER else below.first(**each.members)
                )
                for each in fan_out.items(run)
            }
            return fan_out.decide(ended).route if ended else ""
        except MISTAKES:
            return ""

    def _tell(
        self, workflow: Workflow, onlooker: Onlooker, told: Sequence[tuple[str, str]]
    ) -> None:
        self.counted.known.update(f"{workflow.name}: {each.said}" for each in onlooker.rules)
        self.counted.asked.update(f"{workflow.name}: {each}" for each in onlooker.asked)
        for broken, at in onlooker.found:
            if broken.kind == "gate":
                self.counted.bypassed += 1
            else:
                self.counted.skipped += 1
            if len(self.counted.stories) < SHOWN:
                way = ", ".join(f"{step} {outcome}" for step, outcome in told[-12:])
                self.counted.stories.append(
                    f"{workflow.name}: {broken.said} (after {at} steps): … {way}"
                )


def _words(workflow: Workflow) -> list[str]:
    """Every word with a meaning somewhere in the workflow, and some without any."""
    known = {
        word
        for step in workflow.steps.values()
        for word in (*step.outcomes, *step.exits, step.name)
    }
    return [*sorted(known), *LIES]
