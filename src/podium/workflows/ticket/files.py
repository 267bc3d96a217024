"""progress.yaml and log.jsonl: what people see of a run, kept up to date by the program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from podium.core.history import History
from podium.core.run import Run, Status
from podium.core.workflow import Projection
from podium.workflows.ticket import times
from podium.workflows.ticket.progress import document as progress_document
from podium.workflows.ticket.progress import log_lines
from podium.workflows.ticket.progress.document import (
    Checkpoint,
    DocsState,
    ImpactScan,
    Iteration,
    Progress,
    Startup,
)
from podium.workflows.ticket.progress.metrics import Metrics
from podium.workflows.ticket.request.naming import DOCS_CACHE
from podium.workflows.ticket.run import TicketRun

ROLES = (
    "interpreter",
    "initializer",
    "planner",
    "splitter",
    "task-executor",
    "developer",
    "reviewer",
)
POSITIONS: Mapping[str, tuple[str, str]] = {
    **dict.fromkeys(("which_ticket", "analyse", "interpret", "prompted"), ("INITIALIZED", "I2")),
    "begin": ("PLANNING", "O1"),
    "plan": ("PLANNING", "O3"),
    **dict.fromkeys(("settle", "split_tasks"), ("SPLITTING", "O4")),
    **dict.fromkeys(("git_look", "ask_dirty", "ask_branch", "git_move"), ("GIT_GATE", "O4.5")),
    **dict.fromkeys(("next_group", "develop", "validate", "review_task"), ("TASK_EXECUTION", "O5")),
    **dict.fromkeys(("review", "judge", "accept", "commit"), ("REVIEW", "O6")),
    **dict.fromkeys(
        ("refresh", "cache", "commit_docs", "propose", "give_back", "done"), ("DOC_REFRESH", "O7")
    ),
}
"""Each step in the words of progress.yaml."""
EDITABLE = {
    "build_command": "build_command",
    "test_command": "test_command",
    "max_parallel_tasks": "parallel",
}
"""What a person may set in progress.yaml, with the run's own name for it; the program sets the
rest.
"""


def projections(run: TicketRun, history: History) -> Sequence[Projection]:
    lines = (
        logged(history) if run.created_at else ()
    )  # before that it is undecided which ticket it is
    found = (
        [Projection(run.paths.log, partial(lengthened, lines), needed=False, shared=True)]
        if lines
        else []
    )
    # A run that continues from its files must not write them before it knows that it may continue.
    if run.branch and not run.resumes_at:
        shown = partial(_progress, progress(run, history))
        found.append(
            Projection(
                run.paths.progress,
                shown,
                needed=False,
                shared=True,
                read_back=partial(edited, run.paths.progress),
            )
        )
    return found


def logged(history: History) -> tuple[str, ...]:
    """Every line that this run adds to log.jsonl."""
    own = [each for each in history.own if each["type"] == "ticket.log"]
    return tuple(
        _line(each) for each in sorted([*own, *history.resumes], key=lambda each: int(each["seq"]))
    )


def _line(event: Mapping[str, Any]) -> str:
    at = datetime.fromisoformat(str(event["ts"]))
    if event["type"] == "run.resumed":
        return log_lines.line(
            at,
            "orchestrator.resume",
            str(event["reason"]),
            iteration=event["state"].get("iteration"),
        )
    names = ("iteration", "task_id", "parallel_group", "level")
    return log_lines.line(
        at, event["event"], event["message"], **{name: event[name] for name in names}
    )


def lengthened(lines: Sequence[str], before: str | None, _template: str) -> str:
    """Only ever appended to: existing text stays, and the missing lines of this run are added
    after it.
    """
    text = before or ""
    for count in range(len(lines), -1, -1):
        if text.endswith("".join(lines[:count])) and count:
            return text + "".join(lines[count:])
    # Somebody wrote after our lines or between them: the last of our lines found there shows how
    # far the log got.
    there = set(text.splitlines(keepends=True))
    known = max((number for number, line in enumerate(lines, 1) if line in there), default=0)
    gap = "\n" if text and not text.endswith("\n") else ""
    return text + gap + "".join(lines[known:]) if lines[known:] else text


def status_of(run: TicketRun) -> str:
    if run.status is Status.COMPLETE or run.accepted:
        return "ACCEPTED"
    if run.status is Status.BLOCKED and run.stop == "iterations":
        return "REJECTED"
    if run.status in {Status.BLOCKED, Status.WAITING, Status.SLEEPING, Status.CANCELLED}:
        return "PAUSED"
    return "PENDING" if POSITIONS[run.step][0] == "INITIALIZED" else "IN_PROGRESS"


def progress(run: TicketRun, history: History) -> Progress:
    at = times.stamp(datetime.fromisoformat(history.last)) if history.last else run.created_at
    phase, step = POSITIONS[run.step]
    current = run.batch[0] if run.batch and phase == "TASK_EXECUTION" else None
    return Progress(
        jira=run.jira,
        type=run.type,
        slug=run.slug,
        branch=run.branch,
        build_command=run.build_command,
        test_command=run.test_command,
        working_directory=run.directory,
        max_parallel_tasks=run.parallel,
        docs_cache_state_path=DOCS_CACHE,
        docs_trusted_for_planning=run.docs_trusted,
        trust_status=run.trust_status,
        git_gate_completed=run.gated,
        cycle_acceleration_mode="trivial_graph" if run.trivial else "standard",
        startup=Startup(
            docs_state=DocsState(**run.docs) if run.docs else DocsState(),
            impact_scan=ImpactScan(**{name: tuple(each) for name, each in run.impact.items()})
            if run.impact
            else ImpactScan(),
            planning_ready=True,
            updated_at=run.created_at or at,
        ),
        metrics=Metrics(**run.metrics) if run.metrics else Metrics(),
        iteration_number=run.iteration,
        current_phase=phase,
        current_step=step,
        current_task_id=current,
        current_task_attempt=int(run.tasks[current][1]) if current in run.tasks else 0,
        status=status_of(run),
        created_at=run.created_at or at,
        last_updated=at,
        last_checkpoint=Checkpoint(timestamp=at, git_head=run.head, phase=phase, step=step),
        iterations=_iterations(run, at),
    )


def _iterations(run: TicketRun, at: str) -> tuple[Iteration, ...]:
    """The finished iterations, and the current one."""
    known = [Iteration(**each) for each in run.iterations]
    if any(each.number == run.iteration for each in known):
        return tuple(known)
    waiting = POSITIONS[run.step][0] == "INITIALIZED"
    accepted = sum(each[0] == "ACCEPTED" for each in run.tasks.values())
    now = Iteration(
        number=run.iteration,
        status="PENDING" if waiting else "IN_PROGRESS",
        started_at=run.iteration_began or run.created_at or at,
        tasks_total=len(run.tasks),
        tasks_accepted=accepted,
    )
    return (*known, now)


def _progress(known: Progress, before: str | None, _template: str) -> str:
    if before is None or not before.strip():
        return progress_document.render(known)
    return progress_document.update(before, known)


def edited(where: str, text: str, run: Run) -> tuple[Run, tuple[str, ...]]:
    """Take over a person's edit of the values they may set."""
    assert isinstance(run, TicketRun)
    said = progress_document.read(text, where)
    changes = []
    for name, member in EDITABLE.items():
        now, was = getattr(said, name), getattr(run, member)
        if now != was:
            changes.append(f"{name} is {now!r}, was {was!r}")
            setattr(run, member, now)
    return run, tuple(changes)


def artifacts(run: TicketRun) -> Mapping[str, str]:
    number, paths = run.iteration, run.paths
    return {
        "prompt": paths.prompt,
        "progress": paths.progress,
        "log": paths.log,
        "plan": paths.plan(number),
        "tasks": paths.tasks(number),
        "review": paths.review(number),
    }
