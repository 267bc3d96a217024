"""A run without a journal here continues from its files: what progress.yaml says is restored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from podium.core.errors import Fault, InputError
from podium.workflows.ticket.progress import document as progress_document
from podium.workflows.ticket.progress import phases
from podium.workflows.ticket.request import prompt_document
from podium.workflows.ticket.request.naming import Paths
from podium.workflows.ticket.request.request import Request
from podium.workflows.ticket.tasks.paths import path_fault

Read = Callable[[str], str | None]


def finished(text: str) -> bool:
    """Whether progress.yaml says that the ticket is done."""
    try:
        return progress_document.read(text).status == "ACCEPTED"
    except InputError:
        return False


def restored(request: Request, read: Read) -> dict[str, Any]:
    """Members of a run that continues; empty if there is nothing to continue from. InputError if
    the files disagree.
    """
    paths = Paths(request.jira)
    text = read(paths.progress)
    if text is None or not text.strip():
        return {}
    known = progress_document.read(text, paths.progress)
    if known.status == "ACCEPTED":
        return {}
    if known.working_directory and (wrong := path_fault(known.working_directory)):
        raise InputError(
            Fault(
                paths.progress,
                f"working_directory {known.working_directory!r} {wrong}",
                "a folder inside the project",
            )
        )
    _same_request(paths, request, read)
    at = phases.resume_at(
        known.current_step, known.status, git_gate_completed=known.git_gate_completed
    )
    over = [each for each in known.iterations if each.number != known.iteration_number]
    now = next((each for each in known.iterations if each.number == known.iteration_number), None)
    return {
        "resumes_at": at.step,
        "was_gated": known.git_gate_completed,
        "answers": {"branch": "use"}
        if known.git_gate_completed
        else {},  # the earlier run made the branch
        "iteration": known.iteration_number,
        "type": known.type,
        "slug": known.slug,
        "branch": known.branch,
        "build_command": known.build_command,
        "test_command": known.test_command,
        "directory": known.working_directory,
        "parallel": known.max_parallel_tasks,
        "trivial": known.cycle_acceleration_mode == "trivial_graph",
        "created_at": known.created_at,
        "iteration_began": now.started_at if now else "",
        "iterations": [dict(vars(each)) for each in over],
        "metrics": dict(vars(known.metrics)),
        "percent": min(known.metrics.percent_complete, 95),
    }


def _same_request(paths: Paths, request: Request, read: Read) -> None:
    text = read(paths.prompt)
    if text is None:
        what = f"{paths.progress} is there and it is not"
        raise InputError(
            Fault(paths.prompt, what, f"restore it, or move {paths.folder} away to start over")
        )
    known = prompt_document.read(text, paths.prompt)
    if " ".join(known.original_request.split()) != " ".join(request.original.split()):
        what = f"is about another request: {' '.join(known.original_request.split())[:120]}"
        raise InputError(
            Fault(
                paths.prompt,
                what,
                f"repeat that request to continue it, or move {paths.folder} away to start over",
            )
        )
