"""What a task may touch, and how its group is built and tested."""

from __future__ import annotations

from collections.abc import Iterable

from podium.core.dataclass import dataclass
from podium.core.globs import matches
from podium.workflows.ticket.git.changes import is_document
from podium.workflows.ticket.tasks.task import Policy, Task


@dataclass(frozen=True)
class GroupCommands:
    working_directory: str
    build: str
    test: str
    why: tuple[str, ...]
    """Where each of them comes from, for people."""


def commands_for(policy: Policy, group: str, *, build: str, test: str, directory: str = "") -> GroupCommands:
    """The group's own settings win over the plan's, which win over what was detected."""
    own, plan = policy.groups.get(group), policy.commands
    chosen, why = [], []
    for name, default in (("working_directory", directory), ("build_command", build), ("test_command", test)):
        of_group = getattr(own, name) if own else ""
        of_plan = getattr(plan, name)
        source = f"group {group}" if of_group else "validation_policy" if of_plan else "detected"
        chosen.append(of_group or of_plan or default)
        if chosen[-1]:
            why.append(f"{name} from {source}")
    return GroupCommands(chosen[0].rstrip("/").removeprefix("./"), chosen[1], chosen[2], tuple(why))


def allowed(task: Task, policy: Policy) -> tuple[str, ...]:
    """Patterns of everything that the task may change."""
    return (*task.paths, *policy.baseline_allowlist, *task.baseline_allowlist)


def outside(changed: Iterable[str], task: Task, policy: Policy) -> tuple[str, ...]:
    """Changed paths that the task may not touch."""
    return tuple(sorted(path for path in changed if not matches(path, allowed(task, policy))))


def rejection(strays: Iterable[str], task: Task) -> str:
    """Evidence for a task that went too far; empty if it did not."""
    listed = sorted(strays)
    return f"{task.id} changed files that it does not list: {', '.join(listed)}" if listed else ""


def drift(before: Iterable[str], policy: Policy) -> tuple[str, ...]:
    """Undeclared changes that existed before the task; documents count only in scope `all`."""
    counted = (path for path in before if policy.baseline_scope == "all" or not is_document(path))
    return tuple(sorted(path for path in counted if not matches(path, policy.baseline_allowlist)))
