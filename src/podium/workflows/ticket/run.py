"""What a run of a ticket keeps; the tasks' own state is in tasks.yaml, and mirrored here for the rules."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from podium.core.run import Run
from podium.workflows.ticket.naming import Paths


@dataclass(kw_only=True)
class TicketRun(Run):
    jira: str = "PROJ-1"
    original: str = field(default="", compare=False)
    """Every word of the request as given."""
    text: str = field(default="", compare=False)
    hint: str = field(default="", compare=False)
    created_at: str = field(default="", compare=False)
    type: str = field(default="chore", compare=False)
    slug: str = field(default="", compare=False)
    branch: str = field(default="", compare=False)
    summary: str = field(default="", compare=False)
    mandates: list[dict[str, str]] = field(default_factory=list, compare=False)
    build_command: str = field(default="", compare=False)
    test_command: str = field(default="", compare=False)
    directory: str = field(default="", compare=False)
    parallel: int = field(default=2, compare=False)
    docs: dict[str, Any] = field(default_factory=dict, compare=False)
    """docs_state of progress.yaml."""
    docs_trusted: bool = True
    trust_status: str = field(default="unknown", compare=False)
    impact: dict[str, Any] = field(default_factory=dict, compare=False)
    iteration: int = 0
    gated: bool = False
    """git_gate_completed."""
    answers: dict[str, str] = field(default_factory=dict, compare=False)
    actions: list[str] = field(default_factory=list, compare=False)
    give_back: bool = field(default=False, compare=False)
    carried: list[str] = field(default_factory=list, compare=False)
    trivial: bool = False
    split: bool = False
    """Whether the Splitter has written tasks.yaml of this iteration."""
    order: list[dict[str, Any]] = field(default_factory=list, compare=False)
    """Groups of this iteration: group, strategy, tasks, rounds."""
    tasks: dict[str, list[Any]] = field(default_factory=dict)
    """Task id to its status and attempt."""
    group: str = field(default="", compare=False)
    batch: list[str] = field(default_factory=list)
    """The tasks that run now, are validated now or are reviewed now."""
    scopes: dict[str, list[str]] = field(default_factory=dict, compare=False)
    """Task of the batch to what it may change."""
    commands: list[str] = field(default_factory=list, compare=False)
    """The group's build and test."""
    results: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Task to its new status and evidence, until they are written."""
    evidence: dict[str, list[str]] = field(default_factory=dict, compare=False)
    """Task to what its attempts got wrong."""
    touched: list[str] = field(default_factory=list, compare=False)
    head: str = field(default="", compare=False)
    group_began: str = field(default="", compare=False)
    iteration_began: str = field(default="", compare=False)
    minutes: dict[str, float] = field(default_factory=dict, compare=False)
    metrics: dict[str, Any] = field(default_factory=dict, compare=False)
    iterations: list[dict[str, Any]] = field(default_factory=list, compare=False)
    accepted: bool = False
    review: dict[str, Any] = field(default_factory=dict, compare=False)
    """What the Reviewer said, until it is judged."""
    warnings: list[str] = field(default_factory=list, compare=False)

    @property
    def paths(self) -> Paths:
        return Paths(self.jira)

    def warn(self, *said: str) -> None:
        self.warnings = [*self.warnings, *(each for each in said if each not in self.warnings)][-50:]
