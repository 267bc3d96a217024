"""`tasks.yaml`: the tasks, their groups and their order; read as a whole, changed in place."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from podium.core.errors import Fault, InputError
from podium.documents import Document
from podium.workflows.ticket.tasks.graph import issues
from podium.workflows.ticket.tasks.task import Tasks

NAME = "tasks.yaml"
TASKS = Document(NAME, Tasks, checks=(issues,))
_FRESH = Document(NAME, Tasks, checks=(partial(issues, fresh=True),))


def read(text: str, where: str = NAME, *, fresh: bool = False) -> Tasks:
    """The document; raises InputError with every fault of its shape and of its graph.

    `fresh` means that an agent just wrote it, so every task must be PENDING.
    """
    return (_FRESH if fresh else TASKS).read(text, where).sound()


def update(text: str, changes: Mapping[str, Mapping[str, Any]], where: str = NAME) -> str:
    """The document with these members of these tasks changed, and nothing else."""
    known = _ids(text, where)
    if unknown := sorted(set(changes).difference(known)):
        raise InputError(
            Fault(where, f"has no task {', '.join(unknown)}", f"tasks: {', '.join(sorted(known))}")
        )
    tasks = [{"id": ident, **members} for ident, members in changes.items() if members]
    return TASKS.update(text, {"tasks": tasks} if tasks else {}, where)


def entry_text(text: str, ident: str, where: str = NAME) -> str:
    """One task's own lines, for the brief of the agent that works on it."""
    known = _ids(text, where)
    if ident not in known:
        raise InputError(Fault(where, f"has no task {ident}"))
    return TASKS.excerpt(text, "tasks", known.index(ident))


def _ids(text: str, where: str) -> list[str]:
    """The id of each task, whatever else is wrong with the document."""
    reading = TASKS.read(text, where)
    if reading.data is None:
        reading.sound()
    tasks = reading.data.get("tasks") if isinstance(reading.data, Mapping) else None
    listed = tasks if isinstance(tasks, list) else []
    return [str(task.get("id")) if isinstance(task, Mapping) else "" for task in listed]
