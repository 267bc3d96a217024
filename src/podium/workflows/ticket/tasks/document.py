"""`tasks.yaml`: the tasks, their groups and their order; read as a whole, changed in place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podium.core.errors import Fault, InputError
from podium.formats import yaml_edit
from podium.formats.yaml_shape import Either, Fields, Listing, Maybe, Named, Number, Text, faults
from podium.formats.yaml_tree import Node, parse
from podium.workflows.ticket.request.mandates import Mandate
from podium.workflows.ticket.request.prompt_document import CRITERIA, MANDATE, STAMP
from podium.workflows.ticket.tasks.graph import ID, LETTER, MAX_TASKS, path_fault, troubles
from podium.workflows.ticket.tasks.task import (
    SCOPES,
    STATUSES,
    STRATEGIES,
    Commands,
    Entry,
    Policy,
    Task,
    Tasks,
)

NAME = "tasks.yaml"
_TEXTS = Maybe(Listing(Text(), most=500))
_IDENT = Text(pattern=ID, like="TASK-1")
_GROUP = Text(pattern=LETTER, like="A")
_COMMANDS = dict.fromkeys(
    ("working_directory", "build_command", "test_command"), Maybe(Text(empty=True))
)
_POLICY = Fields(
    {},
    {
        "baseline_allowlist": _TEXTS,
        "baseline_scope": Maybe(Text(words=SCOPES)),
        "groups": Maybe(Named(Fields({}, _COMMANDS), pattern=LETTER, like="A")),
        **_COMMANDS,
    },
)
_TASK = Fields(
    {
        "id": _IDENT,
        "description": Text(),
        "files_to_modify": _TEXTS,
        "success_criteria": CRITERIA,
        "parallel_group": _GROUP,
        "depends_on": Maybe(Listing(_IDENT, most=MAX_TASKS)),
        "status": Text(words=STATUSES),
    },
    {
        "attempt": Maybe(Number(most=99)),
        "test_files": _TEXTS,
        "tool_mandates": Maybe(Listing(MANDATE, most=50)),
        "baseline_allowlist": _TEXTS,
        "started_at": Maybe(STAMP),
        "first_code_change_at": Maybe(STAMP),
    },
)
_ENTRY = Fields(
    {
        "group": _GROUP,
        "strategy": Text(words=STRATEGIES),
        "tasks": Listing(_IDENT, least=1, most=MAX_TASKS),
    }
)
SHAPE = Fields(
    {
        "validation_policy": _POLICY,
        "tasks": Listing(_TASK, most=MAX_TASKS),
        "parallel_groups": Named(Listing(_IDENT, most=MAX_TASKS), pattern=LETTER, like="A"),
        "execution_order": Listing(_ENTRY, least=1, most=MAX_TASKS),
        "strategy": Either(Fields(), Text()),
    }
)


def read(text: str, where: str = NAME, *, fresh: bool = False) -> Tasks:
    """The document; raises InputError with every fault of its shape and of its graph.

    `fresh` means that an agent just wrote it, so every task must be PENDING.
    """
    root = parse(text, where)
    found = faults(root, SHAPE, where)
    graph = _loose(root)
    if root.kind == "table" and root.at("tasks") is not None:
        broken = {
            part for part in SHAPE.required if any(each.what.startswith(part) for each in found)
        }
        found += [
            Fault(f"{where}:{_line(root, each.about)}", each.what, each.mend)
            for each in troubles(graph, fresh=fresh)
            if each.part not in broken
        ]
        found += _directory_faults(root, where)
    if found:
        raise InputError(found)
    return graph


def _directory_faults(root: Node, where: str) -> list[Fault]:
    """Commands run inside the project, whatever the plan says."""
    return [
        Fault(
            f"{where}:{node.line}", f"{name} {node.value!r} {wrong}", "a folder inside the project"
        )
        for name, node in _directories(root)
        if isinstance(node.value, str)
        and node.value not in {"", ".", "./"}
        and (wrong := path_fault(node.value))
    ]


def _directories(root: Node) -> list[tuple[str, Node]]:
    policy = root.at("validation_policy")
    if policy is None:
        return []
    places = [("validation_policy.working_directory", policy.at("working_directory"))]
    groups = policy.at("groups")
    for letter, each in (groups.names if groups else {}).items():
        places.append(
            (f"validation_policy.groups.{letter}.working_directory", each.at("working_directory"))
        )
    return [(name, node) for name, node in places if node is not None]


def _line(root: Node, about: str) -> int:
    """The line of a task, a group or the list of tasks."""
    listed = root.at("tasks")
    for each in listed.items if listed else ():
        ident = each.at("id")
        if ident is not None and ident.value == about:
            return ident.line
    order = root.at("execution_order")
    group = root.at("parallel_groups", about)
    if group is None and order is not None:
        group = next(
            (name for each in order.items if (name := each.at("group")) and name.value == about),
            None,
        )
    return (group or listed or root).line


def _loose(root: Node) -> Tasks:
    """As much of the graph as can be read; the check of the shape reports the rest."""
    data = root.data if isinstance(root.data, dict) else {}
    groups = data.get("parallel_groups")
    listed = [
        each
        for each in _items(data.get("tasks"))
        if isinstance(each, dict) and isinstance(each.get("id"), str)
    ]
    return Tasks(
        policy=_policy(data.get("validation_policy")),
        tasks=tuple(map(_task, listed)),
        groups={
            name: _words(ids) for name, ids in (groups.items() if isinstance(groups, dict) else ())
        },
        order=tuple(
            Entry(str(each.get("group")), str(each.get("strategy")), _words(each.get("tasks")))
            for each in _items(data.get("execution_order"))
            if isinstance(each, dict) and isinstance(each.get("group"), str)
        ),
        strategy=str(data.get("strategy") or ""),
    )


def _task(data: Mapping[str, Any]) -> Task:
    attempt = data.get("attempt")
    return Task(
        id=data["id"],
        description=str(data.get("description") or ""),
        files_to_modify=_words(data.get("files_to_modify")),
        success_criteria=_words(data.get("success_criteria")),
        parallel_group=str(data.get("parallel_group") or ""),
        depends_on=_words(data.get("depends_on")),
        status=str(data.get("status") or "PENDING"),
        attempt=attempt if isinstance(attempt, int) else 0,
        test_files=_words(data.get("test_files")),
        tool_mandates=tuple(_mandates(data.get("tool_mandates"))),
        baseline_allowlist=_words(data.get("baseline_allowlist")),
        started_at=_text(data.get("started_at")),
        first_code_change_at=_text(data.get("first_code_change_at")),
    )


def _policy(data: Any) -> Policy:
    data = data if isinstance(data, dict) else {}
    groups = data.get("groups")
    return Policy(
        baseline_allowlist=_words(data.get("baseline_allowlist")),
        baseline_scope=str(data.get("baseline_scope") or SCOPES[0]),
        commands=_commands(data),
        groups={
            name: _commands(each)
            for name, each in (groups.items() if isinstance(groups, dict) else ())
        },
    )


def _commands(data: Any) -> Commands:
    data = data if isinstance(data, dict) else {}
    return Commands(**{name: str(data.get(name) or "") for name in _COMMANDS})


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _words(value: Any) -> tuple[str, ...]:
    return (
        (value,)
        if isinstance(value, str)
        else tuple(each for each in _items(value) if isinstance(each, str))
    )


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _mandates(value: Any) -> list[Mandate]:
    found = []
    for each in _items(value):
        if isinstance(each, str):
            found.append(Mandate(each))
        elif isinstance(each, dict) and isinstance(each.get("mandate"), str):
            found.append(
                Mandate(
                    each["mandate"],
                    str(each.get("assigned_agent") or "developer"),
                    str(each.get("tool") or ""),
                )
            )
    return found


def update(text: str, changes: Mapping[str, Mapping[str, Any]], where: str = NAME) -> str:
    """The document with these members of these tasks changed, and nothing else."""
    known = {each.id for each in _loose(parse(text, where)).tasks}
    if unknown := sorted(set(changes) - known):
        raise InputError(
            Fault(where, f"has no task {', '.join(unknown)}", f"tasks: {', '.join(sorted(known))}")
        )
    wanted = [{"id": ident, **members} for ident, members in changes.items() if members]
    return yaml_edit.merge(text, {"tasks": wanted} if wanted else {}, where)


def entry_text(text: str, ident: str, where: str = NAME) -> str:
    """One task's own lines, for the brief of the agent that works on it."""
    root = parse(text, where)
    listed = root.at("tasks")
    for each in listed.items if listed else ():
        if each.data.get("id") == ident:
            column = each.start - (text.rfind("\n", 0, each.start) + 1)
            lines = text[each.start : each.end].splitlines()
            return (
                "\n".join([lines[0], *(line.removeprefix(" " * column) for line in lines[1:])])
                + "\n"
            )
    raise InputError(Fault(where, f"has no task {ident}"))
