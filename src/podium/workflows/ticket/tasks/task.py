"""The tasks of one iteration, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from podium.workflows.ticket.request.mandates import Mandate

TaskStatus = Literal[
    "PENDING", "DONE", "SYNTAX_VALID", "SYNTAX_ERROR", "ERROR", "REJECTED", "ACCEPTED"
]
STATUSES: tuple[TaskStatus, ...] = get_args(TaskStatus)
FAILED = frozenset({"SYNTAX_ERROR", "ERROR", "REJECTED"})
"""Statuses of work that must run again."""
WORKED = frozenset({"DONE", "SYNTAX_VALID"})
"""Statuses of work that waits for validation or review."""
Strategy = Literal["parallel", "sequential"]
STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)
SCOPES = ("code_and_tests_only", "all")


@dataclass(frozen=True, kw_only=True)
class Task:
    id: str
    description: str = ""
    files_to_modify: tuple[str, ...] = ()
    success_criteria: tuple[str, ...] = ()
    parallel_group: str = ""
    depends_on: tuple[str, ...] = ()
    status: str = "PENDING"
    attempt: int = 0
    """Attempts made so far."""
    test_files: tuple[str, ...] = ()
    tool_mandates: tuple[Mandate, ...] = ()
    baseline_allowlist: tuple[str, ...] = ()
    started_at: str | None = None
    first_code_change_at: str | None = None

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path or pattern that the task may change."""
        return (*self.files_to_modify, *self.test_files)


@dataclass(frozen=True)
class Entry:
    """One place in the order of execution."""

    group: str
    strategy: str
    tasks: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Commands:
    """Where and how a group is validated; where empty, the detected command applies."""

    working_directory: str = ""
    build_command: str = ""
    test_command: str = ""


@dataclass(frozen=True, kw_only=True)
class Policy:
    """`validation_policy`."""

    baseline_allowlist: tuple[str, ...] = ()
    baseline_scope: str = SCOPES[0]
    commands: Commands = field(default_factory=Commands)
    groups: Mapping[str, Commands] = field(default_factory=dict)
    """Commands that apply to single groups."""


@dataclass(frozen=True, kw_only=True)
class Tasks:
    """`tasks.yaml`."""

    policy: Policy = field(default_factory=Policy)
    tasks: tuple[Task, ...] = ()
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    order: tuple[Entry, ...] = ()
    strategy: str = ""

    def task(self, ident: str) -> Task:
        return next(each for each in self.tasks if each.id == ident)

    def of(self, entry: Entry) -> tuple[Task, ...]:
        """The tasks of one entry, in its order."""
        return tuple(self.task(each) for each in entry.tasks)
