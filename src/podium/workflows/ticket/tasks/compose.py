"""`tasks.yaml` as an agent writes it: how it is checked, and the shortest one that passes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from podium.core.errors import InputError
from podium.core.waves import Cycle, Unknown, batches, waves
from podium.workflows.ticket.tasks import document as tasks_document

WORK = "work/**"
"""Where a scripted agent that behaves well leaves its proof of work."""
_TOP = ("validation_policy", "tasks", "parallel_groups", "execution_order", "strategy")


def check(text: str, template: str = "", *, where: str = tasks_document.NAME) -> tuple[str, ...]:  # noqa: ARG001
    """Every fault of what an agent wrote, in words."""
    try:
        tasks_document.read(text, where, fresh=True)
    except InputError as fault:
        return tuple(map(str, fault.faults))
    return ()


def structure(template: str = "") -> tuple[str, ...]:  # noqa: ARG001
    """The required structure in words, for the brief."""
    return (
        f"YAML with: {', '.join(_TOP)}",
        (
            "each task: id, description, files_to_modify, success_criteria, parallel_group, "
            "depends_on, status (PENDING)"
        ),
        "and test_files and tool_mandates where a task has some",
        (
            "parallel_groups: a table of a capital letter to a list of task ids; each task in one "
            "group"
        ),
        (
            "execution_order: a list of {group, strategy (parallel or sequential), tasks}; each "
            "group once, what others need first"
        ),
        "no task depends on another of its own group; tasks of a parallel group share no file",
        (
            "files_to_modify and test_files name everything the task may change: paths inside the "
            "project, `*` and `**` allowed"
        ),
    )


def compose(members: Mapping[str, Any], template: str, facts: Mapping[str, str]) -> str:  # noqa: ARG001
    """The shortest good answer; tasks may be given in part, and groups and order follow from
    them.
    """
    if unknown := sorted(set(members) - set(_TOP)):
        raise ValueError(f"unknown member {unknown[0]!r}; known: {', '.join(_TOP)}")
    given = members.get("tasks") or [{}]
    tasks = [_task(each, number, facts) for number, each in enumerate(given, 1)]
    letters = _letters(tasks)
    tasks = [
        {**each, "parallel_group": each.get("parallel_group") or letters[each["id"]]}
        for each in tasks
    ]
    groups: dict[str, list[str]] = {}
    for each in tasks:
        groups.setdefault(each["parallel_group"], []).append(each["id"])
    groups = dict(sorted(groups.items()))
    order = [
        {"group": letter, "strategy": "parallel", "tasks": ids} for letter, ids in groups.items()
    ]
    good = {
        "validation_policy": {"baseline_allowlist": [], "baseline_scope": "code_and_tests_only"},
        "tasks": tasks,
        "parallel_groups": groups,
        "execution_order": order,
        "strategy": "parallel",
    }
    return tasks_document.TASKS.render_data(
        {**good, **{name: value for name, value in members.items() if name != "tasks"}}
    )


def _task(given: Mapping[str, Any], number: int, facts: Mapping[str, str]) -> dict[str, Any]:
    ident = str(given.get("id") or f"TASK-{number}")
    said = str(given.get("description") or f"{ident} of {facts.get('Ticket', 'the ticket')}")
    good = {
        "id": ident,
        "description": said,
        "files_to_modify": [WORK],
        "success_criteria": [f"{said} is done"],
        "parallel_group": "",
        "depends_on": [],
        "status": "PENDING",
    }
    return {**good, **given, "id": ident}


def _letters(tasks: Sequence[Mapping[str, Any]]) -> Mapping[str, str]:
    """A group for each task: tasks that wait for nothing share one, tasks that share a file do
    not.
    """
    ids = [each["id"] for each in tasks]
    layers = waves(
        {each["id"]: [dep for dep in each["depends_on"] or () if dep in ids] for each in tasks}
    )
    if isinstance(layers, Cycle | Unknown):
        layers = [[each] for each in ids]
    files = {
        each["id"]: [*(each.get("files_to_modify") or ()), *(each.get("test_files") or ())]
        for each in tasks
    }
    found: dict[str, str] = {}
    number = 0
    for layer in layers:
        for batch in batches(layer, files):
            found |= dict.fromkeys(batch, _letter(number))
            number += 1
    return found


def _letter(number: int) -> str:
    return chr(65 + number) if number < 26 else chr(64 + number // 26) + chr(65 + number % 26)
