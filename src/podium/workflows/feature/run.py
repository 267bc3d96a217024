"""What a run of a feature keeps: where it is in its loops, its plan, and the memory its agents share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from podium.core.run import Run

MAX_WARNINGS = 50


@dataclass(kw_only=True)
class FeatureRun(Run):
    slug: str = "feature"
    title: str = field(default="", compare=False)
    request: str = field(default="", compare=False)
    began: str = field(default="", compare=False)
    """The day the run began."""
    approval_mode: bool = False
    ct_loops: int = 0
    """How often the design review sent the design back."""
    v_loops: int = 0
    """How often the verification sent the plan back."""
    r_loops: int = 0
    """How often the review sent tasks back to their implementers."""
    replanned: bool = False
    """Whether a review has forced the one full replan."""
    constrained: bool = False
    """Whether the design review ended with tensions that bind the planner."""
    findings: bool = False
    """Whether verification ended with what nobody mended."""
    planning: int = 0
    """Which plan this is, from 1."""
    queue: list[dict[str, Any]] = field(default_factory=list)
    """Parts of waves still to be done and done, in order: {wave, tasks}."""
    at: int = 0
    """The part that is next."""
    affected: list[str] = field(default_factory=list)
    """Tasks a review sends back."""
    tasks: dict[str, dict[str, Any]] = field(default_factory=dict, compare=False)
    """Task id to its file, its agent and what it waits for."""
    finished: list[str] = field(default_factory=list, compare=False)
    """Tasks whose work stands."""
    failed: list[str] = field(default_factory=list, compare=False)
    """Tasks of this plan that ended with ERROR."""
    touched: list[str] = field(default_factory=list, compare=False)
    """Code paths changed so far."""
    tier: str = field(default="", compare=False)
    seen: dict[str, Any] = field(default_factory=dict, compare=False)
    """Cluster member to what it came to, until its cluster is judged."""
    build_seen: dict[str, Any] = field(default_factory=dict, compare=False)
    """The same of the verification's gate, which runs before the others."""
    results: dict[str, Any] = field(default_factory=dict, compare=False)
    """Task to how it ended, until its part of a wave is counted."""
    memory: dict[str, Any] = field(default_factory=dict, compare=False)
    memory_text: str = field(default="", compare=False)
    """memory.md as the last sequential agent left it, until it is taken in."""
    warnings: list[str] = field(default_factory=list, compare=False)

    @property
    def folder(self) -> str:
        return f"docs/feature/{self.slug}"

    def warn(self, *said: str) -> None:
        self.warnings = [*self.warnings, *(each for each in said if each not in self.warnings)][-MAX_WARNINGS:]
