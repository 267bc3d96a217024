"""A task that has no journal here continues from its run-state.md, as far as files on disk prove
what it says.

A document proves itself. Changed code and its review are proved by what Podium saw, which only the
journal of the original checkout records. So Build and every stage after it run again, and every
approval is asked for again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from podium.core.errors import Fault, InputError
from podium.core.run import copied
from podium.formats.markdown import scan
from podium.formats.markdown_fields import find_field
from podium.workflows.harness import edits, run_state
from podium.workflows.harness.position import AWAITING, COMPLETE, stage_names
from podium.workflows.harness.run import HarnessRun

if TYPE_CHECKING:
    from podium.workflows.harness.stages import StageSpec
    from podium.workflows.harness.workflow import Harness

Sound = Callable[[str], tuple[str, str]]
"""A step's name to (what is wrong with its artifact, "") or ("", what names its content)."""
_NO_PROOF = "its proof is in a journal that is not here"


def can_be(workflow: Harness, run: HarnessRun, text: str) -> bool:
    """Whether the file is about this task; False for one of another, finished task.

    InputError if the run cannot continue from it.
    """
    path = run.state_path
    said = run_state.parse(text, path, stage_names(workflow))
    if said.task_id != run.task_id:
        if said.status == COMPLETE:
            return False
        raise InputError(
            Fault(
                path,
                f"is about {said.task_id}, not {run.task_id}",
                "move it away, or use another file with --state PATH",
            )
        )
    if said.status == "Blocked":
        found = find_field(scan(text), "Execution State", "Current Status")
        raise InputError(
            Fault(
                f"{path}:{found.line + 1 if found else 1}",
                f"{said.stage} is Blocked, and the journal of that run is not here",
                (
                    "set Current Status to Active to continue from there, or move the file away "
                    "to start over"
                ),
            )
        )
    edits.refuse_other(workflow, run, said, text)
    return True


def adopted(
    workflow: Harness, run: HarnessRun, text: str, sound: Sound
) -> tuple[HarnessRun, tuple[str, ...]]:
    """The run at the position the file gives, as far as that is proved; and in words, everything
    taken over.
    """
    said = run_state.parse(text, run.state_path, stage_names(workflow))
    after: HarnessRun = copied(run)
    changes = [f"found without its journal, at {said.stage} ({said.status})"]
    # Nobody here wrote this file: a gate that it turns off is off only if the task or the settings
    # say so too.
    edits.take_words(workflow, after, said, changes, stricter=True)
    names = [each.name for each in workflow.stages]
    at = len(names) if said.stage in {AWAITING, COMPLETE} else names.index(said.stage)
    for stage in workflow.stages[:at]:
        why, mark = _proof(stage, said, sound)
        if why:
            changes.append(f"{stage.name} is done again: {why}")
            break
        after.completed.append(stage.name)
        changes.append(f"{stage.name} is taken as done: {after.artifacts[stage.output]} ({mark})")
    target = workflow.stages[len(after.completed)]
    after.step = (
        target.gate
        if target.approval_before and after.approvals.get(target.gate, True)
        else target.step
    )
    after.visits = {after.step: 1}
    return after, tuple(changes)


def _proof(stage: StageSpec, said: run_state.RunState, sound: Sound) -> tuple[str, str]:
    if stage.kind != "document":
        return _NO_PROOF, ""
    if stage.name not in said.completed:
        return "it is not among the completed stages", ""
    return sound(stage.step)
