"""What a task may touch, and how its group is built and tested."""

from __future__ import annotations

from dataclasses import dataclass

from podium.workflows.ticket.tasks.task import Policy, Task


@dataclass(frozen=True)
class GroupCommands:
    working_directory: str
    build: str
    test: str
    why: tuple[str, ...]
    """Where each of them comes from, for people."""


def commands_for(
    policy: Policy, group: str, *, build: str, test: str, directory: str = ""
) -> GroupCommands:
    """The group's own settings win over the plan's, which win over what was detected."""
    own, plan = policy.groups.get(group), policy
    chosen, why = [], []
    for name, default in (
        ("working_directory", directory),
        ("build_command", build),
        ("test_command", test),
    ):
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
