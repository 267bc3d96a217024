"""What may follow a state, with weights: the workflow says what is possible, the model how
likely it is.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from podium.core.effects import Check, Gate
from podium.core.run import Run
from podium.core.workflow import Step, Workflow
from podium.simulation.model import Chance, StepModel

USUAL = 0.85
"""How often a step ends in its first outcome if the model says nothing; the others share the
rest.
"""


@dataclass(frozen=True)
class Choice:
    outcome: str
    sets: Mapping[str, Any]


@dataclass(frozen=True)
class Options:
    """Choices with cumulative weights."""

    choices: tuple[Choice, ...]
    totals: tuple[float, ...]

    def draw(self, chance: Chance) -> int:
        """The position of one choice; a single draw, however many there are."""
        at = chance() * self.totals[-1]
        return min(bisect_right(self.totals, at), len(self.choices) - 1)


def options(workflow: Workflow, run: Run, model: StepModel, before: str) -> Options | None:
    """Everything that can happen here, with weights; None if nothing can."""
    step = workflow.steps[run.step]
    likely = _likely(step, model, before)
    found: list[tuple[Choice, float]] = []
    for outcome in _offered(step):
        imagined = workflow.imagined(run, outcome)
        shares = _shares(imagined, model)
        found += [
            (Choice(outcome, sets), likely.get(outcome, 0.0) * share)
            for sets, share in zip(imagined, shares, strict=True)
        ]
    if not found:
        return None
    if not any(weight for _, weight in found):
        found = [
            (choice, 1.0) for choice, _ in found
        ]  # nothing that the model knows can happen here
    kept = [(choice, weight) for choice, weight in found if weight > 0]
    return Options(
        tuple(choice for choice, _ in kept), tuple(accumulate(weight for _, weight in kept))
    )


def _offered(step: Step) -> Sequence[str]:
    """A gate's choices come first; edits by a person are not simulated."""
    if isinstance(step.effect, Gate):
        return tuple(dict.fromkeys((*step.effect.choices, *step.outcomes)))
    edited = step.effect.edited if isinstance(step.effect, Check) else ()
    return tuple(each for each in step.outcomes if each not in edited) or step.outcomes


def _likely(step: Step, model: StepModel, before: str) -> Mapping[str, float]:
    said = model.after.get(before) or model.outcomes
    if said:
        return said
    first, *rest = _offered(step) or ("",)
    return {first: USUAL, **dict.fromkeys(rest, (1 - USUAL) / max(1, len(rest)))}


def _shares(imagined: Sequence[Mapping[str, Any]], model: StepModel) -> list[float]:
    """How an outcome's weight is shared among what it may set; evenly if the model does not say."""
    weights = [_weight(sets, model) for sets in imagined]
    total = sum(weights)
    return (
        [each / total for each in weights]
        if total
        else [1 / len(imagined) for _ in imagined]
        if imagined
        else []
    )


def _weight(sets: Mapping[str, Any], model: StepModel) -> float:
    weight = 1.0
    for member, likely in model.sets.items():
        if member in sets:
            weight *= likely.get(spelled(sets[member]), 0.0)
    if model.words:
        for word in _leaves(sets):
            weight *= model.words.get(word, 1.0)
    return weight


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _leaves(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _leaves(each)


def spelled(value: Any) -> str:
    """A value as a model file writes it as a key."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(len(value)) if isinstance(value, list | tuple | dict) else str(value)
