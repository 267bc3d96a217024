"""What must hold for a plan's tasks as a whole: ids, groups, order, dependencies, paths, limits."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from podium.core.globs import matches
from podium.core.waves import Cycle, waves
from podium.workflows.ticket.tasks.task import Entry, Task, Tasks

MAX_TASKS = 100
ID = r"[A-Za-z][A-Za-z0-9._-]{0,39}"
LETTER = r"[A-Z]{1,2}"
OWN = (".git", ".podium", "prompts", "podium.toml")
"""The program's own files: no task may name them."""


class Trouble(NamedTuple):
    """One thing wrong with a graph, and the task, group or place it is about."""

    about: str
    what: str
    mend: str = ""
    part: str = ""
    """The part of the document whose absence would explain it."""


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


def path_fault(path: str) -> str:
    """Why a task may not name the path; empty if it may."""
    if not path.strip() or path != path.strip():
        return "is empty or has space around it"
    if "\\" in path or re.search(r"[\x00-\x1f\x7f]", path):
        return "has signs that no path of this project has"
    if path.startswith(("/", "~")) or re.match(r"[A-Za-z]:", path):
        return "is absolute"
    if ".." in path.split("/"):
        return "leads upwards"
    plain = posixpath.normpath(path)
    if plain == "." or plain.strip("*/") == "":
        return "means the whole project"
    return "belongs to the program" if matches(plain.casefold(), OWN) else ""


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
