"""Whether the Planner's tasks can be used, or the Splitter must write them."""

from __future__ import annotations

from dataclasses import dataclass

from podium.core.errors import Fault, InputError
from podium.workflows.ticket.tasks import document as tasks_document
from podium.workflows.ticket.tasks.task import Tasks


@dataclass(frozen=True)
class UseTasks:
    graph: Tasks
    event: str = "orchestrator.splitter.skipped_planner_provided"


@dataclass(frozen=True)
class Split:
    """The Splitter writes tasks.yaml; the old file is removed first."""

    faults: tuple[Fault, ...] = ()
    """Why the Planner's file cannot be used; empty if it wrote none."""

    @property
    def event(self) -> str:
        return "orchestrator.tasks.yaml.invalid" if self.faults else ""

    @property
    def reason(self) -> str:
        return "; ".join(map(str, self.faults)) or "the Planner wrote no tasks.yaml"


@dataclass(frozen=True)
class NoTasks:
    """The Splitter's file cannot be used either: the run stops."""

    faults: tuple[Fault, ...]

    @property
    def reason(self) -> str:
        return "no usable tasks.yaml: " + "; ".join(map(str, self.faults))


def settle(
    text: str | None,
    where: str = tasks_document.NAME,
    *,
    after_splitter: bool = False,
    fresh: bool = True,
) -> UseTasks | Split | NoTasks:
    """What follows from the file an agent left; without `fresh` it is a person's, in which tasks
    may be done already.

    `after_splitter` means that nobody is left to write it again.
    """
    if text is None or not text.strip():
        missing = Fault(where, "is missing or empty", "write the tasks")
        return NoTasks((missing,)) if after_splitter else Split()
    try:
        return UseTasks(tasks_document.read(text, where, fresh=fresh))
    except InputError as wrong:
        return NoTasks(wrong.faults) if after_splitter else Split(wrong.faults)
