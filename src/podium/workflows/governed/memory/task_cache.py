"""Earlier phases that look alike: a hint for people, never a reason to skip work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from podium.workflows.governed.memory.memory import ALIKE, tokens
from podium.workflows.governed.plan.plan import Phase
from podium.workflows.governed.policy.policy import Policy


@dataclass(frozen=True)
class Done:
    """A phase of an earlier plan."""

    plan_id: str
    title: str
    files: tuple[str, ...]


@dataclass(frozen=True)
class Advice:
    """An earlier phase worth a look."""

    kind: Literal["remark", "question"]
    """A question to a person if the policy wants more than a remark; neither completes anything
    by itself.
    """
    like: Done
    similarity: float


def earlier(phase: Phase, done: Sequence[Done], policy: Policy) -> tuple[Advice, ...]:
    """The most similar of the last phases by title and files, best first; `done` is oldest
    first.
    """
    if not policy.flag("task_cache.enabled"):
        return ()
    recent = done[-policy.integer("task_cache.lookback_phases") :]
    kind: Literal["remark", "question"] = (
        "remark" if policy.flag("task_cache.recommendation_only") else "question"
    )
    found = [Advice(kind, each, round(_alike(phase, each), 4)) for each in recent]
    return tuple(
        sorted(
            (each for each in found if each.similarity >= ALIKE), key=lambda each: -each.similarity
        )
    )


def _alike(phase: Phase, done: Done) -> float:
    mine, theirs = _words(phase.title, phase.writes), _words(done.title, done.files)
    return len(mine & theirs) / len(mine | theirs) if mine | theirs else 0.0


def _words(title: str, files: Sequence[str]) -> frozenset[str]:
    return tokens({"subject": title}) | frozenset(f"file:{path}" for path in files)
