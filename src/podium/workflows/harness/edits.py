"""A person's edit of run-state.md: recorded, obeyed within the lifecycle, and never overwritten
in the notes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from podium.core.advance import blocked, entered
from podium.core.effects import Gate
from podium.core.errors import Fault, InputError
from podium.core.run import DONE, Run, Status, copied
from podium.formats.field_lines import field_value, fold_key
from podium.formats.markdown import scan
from podium.formats.markdown_fields import find_field
from podium.formats.outline import Outline
from podium.workflows.harness import run_state
from podium.workflows.harness.position import current_stage, status_of
from podium.workflows.harness.run import HarnessRun
from podium.workflows.harness.stages import COMPLETION

if TYPE_CHECKING:
    from podium.workflows.harness.workflow import Harness


def read_back(
    workflow: Harness,
    stages: Sequence[str],
    text: str,
    run: Run,
    own_id: Callable[[str], str] = lambda _: "",
) -> tuple[Run, tuple[str, ...]]:
    """The run as the person wants it, and what they changed; no changes if only the program's own
    words differ.

    `own_id` returns "" for a correct Current Run ID, and otherwise the id it must be.
    """
    assert isinstance(run, HarnessRun)
    said = run_state.parse(text, run.state_path, stages)
    refuse_other(workflow, run, said, text)
    after: HarnessRun = copied(run)
    changes: list[str] = []
    take_words(workflow, after, said, changes)
    moved = _position(workflow, after, said, changes)
    if (said.stage, said.status) == (current_stage(workflow, run), status_of(run)):
        # If the position was edited, these lines follow from it.
        _refuse(text, run, _same_record(run, said, own_id))
    return moved, tuple(changes)


def refuse_other(workflow: Harness, run: HarnessRun, said: run_state.RunState, text: str) -> None:
    """InputError where the file is about another task, or about files in other places."""
    _same_task(run, said)
    _refuse(text, run, _same_paths(workflow, run, said))


def take_words(
    workflow: Harness,
    run: HarnessRun,
    said: run_state.RunState,
    changes: list[str],
    *,
    stricter: bool = False,
) -> None:
    """Take over notes and flags (if `stricter`, only flags that require approval); differences
    are added to the changes.
    """
    _notes(run, said, changes)
    flags = {
        name: required for name, required in said.approvals.items() if required or not stricter
    }
    _approvals(workflow, run, flags, changes)


def _same_task(run: HarnessRun, said: run_state.RunState) -> None:
    """What a run is about cannot be edited: another task is another run."""
    wrong = [
        Fault(
            run.state_path,
            f"{key} is {found!r}, this run is about {own!r}",
            "put it back, or start another run",
        )
        for key, found, own in (
            ("Task ID", said.task_id, run.task_id),
            ("Task File", said.task_file, run.task_file),
        )
        if found != own
    ]
    if wrong:
        raise InputError(wrong)


_Wrong = tuple[str, str, str, str]
"""Section, key, the value that must be there, and how to get what the person may have wanted."""


def _same_paths(workflow: Harness, run: HarnessRun, said: run_state.RunState) -> list[_Wrong]:
    """Artifact paths are settled when the run begins: the artifacts were made and approved
    there.
    """
    own = {
        **{each.label: run.artifacts[each.output] for each in workflow.stages if each.output},
        "Run Report": run.report,
    }
    found = {fold_key(label): path for label, path in said.artifacts.items()}
    mend = "the task file says where artifacts lie, when a run begins"
    return [
        ("Artifact Paths", label, path, mend)
        for label, path in own.items()
        if found.get(fold_key(label)) != path
    ]


def _same_record(
    run: HarnessRun, said: run_state.RunState, own_id: Callable[[str], str]
) -> list[_Wrong]:
    """Lines that only record what happened. Silently writing them back would make an edit of
    them look obeyed.
    """
    found: list[_Wrong] = []
    if list(said.completed) != run.completed:
        mend = "to have a stage done again, set Current Stage to it"
        found.append(("Completed Stages", "", ", ".join(run.completed) or run_state.NONE, mend))
    if wanted := own_id(said.run_id):
        found.append(
            (
                "Execution State",
                "Current Run ID",
                wanted,
                "it follows from the stage and the date of its run",
            )
        )
    stopped = "" if run.status in {Status.ACTIVE, Status.COMPLETE} else field_value(run.reason)
    if field_value(said.stop_reason).casefold() != stopped.casefold():
        mend = "to send a blocked run on, set Current Status to Active"
        found.append(("Execution State", "Stop Reason", stopped or run_state.NONE, mend))
    return found


def _refuse(text: str, run: HarnessRun, wrong: Sequence[_Wrong]) -> None:
    if wrong and run.stop != "drift":  # the file is older than the pause it belongs to
        raise InputError([_fault(scan(text), run.state_path, each) for each in wrong])


def _fault(outline: Outline, path: str, wrong: _Wrong) -> Fault:
    section, key, value, mend = wrong
    heading, found = outline.section(section), find_field(outline, section, key) if key else None
    line = found.line if found else heading.heading.line if heading else 0
    was = f" is {found.value!r}" if found else " is missing" if key else " was edited"
    return Fault(
        f"{path}:{line + 1}",
        f"{key or section}{was}, and cannot be edited",
        f"put back {value!r}; {mend}",
    )


def _notes(run: HarnessRun, said: run_state.RunState, changes: list[str]) -> None:
    if said.notes != run.people_notes:
        changes.append(f"Notes: {said.notes or '(removed)'}")
        run.people_notes = said.notes
        run.note = said.notes


def _approvals(
    workflow: Harness, run: HarnessRun, said: Mapping[str, bool], changes: list[str]
) -> None:
    gates = {
        stage.name.casefold(): stage.gate for stage in workflow.stages if stage.approval_before
    }
    gates["complete"] = COMPLETION
    for name, required in said.items():
        gate = gates.get(name.casefold())
        if gate is not None and run.approvals.get(gate, True) != required:
            changes.append(
                f"Require Approval Before {name}: {_word(not required)} -> {_word(required)}"
            )
            run.approvals[gate] = required


def _word(flag: bool) -> str:
    return "Yes" if flag else "No"


def _position(
    workflow: Harness, run: HarnessRun, said: run_state.RunState, changes: list[str]
) -> HarnessRun:
    stage, status = current_stage(workflow, run), status_of(run)
    if said.stage != stage:
        changes.append(f"Current Stage: {stage} -> {said.stage}")
        return _moved(workflow, run, said.stage)
    if (
        said.status != status and run.stop != "drift"
    ):  # the file is older than the pause it belongs to
        changes.append(f"Current Status: {status} -> {said.status}")
        return _restated(workflow, run, said.status)
    return run


def _moved(workflow: Harness, run: HarnessRun, stage: str) -> HarnessRun:
    """Going back is always allowed, going forward only to the first stage whose predecessors are
    all completed.
    """
    names = [each.name for each in workflow.stages]
    if stage not in names:
        words = (
            f"lifecycle rules do not permit progression: {stage} is reached through a person's "
            "decision, not an edit"
        )
        return _as(blocked(run, words, "lifecycle"))
    missing = [name for name in names[: names.index(stage)] if name not in run.completed]
    if missing:
        words = (
            f"lifecycle rules do not permit progression: {stage} needs {', '.join(missing)} first"
        )
        return _as(blocked(run, words, "lifecycle"))
    after = _as(entered(run, workflow.stages[names.index(stage)].step))
    workflow.rewound(after)
    return after


def _restated(workflow: Harness, run: HarnessRun, status: str) -> HarnessRun:
    if status == "Active" and isinstance(workflow.steps[run.step].effect, Gate):
        return run  # the gate stays open: only a decision passes it
    if status == "Active" and run.step != DONE:
        after = _as(entered(run, run.step))
        workflow.unblocked(after)
        return after
    if status == "Blocked":
        return _as(blocked(run, "a person set the status to Blocked", "person"))
    words = (
        f"lifecycle rules do not permit progression: {status} is reached through a person's "
        "decision, not an edit"
    )
    return _as(blocked(run, words, "lifecycle")) if run.status is Status.ACTIVE else run


def _as(run: Run) -> HarnessRun:
    assert isinstance(run, HarnessRun)
    return run
