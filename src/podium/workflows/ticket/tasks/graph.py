"""What must hold for a plan's tasks as a whole: ids, groups, order, dependencies, paths, limits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from podium.core.waves import Cycle, waves
from podium.documents import Issue
from podium.workflows.ticket.tasks.paths import path_fault
from podium.workflows.ticket.tasks.task import MAX_TASKS, Entry, Task, Tasks


class Trouble(NamedTuple):
    """One thing wrong with a graph, and the task, group or place it is about."""

    about: str
    what: str
    mend: str = ""
    part: str = ""
    """The part of the document whose absence would explain it."""


def issues(graph: Tasks, *, fresh: bool = False) -> Iterator[Issue]:
    """The same, each at its place in the document."""
    places: dict[str, tuple[str | int, ...]] = {"": ("tasks",)}
    for at, entry in enumerate(graph.order):
        places[entry.group] = ("execution_order", at)
    for letter in graph.groups:
        places[letter] = ("parallel_groups", letter)
    for at, task in reversed(list(enumerate(graph.tasks))):
        places[task.id] = ("tasks", at)
    for about, what, mend, part in troubles(graph, fresh=fresh):
        yield Issue(places.get(about, ("tasks",)), what, mend, [("tasks",), (part,)])


def troubles(graph: Tasks, *, fresh: bool = False) -> list[Trouble]:
    """Everything wrong with the graph; `fresh` means that an agent just wrote it, so nothing may
    be done yet.
    """
    found = [*_ids(graph), *_groups(graph), *_order(graph), *_dependencies(graph)]
    found += _bad_paths("", "validation_policy.baseline_allowlist", graph.policy.baseline_allowlist)
    for task in graph.tasks:
        found += _paths(task)
        if fresh:
            found += _untouched(task)
    return found


def _ids(graph: Tasks) -> Iterator[Trouble]:
    if not graph.tasks:
        yield Trouble("", "there is no task", "write at least one")
    if len(graph.tasks) > MAX_TASKS:
        yield Trouble(
            "", f"there are {len(graph.tasks)} tasks", f"{MAX_TASKS} at most; fewer, larger ones"
        )
    for folded, count in Counter(each.id.casefold() for each in graph.tasks).items():
        if count > 1:
            ident = next(each.id for each in graph.tasks if each.id.casefold() == folded)
            yield Trouble(ident, f"the id {ident} is given {count} times", "each task its own id")


def _groups(graph: Tasks) -> Iterator[Trouble]:
    known = {each.id for each in graph.tasks}
    members = Counter(ident for ids in graph.groups.values() for ident in ids)
    for letter, ids in graph.groups.items():
        if not ids:
            yield Trouble(letter, f"group {letter} has no task", "leave the group out")
        for ident in ids:
            if ident not in known:
                yield Trouble(
                    letter, f"group {letter} names {ident}, which is not a task", "a task's id"
                )
    for task in graph.tasks:
        places = [letter for letter, ids in graph.groups.items() if task.id in ids]
        if not places:
            yield Trouble(
                task.id,
                f"{task.id} is in no group",
                "list it in parallel_groups",
                "parallel_groups",
            )
        elif members[task.id] > 1:
            yield Trouble(
                task.id, f"{task.id} is listed {members[task.id]} times in parallel_groups", "once"
            )
        elif task.parallel_group and places != [task.parallel_group]:
            yield Trouble(
                task.id,
                f"{task.id} says group {task.parallel_group} and is listed in {places[0]}",
                "one of them",
            )


def _order(graph: Tasks) -> Iterator[Trouble]:
    count = Counter(each.group for each in graph.order)
    for letter in graph.groups:
        if not count[letter]:
            yield Trouble(
                letter, f"group {letter} is not in execution_order", "add it", "execution_order"
            )
    for letter, times in count.items():
        if times > 1:
            yield Trouble(letter, f"group {letter} is {times} times in execution_order", "once")
    for entry in graph.order:
        if entry.group not in graph.groups:
            what = f"execution_order names group {entry.group}, which does not exist"
            yield Trouble(entry.group, what, "add it to parallel_groups", "parallel_groups")
            continue
        yield from _same_tasks(entry, graph.groups[entry.group])


def _same_tasks(entry: Entry, listed: tuple[str, ...]) -> Iterator[Trouble]:
    where = f"execution_order, group {entry.group}"
    if missing := [each for each in listed if each not in entry.tasks]:
        yield Trouble(
            entry.group,
            f"{where}: lacks {', '.join(missing)}",
            "the same tasks as in parallel_groups",
        )
    if more := [each for each in entry.tasks if each not in listed]:
        yield Trouble(
            entry.group,
            f"{where}: has {', '.join(more)}, not of this group",
            "the same tasks as in parallel_groups",
        )
    if len(set(entry.tasks)) != len(entry.tasks):
        yield Trouble(entry.group, f"{where}: has a task twice", "each once")


def _dependencies(graph: Tasks) -> Iterator[Trouble]:
    known = {each.id for each in graph.tasks}
    for task in graph.tasks:
        for dep in task.depends_on:
            if dep == task.id:
                yield Trouble(task.id, f"{task.id} depends on itself", "leave it out")
            elif dep not in known:
                yield Trouble(
                    task.id, f"{task.id} depends on {dep}, which is not a task", "a task's id"
                )
            else:
                yield from _in_order(graph, task, dep)
    sound = {
        task.id: [dep for dep in task.depends_on if dep in known and dep != task.id]
        for task in graph.tasks
    }
    found = waves(sound)
    if isinstance(found, Cycle):
        yield Trouble(found.ids[0], f"a cycle: {found}", "no task may wait for itself")


def _in_order(graph: Tasks, task: Task, dep: str) -> Iterator[Trouble]:
    """What a task waits for must run before it, in an earlier group."""
    place = {ident: (at, each) for at, each in enumerate(graph.order) for ident in each.tasks}
    if task.id not in place or dep not in place:
        return
    (mine, entry), (theirs, other) = place[task.id], place[dep]
    if mine == theirs:
        yield Trouble(
            task.id,
            f"{task.id} depends on {dep} of its own group {entry.group}",
            "put it into a later group",
        )
    elif theirs > mine:
        what = (
            f"{task.id} of group {entry.group} depends on {dep} of group {other.group}, which "
            "runs later"
        )
        yield Trouble(task.id, what, "put the group of what it needs first")


def _paths(task: Task) -> Iterator[Trouble]:
    if not task.paths:
        yield Trouble(
            task.id,
            f"{task.id} names no file",
            "files_to_modify or test_files must name what it may change",
        )
    yield from _bad_paths(task.id, task.id, (*task.paths, *task.baseline_allowlist))


def _bad_paths(about: str, name: str, paths: Iterable[str]) -> Iterator[Trouble]:
    for path in paths:
        if wrong := path_fault(path):
            yield Trouble(about, f"{name}: the path {path!r} {wrong}", "a path inside the project")


def _untouched(task: Task) -> Iterator[Trouble]:
    """Whoever plans the work must not claim that it is done."""
    if task.status != "PENDING":
        yield Trouble(
            task.id,
            f"{task.id} has status {task.status}",
            "a new task is PENDING; the program changes it",
        )
    if task.attempt:
        yield Trouble(task.id, f"{task.id} has attempt {task.attempt}", "0; the program counts")
