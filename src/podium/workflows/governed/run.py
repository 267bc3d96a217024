"""What a governed run and each of its phases keep: counters, the plan as data, and what was decided."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from podium.core.run import Run


@dataclass(kw_only=True)
class GovernedRun(Run):
    task: str = field(default="task", compare=False)
    """The task's name in paths."""
    request: str = field(default="", compare=False)
    trace_id: str = field(default="", compare=False)
    given: str = field(default="", compare=False)
    """The path of a plan that a person brought."""
    plan: dict[str, Any] = field(default_factory=dict, compare=False)
    tier: str = "SMALL"
    drafts: int = field(default=0, compare=False)
    """Plans written so far, for paths and keys."""
    reviewers: list[str] = field(default_factory=list)
    revisions: int = 0
    audits: int = field(default=0, compare=False)
    reviews: dict[str, Any] = field(default_factory=dict, compare=False)
    """Role to its answer in this round."""
    asked_again: list[str] = field(default_factory=list)
    rounds: list[dict[str, Any]] = field(default_factory=list, compare=False)
    registry: list[dict[str, Any]] = field(default_factory=list, compare=False)
    findings: list[str] = field(default_factory=list, compare=False)
    """What the planner must mend."""
    convergence: str = field(default="Converged", compare=False)
    waves: list[list[int]] = field(default_factory=list)
    """Waves of the plan: phase ids."""
    complete: list[int] = field(default_factory=list)
    todos: list[list[Any]] = field(default_factory=list, compare=False)
    wave: int = 0
    approvals: list[dict[str, Any]] = field(default_factory=list)
    """Approvals of this wave still to be asked for."""
    limit: int = field(default=4, compare=False)
    replans: int = 0
    ended: dict[str, Any] = field(default_factory=dict, compare=False)
    """Phase to how its run ended, until the wave is closed."""
    records: dict[str, Any] = field(default_factory=dict, compare=False)
    """Complete phase to what its documents say."""
    touched: list[str] = field(default_factory=list, compare=False)
    final_cycles: int = 0
    final_asked: bool = field(default=False, compare=False)
    final: dict[str, Any] = field(default_factory=dict, compare=False)
    fixes: list[list[Any]] = field(default_factory=list)
    """Phases that mend what the final review found, each with the issues."""
    stopped: bool = False


@dataclass(kw_only=True)
class PhaseRun(Run):
    task: str = field(default="task", compare=False)
    trace_id: str = field(default="", compare=False)
    plan: dict[str, Any] = field(default_factory=dict, compare=False)
    phase_id: int = field(default=1, compare=False)
    tier: str = field(default="SMALL", compare=False)
    approved: bool = field(default=True, compare=False)
    """Whether a person approved this phase's high-risk actions."""
    reviewed: bool = True
    """Whether a code review is due."""
    told: list[str] = field(default_factory=list, compare=False)
    failures: list[list[str]] = field(default_factory=list)
    """(class, reason) of each failure, oldest first."""
    failing: list[str] = field(default_factory=list, compare=False)
    """(class, reason) of the failure being routed."""
    asked_again: bool = False
    report: dict[str, Any] = field(default_factory=dict, compare=False)
    question: dict[str, Any] = field(default_factory=dict, compare=False)
    answer: str = field(default="", compare=False)
    ran: dict[str, bool] = field(default_factory=dict, compare=False)
    review: dict[str, Any] = field(default_factory=dict, compare=False)
    changed: list[str] = field(default_factory=list, compare=False)
    result: str = ""
    """complete, replan or escalated."""
    transient: bool = field(default=False, compare=False)
