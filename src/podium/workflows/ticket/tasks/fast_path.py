"""Whether a graph is so small that Developer, build and test are enough; the program decides
this, not the plan.
"""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Sequence

from podium.workflows.ticket.request.mandates import Mandate, runtime_mandates
from podium.workflows.ticket.tasks.task import Commands, Tasks

MAX_FILES = 2


_NOTHING = Commands()


def not_trivial(graph: Tasks, mandates: Sequence[Mandate] = (), known: Commands = _NOTHING) -> str:
    """Why the Reviewer is needed; empty if the graph is trivial.

    `mandates` are the demands of the person's request; `known` is where and how the project itself
    is built and tested.
    """
    if len(graph.tasks) != 1:
        return f"{len(graph.tasks)} tasks"
    task = graph.tasks[0]
    paths = {*task.paths, *task.baseline_allowlist, *graph.policy.baseline_allowlist}
    if open_ended := sorted(path for path in paths if not _one_file(path)):
        return f"{open_ended[0]} can mean many files"
    if len(paths) > MAX_FILES:
        return f"{len(paths)} files"
    if wanted := runtime_mandates((*task.tool_mandates, *mandates)):
        return f"a tool mandate needs a running program: {wanted[0].text}"
    if any(_brings(each, known) for each in (graph.policy, *graph.policy.groups.values())):
        # Whoever plans must not also define what counts as a test if nobody else looks.
        return "the plan brings commands of its own"
    return ""


def _brings(plan: Commands, known: Commands) -> bool:
    """Whether the plan's commands differ from the project's. Repeating them, or
    `working_directory: .`, does not count.
    """
    folder = plan.working_directory
    return (
        bool(
            folder
            and posixpath.normpath(folder) != posixpath.normpath(known.working_directory or ".")
        )
        or plan.build_command not in {"", known.build_command}
        or plan.test_command not in {"", known.test_command}
    )


def _one_file(path: str) -> bool:
    """Whether the path can only mean one file. A name without an ending may be a folder, which
    means everything in it.
    """
    return not any(sign in path for sign in "*?[{") and posixpath.splitext(path)[1] != ""


def too_many(graph: Tasks, changed: Collection[str]) -> str:
    """Why too much was really changed to go without a Reviewer; empty if it was not.

    This also catches a folder whose name looks like a file's. `.gitignore` contains lines of the
    program's own, so it counts only if a task names it.
    """
    named = {path for task in graph.tasks for path in task.paths}
    count = len([path for path in changed if path != ".gitignore" or path in named])
    return f"{count} files were changed" if count > MAX_FILES else ""
