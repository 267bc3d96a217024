"""The tasks of one iteration, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from podium.documents import (
    Anything,
    Either,
    Many,
    Maybe,
    Named,
    Number,
    Table,
    Text,
    Word,
    part,
    record,
)
from podium.workflows.ticket.request.mandates import MANDATES, Mandate
from podium.workflows.ticket.request.prompt_document import CRITERIA, STAMP
from podium.workflows.ticket.tasks.paths import path_fault

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


MAX_TASKS = 100
_ID = Text(pattern=r"[A-Za-z][A-Za-z0-9._-]{0,39}", like="TASK-1")
_GROUP = Text(pattern=r"[A-Z]{1,2}", like="A")
_IDS = Many(_ID, most=MAX_TASKS)
_TEXTS = Maybe(Many(Text(), most=500), otherwise=())
_STAMP = Maybe(STAMP)
_COMMAND = Maybe(Text(empty=True), otherwise="")


def _folder_fault(path: str) -> str:
    """Commands run inside the project, whatever the plan says."""
    return "" if path in {"", ".", "./"} else path_fault(path)


@record()
class Task:
    id: str = part(value=_ID, identity=True)
    description: str = part(default="", always=True)
    files_to_modify: tuple[str, ...] = part(value=_TEXTS, default=(), always=True)
    success_criteria: tuple[str, ...] = part(value=CRITERIA, default=(), always=True)
    parallel_group: str = part(value=_GROUP, default="", always=True)
    depends_on: tuple[str, ...] = part(value=Maybe(_IDS, otherwise=()), default=(), always=True)
    status: TaskStatus = part(default="PENDING", always=True)
    attempt: int = part(value=Maybe(Number(most=99), otherwise=0), default=0)
    """Attempts made so far."""
    test_files: tuple[str, ...] = part(value=_TEXTS, default=())
    tool_mandates: tuple[Mandate, ...] = part(value=MANDATES, default=())
    baseline_allowlist: tuple[str, ...] = part(value=_TEXTS, default=())
    started_at: str | None = part(value=_STAMP, default=None)
    first_code_change_at: str | None = part(value=_STAMP, default=None)

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path or pattern that the task may change."""
        return (*self.files_to_modify, *self.test_files)


@dataclass(frozen=True)
class Entry:
    """One place in the order of execution."""

    group: str = part(value=_GROUP)
    strategy: str = part(value=Word(STRATEGIES))
    tasks: tuple[str, ...] = part(value=Many(_ID, least=1, most=MAX_TASKS))


@record()
class Commands:
    """Where and how a group is validated; where empty, the detected command applies."""

    working_directory: str = part(
        value=Maybe(Text(empty=True, refuse=_folder_fault), otherwise=""), default=""
    )
    build_command: str = part(value=_COMMAND, default="")
    test_command: str = part(value=_COMMAND, default="")


@record()
class Policy(Commands):
    """`validation_policy`."""

    baseline_allowlist: tuple[str, ...] = part(value=_TEXTS, default=())
    baseline_scope: str = part(value=Maybe(Word(SCOPES), otherwise=SCOPES[0]), default=SCOPES[0])
    groups: Mapping[str, Commands] = part(
        value=Maybe(Named(Table(Commands), names=_GROUP), otherwise={}), factory=dict
    )
    """Commands that apply to single groups."""


@record(whole=True)
class Tasks:
    """`tasks.yaml`."""

    policy: Policy = part(key="validation_policy", factory=Policy)
    tasks: tuple[Task, ...] = part(value=Many(Table(Task), most=MAX_TASKS), default=())
    groups: Mapping[str, tuple[str, ...]] = part(
        key="parallel_groups", value=Named(_IDS, names=_GROUP), factory=dict
    )
    order: tuple[Entry, ...] = part(
        key="execution_order", value=Many(Table(Entry), least=1, most=MAX_TASKS), default=()
    )
    strategy: Any = part(value=Either(Named(Anything()), Text()), default="")

    def task(self, ident: str) -> Task:
        return next(each for each in self.tasks if each.id == ident)

    def of(self, entry: Entry) -> tuple[Task, ...]:
        """The tasks of one entry, in its order."""
        return tuple(self.task(each) for each in entry.tasks)
