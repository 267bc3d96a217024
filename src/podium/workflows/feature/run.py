"""What a run of a feature keeps: its position in the loops, its plan, and the memory its agents
share.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from podium.core.run import Run

MAX_WARNINGS = 50
WARNING = "feature.warning"
"""The event for something that was not as it should be but did not stop the run."""
Fact = Mapping[str, Any]


@dataclass(kw_only=True)
class FeatureRun(Run):
    slug: str = "feature"
    title: str = field(default="", compare=False)
    request: str = field(default="", compare=False)
    began: str = field(default="", compare=False)
    """The day the run began."""
    approval_mode: bool = False
    strict: bool = field(default=False, compare=False)
    """Whether a document that lacks sections is refused."""
    ct_loops: int = 0
    """How often the design review sent the design back."""
    v_loops: int = 0
    """How often the verification sent the plan back."""
    r_loops: int = 0
    """How often the tasks' own agents fixed a review's findings."""
    security_asked: bool = False
    """Whether the security review of this round was asked a second time."""
    replanned: bool = False
    """Whether a review has forced the one full replan."""
    constrained: bool = False
    """Whether the design review ended with open findings that bind the planner."""
    findings: bool = False
    """Whether verification ended with findings that nobody fixed."""
    planning: int = 0
    """The number of the current plan, from 1."""
    extends: bool = field(default=False, compare=False)
    """Whether the run extends the plan of an earlier run."""
    found: dict[str, Any] = field(default_factory=dict, compare=False)
    """The tasks of that plan and which of them were finished, as this run found them: what a
    rewind goes back to.
    """
    built: int = field(default=0, compare=False)
    """How many plans were carried out, including this one. It is part of keys, so it never goes
    back.
    """
    queue: list[dict[str, Any]] = field(default_factory=list, compare=False)
    """The waves of the plan in order, in parts small enough to run side by side: {wave, tasks}."""
    left: int = 0
    """How many parts are still to be done; after a failure, the parts not yet started no longer
    count.
    """
    affected: list[str] = field(default_factory=list)
    """Tasks that a review sends back."""
    tasks: dict[str, dict[str, Any]] = field(default_factory=dict, compare=False)
    """Task id to its file, its agent, what it waits for and what it changed."""
    finished: list[str] = field(default_factory=list, compare=False)
    """Tasks whose work is in the project."""
    failed: list[str] = field(default_factory=list, compare=False)
    """Tasks that must be fixed, whether their work is in the project or not."""
    touched: list[str] = field(default_factory=list, compare=False)
    """Code paths changed so far."""
    tier: str = field(default="", compare=False)
    broken: list[str] = field(default_factory=list, compare=False)
    """Which of the engine's own commands failed after a fix pass."""
    ct_seen: dict[str, Any] = field(default_factory=dict, compare=False)
    """Each member of the last design review to its result."""
    build_seen: dict[str, Any] = field(default_factory=dict, compare=False)
    """The same for the verification's gate, which runs before the other members."""
    v_seen: dict[str, Any] = field(default_factory=dict, compare=False)
    r_seen: dict[str, Any] = field(default_factory=dict, compare=False)
    results: dict[str, Any] = field(default_factory=dict, compare=False)
    """Task to its result, until its part of a wave is counted."""
    memory: dict[str, Any] = field(default_factory=dict, compare=False)
    warnings: list[str] = field(default_factory=list, compare=False)

    @property
    def folder(self) -> str:
        return f"docs/feature/{self.slug}"

    def warn(self, *said: str) -> None:
        self.warnings = warned(self, said)

    def part(self) -> dict[str, Any]:
        """The part that is next."""
        return (
            self.queue[-self.left] if 0 < self.left <= len(self.queue) else {"wave": 0, "tasks": []}
        )

    def planned(self) -> list[str]:
        """Every task of the queue, in order."""
        return [each for part in self.queue for each in part["tasks"]]


def warned(run: FeatureRun, said: Iterable[str]) -> list[str]:
    """The run's warnings plus these, without duplicates; if there are too many, the newest."""
    return list(dict.fromkeys((*run.warnings, *said)))[-MAX_WARNINGS:]


def told(said: Iterable[str]) -> tuple[Fact, ...]:
    """Warnings as one event, so that a reader of the log finds them where they arose."""
    lines = list(dict.fromkeys(said))
    return ({"type": WARNING, "text": "\n".join(lines)},) if lines else ()
