"""The documents people read about a harness run (run-state.md and the run report), and what a
stage is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from podium.core.history import History
from podium.core.records import StepRecord
from podium.core.run import Status
from podium.core.workflow import About, Projection
from podium.proof.sentences import line_of
from podium.workflows.harness import run_report, run_state, sentences
from podium.workflows.harness.edits import read_back
from podium.workflows.harness.position import COMPLETE, current_stage, stage_names, status_of
from podium.workflows.harness.run import HarnessRun
from podium.workflows.harness.stages import COMPLETION, StageSpec

if TYPE_CHECKING:
    from podium.workflows.harness.workflow import Harness

STATE_TEMPLATE = "harness/templates/run-state-template.md"
REPORT_TEMPLATE = "harness/templates/run-report-template.md"


def run_id(
    workflow: Harness, run: HarnessRun, history: History, today: str, stage: StageSpec | None = None
) -> str:
    """RUN-<date>-<task>-<code>, with the UTC date on which the stage run started; -2, -3 for
    later runs of the stage.
    """
    stage = stage or workflow.stage_of(run.step) or workflow.stages[-1]
    visit = _visit(run, stage)
    return _run_id(run.task_id, stage, visit, _started(workflow, stage, visit, history) or today)


def _visit(run: HarnessRun, stage: StageSpec) -> int:
    return max(run.visits.get(stage.step, 0) + (run.step == stage.gate), 1)


def _run_id(task: str, stage: StageSpec, visit: int, date: str) -> str:
    return f"RUN-{date}-{task}-{stage.code}" + (f"-{visit}" if visit > 1 else "")


def _started(workflow: Harness, stage: StageSpec, visit: int, history: History) -> str:
    base = workflow.steps[stage.step].key_base
    record = history.steps.get(f"{base}/{visit}") or (
        history.steps.get(base) if visit == 1 else None
    )
    return record.started[:10] if record else ""


def _own_id(workflow: Harness, run: HarnessRun, history: History, today: str, said: str) -> str:
    """The run id that the document must have, "" if it has it.

    A stage that has not begun may carry any date: the day of writing.
    """
    own = run_id(workflow, run, history, today)
    if said == own:
        return ""
    stage = workflow.stage_of(run.step) or workflow.stages[-1]
    begun = _started(workflow, stage, _visit(run, stage), history)
    return "" if not begun and said.partition("-")[2][10:] == own.partition("-")[2][10:] else own


# -- the two documents


def projections(
    workflow: Harness, run: HarnessRun, history: History, today: str
) -> Sequence[Projection]:
    return (
        Projection(
            path=run.state_path,
            template=STATE_TEMPLATE,
            render=partial(_render_state, workflow, run, history, today),
            check=partial(_check_state, workflow, run.state_path),
            read_back=partial(
                read_back,
                workflow,
                stage_names(workflow),
                own_id=partial(_own_id, workflow, run, history, today),
            ),
        ),
        Projection(
            path=run.report,
            template=REPORT_TEMPLATE,
            render=partial(_render_report, workflow, run, history, today),
            check=run_report.check,
        ),
    )


def labels(workflow: Harness, run: HarnessRun) -> dict[str, str]:
    return {each.label: run.artifacts[each.output] for each in workflow.stages if each.output}


def approvals(workflow: Harness, run: HarnessRun) -> dict[str, bool]:
    found = {
        each.name: run.approvals.get(each.gate, True)
        for each in workflow.stages
        if each.approval_before
    }
    return {**found, COMPLETE: run.approvals.get(COMPLETION, True)}


def state(workflow: Harness, run: HarnessRun, history: History, today: str) -> run_state.RunState:
    return run_state.RunState(
        task_id=run.task_id,
        task_file=run.task_file,
        status=status_of(run),
        stage=current_stage(workflow, run),
        run_id=run_id(workflow, run, history, today),
        stop_reason="" if run.status in {Status.ACTIVE, Status.COMPLETE} else run.reason,
        completed=tuple(run.completed),
        artifacts={**labels(workflow, run), "Run Report": run.report},
        approvals=approvals(workflow, run),
    )


def _render_state(
    workflow: Harness,
    run: HarnessRun,
    history: History,
    today: str,
    before: str | None,
    template: str,
) -> str:
    now = state(workflow, run, history, today)
    notes = position(workflow, run)
    if before is None or not before.strip():
        return run_state.render(now, template, notes)
    return run_state.update(
        sentences.refreshed(before, template, run_state.values(now), now.completed), now, notes
    )


def _check_state(workflow: Harness, path: str, text: str) -> tuple[str, ...]:
    from podium.core.errors import InputError  # noqa: PLC0415

    try:
        run_state.parse(text, path, stage_names(workflow))
    except InputError as fault:
        return tuple(str(each) for each in fault.faults)
    return ()


def position(workflow: Harness, run: HarnessRun) -> tuple[str, ...]:
    """The program's own words under Notes: where the task stands and what was counted."""
    stage = current_stage(workflow, run)
    lines = [_sentence(run, stage)]
    for step, used in sorted(run.remediations.items()):
        name = workflow.by_step[step].name
        lines.append(
            f"{name} returned the task for remediation {used} of {workflow.max_remediations} times."
        )
    if run.note:
        lines.append(f"A person said: {' '.join(run.note.split())}")
    return tuple(lines)


def _sentence(run: HarnessRun, stage: str) -> str:
    if run.status is Status.COMPLETE:
        return "The task is complete."
    if run.status is Status.CANCELLED:
        return "The run was cancelled."
    if run.status is Status.WAITING:
        return f"Waiting for a person at {stage}."
    if run.status is Status.BLOCKED:
        return f"Stopped at {stage}; a person must act."
    if run.status is Status.SLEEPING:
        return f"Waiting for a usage limit to pass at {stage}."
    return f"{stage} is next or under way" + (
        ", to remedy what QA found." if run.remediating else "."
    )


# -- the report


def _render_report(
    workflow: Harness,
    run: HarnessRun,
    history: History,
    today: str,
    before: str | None,
    template: str,
) -> str:
    now = state(workflow, run, history, today)
    report = run_report.RunReport(
        task_id=run.task_id,
        task_title=run.title,
        task_file=run.task_file,
        report_id=run.report.rpartition("/")[2].removesuffix(".md"),
        stage=now.stage,
        run_id=now.run_id,
        status=now.status,
        stage_history=tuple(stage_history(workflow, run.task_id, history)),
        artifacts=labels(workflow, run),
        evidence=tuple(evidence(history)),
        stop_reason=now.stop_reason,
        next_action=next_action(run, now.stage),
        program_notes=position(workflow, run),
    )
    if before is None or not before.strip():
        return run_report.render(report, template)
    return run_report.update(
        sentences.refreshed(before, template, run_report.values(report)), report
    )


def stage_history(workflow: Harness, task: str, history: History) -> list[str]:
    """One line for each run of a stage and each decision, oldest first."""
    told: list[tuple[int, str]] = []
    for record in history.steps.values():
        stage = workflow.by_step.get(record.step)
        if stage is not None and record.finished:
            told.append((record.ending, _stage_line(task, stage, record)))
    for each in history.decisions:
        note = f" — {' '.join(each.note.split())}" if each.note else ""
        stale = " [superseded]" if each.stale else ""
        told.append(
            (
                each.deciding,
                f"{_minute(each.decided)} {each.key}: {each.decision} by {each.by}{note}{stale}",
            )
        )
    return [line for _, line in sorted(told)]


def _stage_line(task: str, stage: StageSpec, record: StepRecord) -> str:
    tail = record.key.rpartition("/")[2]
    ident = _run_id(task, stage, int(tail) if tail.isdigit() else 1, record.started[:10])
    word = {"ok": "done", "revise": "returned", "fail": "failed"}.get(
        record.outcome, record.outcome
    )
    said = f" ({record.verdict})" if record.verdict and record.verdict != "done" else ""
    why = f": {record.reason}" if record.reason and record.outcome != "ok" else ""
    stale = " [superseded]" if record.state == "stale" else ""
    return f"{_minute(record.finished)} {stage.name} {word}{said} — {ident}{why}{stale}"


def _minute(stamp: str) -> str:
    return f"{stamp[:10]} {stamp[11:16]}Z"


def evidence(history: History) -> list[str]:
    """What the program itself saw: changed files, commands, exit codes."""
    lines: list[str] = []
    for record in history.steps.values():
        if not record.finished:
            continue
        if record.commit:
            lines.append(
                f"{record.key}: changed {', '.join(record.outputs)} (commit {record.commit[:12]})"
            )
        lines += [
            f"{record.key}: {line_of(each)} (`{each['command']}`)" for each in record.evidence
        ]
    return lines


def next_action(run: HarnessRun, stage: str) -> str:
    if run.status is Status.COMPLETE:
        return "none"
    if run.status is Status.WAITING and run.stop == "gate":
        return f"a person approves or rejects {stage}"
    if run.status is Status.WAITING and run.stop == "drift":
        return "a person decides about the files that changed"
    if run.status is Status.WAITING:
        return "a person answers the open question"
    if run.status in {Status.BLOCKED, Status.CANCELLED}:
        return "a person looks at the stop reason"
    return f"{stage} runs"


# -- what a stage is told


def about(workflow: Harness, run: HarnessRun, history: History, today: str) -> About:
    stage = workflow.stage_of(run.step) or workflow.stages[-1]
    notes = [run.note] if run.note else []
    if run.remediating and stage.kind == "build":
        name = workflow.by_step[run.remediating].name
        notes.append(
            f"{name} found issues. Its review is among your inputs; remedy what it names and "
            "nothing else."
        )
    return About(
        task=(
            f"{run.task_id} — {run.title}\nStage: {stage.name}\nThe task's definition is in "
            f"`{run.task_file}`."
        ),
        facts={
            "Task": run.task_id,
            "Title": run.title,
            "Artifact": stage.label or stage.name,
            "Generated By": stage.role,
            "Run": run_id(workflow, run, history, today, stage),
            "Date": today,
            "Stage": stage.name,
            "Run State": run.state_path,
        },
        notes=tuple(notes),
    )
