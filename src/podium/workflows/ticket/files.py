"""progress.yaml and log.jsonl: what people see of a run, kept up to date by the program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from podium.core.history import History
from podium.core.run import Run, Status
from podium.core.workflow import Projection
from podium.workflows.ticket import log_lines, progress_document, times
from podium.workflows.ticket.metrics import Metrics
from podium.workflows.ticket.naming import DOCS_CACHE
from podium.workflows.ticket.progress_document import (
    Checkpoint,
    DocsState,
    ImpactScan,
    Iteration,
    Progress,
    Startup,
)
from podium.workflows.ticket.run import TicketRun

ROLES = ("interpreter", "initializer", "planner", "splitter", "task-executor", "developer", "reviewer")
POSITIONS: Mapping[str, tuple[str, str]] = {
    "analyse": ("INITIALIZED", "I2"), "interpret": ("INITIALIZED", "I2"), "prompted": ("INITIALIZED", "I2"),
    "plan": ("PLANNING", "O3"), "settle": ("SPLITTING", "O4"), "split": ("SPLITTING", "O4"),
    "git_look": ("GIT_GATE", "O4.5"), "ask_dirty": ("GIT_GATE", "O4.5"), "ask_branch": ("GIT_GATE", "O4.5"),
    "git_move": ("GIT_GATE", "O4.5"), "review": ("REVIEW", "O6"), "judge": ("REVIEW", "O6"), "accept": ("REVIEW", "O6"),
    "commit": ("REVIEW", "O6"), "refresh": ("DOC_REFRESH", "O7"), "cache": ("DOC_REFRESH", "O7"), "give_back": ("DOC_REFRESH", "O7"),
    "done": ("DOC_REFRESH", "O7"),
}  # fmt: skip


def projections(run: TicketRun, history: History) -> Sequence[Projection]:
    lines = _lines(history)
    found = [Projection(run.paths.log, partial(_log, lines), needed=False, shared=True)] if lines else []
    if run.branch:
        found.append(
            Projection(run.paths.progress, partial(_progress, progress(run, history)), needed=False, read_back=partial(_edited, run.paths.progress))
        )
    return found


def _lines(history: History) -> tuple[str, ...]:
    return tuple(_line(each) for each in history.own if each["type"] == "ticket.log")


def _line(event: Mapping[str, Any]) -> str:
    names = ("iteration", "task_id", "parallel_group", "level")
    at = datetime.fromisoformat(str(event["ts"]))
    return log_lines.line(at, event["event"], event["message"], **{name: event[name] for name in names})


def _log(lines: tuple[str, ...], before: str | None, _template: str) -> str:
    """Only ever added to: what is there stays, and of this run's lines those that are missing come behind it."""
    text = before or ""
    for count in range(len(lines), -1, -1):
        if text.endswith("".join(lines[:count])):
            return text + "".join(lines[count:])
    return text + "".join(lines)


def position(run: TicketRun) -> tuple[str, str]:
    return POSITIONS.get(run.step, ("TASK_EXECUTION", "O5"))


def status_of(run: TicketRun) -> str:
    if run.status is Status.COMPLETE or run.accepted:
        return "ACCEPTED"
    if run.status in {Status.BLOCKED, Status.WAITING, Status.SLEEPING, Status.CANCELLED}:
        return "PAUSED"
    return "PENDING" if run.step in {"analyse", "interpret", "prompted"} else "IN_PROGRESS"


def progress(run: TicketRun, history: History) -> Progress:
    at = times.stamp(datetime.fromisoformat(history.last)) if history.last else run.created_at
    phase, step = position(run)
    current = run.batch[0] if run.batch else None
    return Progress(
        jira=run.jira, type=run.type, slug=run.slug, branch=run.branch,
        build_command=run.build_command, test_command=run.test_command, max_parallel_tasks=run.parallel,
        docs_cache_state_path=DOCS_CACHE, docs_trusted_for_planning=run.docs_trusted, trust_status=run.trust_status,
        git_gate_completed=run.gated, cycle_acceleration_mode="trivial_graph" if run.trivial else "standard",
        startup=Startup(
            docs_state=DocsState(**run.docs) if run.docs else DocsState(),
            impact_scan=ImpactScan(**{name: tuple(each) for name, each in run.impact.items()}) if run.impact else ImpactScan(),
            planning_ready=True, updated_at=run.created_at or at,
        ),
        metrics=Metrics(**run.metrics) if run.metrics else Metrics(),
        iteration_number=run.iteration, current_phase=phase, current_step=step, current_task_id=current,
        current_task_attempt=int(run.tasks[current][1]) if current in run.tasks else 0,
        status=status_of(run), created_at=run.created_at or at, last_updated=at,
        last_checkpoint=Checkpoint(timestamp=at, git_head=run.head, phase=phase, step=step),
        iterations=tuple(Iteration(**each) for each in run.iterations),
    )  # fmt: skip


def _progress(known: Progress, before: str | None, _template: str) -> str:
    if before is None or not before.strip():
        return progress_document.render(known)
    return progress_document.update(before, known)


def _edited(where: str, text: str, run: Run) -> tuple[Run, tuple[str, ...]]:
    """A person may set the commands and the width; the rest is the program's to say."""
    assert isinstance(run, TicketRun)
    said = progress_document.read(text, where)
    changes = []
    for name, member in (("build_command", "build_command"), ("test_command", "test_command"), ("max_parallel_tasks", "parallel")):
        now, was = getattr(said, name), getattr(run, member)
        if now != was:
            changes.append(f"{name} is {now!r}, was {was!r}")
            setattr(run, member, now)
    return run, tuple(changes)
