"""What must hold for every item, whatever its agents say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from podium.core.proofs import Exploration, story
from podium.core.run import DONE, Run
from podium.core.workflow import Invariant


def invariants(max_retries: int, evidence: str) -> tuple[Invariant, ...]:
    most = max_retries + 1
    found = [
        Invariant(
            "an item is never done without Testing after its last change",
            partial(_after, "testing", "ok", _built),
        ),
        Invariant(
            "an item is never done without Review after its last change",
            partial(_after, "review", "ok", _built),
        ),
        Invariant(
            "a complex item is never done without Architect validation",
            partial(_after, "validate", "ok", _complex),
        ),
        Invariant(
            "no item but a simple one is built without the Architect's design",
            partial(_before, "architect", {"medium", "complex"}),
        ),
        Invariant(
            "no complex item is built without Research", partial(_before, "research", {"complex"})
        ),
        Invariant(
            f"at most {most} attempt{'s' * (most > 1)} without a person", partial(_attempts, most)
        ),
    ]
    if evidence == "observe":
        found.append(
            Invariant(
                "an item is never done before the engine ran the commands that prove it",
                partial(_after, "verify", "pass", _built),
            )
        )
    return tuple(found)


def _built(run: Run) -> bool:
    return run.step == "implement"


def _complex(run: Run) -> bool:
    return run.step == "implement" and getattr(run, "complexity", "") == "complex"


def _after(
    step: str, outcome: str, starts: Callable[[Run], bool], found: Exploration
) -> Sequence[str]:
    around = found.dominated(DONE, step, outcome, starts)
    return [] if around is None else [f"done without {step} {outcome}: {story(around)}"]


def _before(step: str, kinds: set[str], found: Exploration) -> Sequence[str]:
    """For an item that starts from the beginning; one that a person edited half-way continues
    where they decide.
    """
    fresh = {id(found.states[n]) for n in found.starts if found.states[n].step != "edited"}
    around = found.dominated(
        "implement",
        step,
        "ok",
        lambda run: id(run) in fresh and getattr(run, "complexity", "") in kinds,
    )
    return [] if around is None else [f"built without {step}: {story(around)}"]


def _attempts(most: int, found: Exploration) -> Sequence[str]:
    seen = found.most_visits("implement")
    return [] if seen <= most else [f"Implement can run {seen:g} times"]
