"""A person's edit of run-state.md: obeyed within the lifecycle, named in words, never a way
around a gate.
"""

from __future__ import annotations

from typing import Any

import pytest

from podium.core.errors import InputError
from podium.core.history import History
from podium.core.run import Status
from podium.wiring import scaffold_text
from podium.workflows.harness import files
from podium.workflows.harness.edits import read_back
from podium.workflows.harness.position import stage_names
from podium.workflows.harness.run import HarnessRun
from podium.workflows.harness.stages import parse_stages
from podium.workflows.harness.workflow import COMPLETION, Harness, first_members

STAGES = parse_stages(scaffold_text("harness", "stages.toml"), "harness/stages.toml")
WORKFLOW = Harness(STAGES)
NAMES = [each.name for each in STAGES]
TEMPLATE = scaffold_text("harness", "templates/run-state-template.md")


def run(step: str = "design", done: int | None = None, **more: Any) -> HarnessRun:
    members = first_members(
        STAGES,
        task_id="T001",
        task_file="harness/tasks/T001.md",
        report="harness/runs/T001-run-report.md",
    )
    at = (
        [each.step for each in STAGES].index(step)
        if done is None and step in WORKFLOW.by_step
        else done or 0
    )
    return HarnessRun(
        step=step, **{"visits": {step: 1}, "completed": NAMES[:at], **members, **more}
    )


def edited(at: HarnessRun, *changes: tuple[str, str]) -> tuple[HarnessRun, tuple[str, ...]]:
    """The run after a person replaced these words in its document."""
    text = files.projections(WORKFLOW, at, History(), "2026-03-01")[0].render(None, TEMPLATE)
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    after, said = read_back(WORKFLOW, stage_names(WORKFLOW), text, at)
    assert isinstance(after, HarnessRun)
    return after, said


def test_the_programs_own_words_are_no_edit() -> None:
    at = run()
    assert edited(at) == (at, ())


def test_the_run_that_was_given_is_left_alone() -> None:
    at = run()
    edited(
        at,
        ("Before Build: Yes", "Before Build: No"),
        ("Current Stage: Design", "Current Stage: Specification"),
    )
    assert at == run()


@pytest.mark.parametrize(("line", "gate"), [("Build", "approve_build"), ("Complete", COMPLETION)])
def test_a_flag_is_obeyed_both_ways(line: str, gate: str) -> None:
    after, said = edited(run(), (f"Before {line}: Yes", f"Before {line}: No"))
    assert (after.approvals[gate], said) == (False, (f"Require Approval Before {line}: Yes -> No",))
    after, said = edited(
        run(approvals={gate: False}), (f"Before {line}: No", f"Before {line}: Yes")
    )
    assert (after.approvals[gate], said) == (True, (f"Require Approval Before {line}: No -> Yes",))


def test_a_stage_set_back_is_entered_again_and_what_follows_is_undone() -> None:
    at = run("qa", remediations={"qa": 1}, remediating="qa")
    after, said = edited(at, ("Current Stage: QA", "Current Stage: Design"))
    assert (after.step, after.status, after.completed, after.visits["design"]) == (
        "design",
        Status.ACTIVE,
        ["Specification"],
        1,
    )
    assert (after.remediations, after.remediating) == ({}, "")
    assert said == ("Current Stage: QA -> Design",)


def test_a_stage_that_was_visited_is_a_new_visit() -> None:
    after, _ = edited(
        run("design", visits={"specification": 1, "design": 1}),
        ("Current Stage: Design", "Current Stage: Specification"),
    )
    assert after.visits == {"specification": 2, "design": 1}


@pytest.mark.parametrize(
    ("stage", "missing"),
    [
        ("QA", "Design, Implementation Planning, Build"),
        ("Build", "Design, Implementation Planning"),
    ],
)
def test_a_stage_cannot_be_skipped(stage: str, missing: str) -> None:
    after, _ = edited(run("design"), ("Current Stage: Design", f"Current Stage: {stage}"))
    assert (after.step, after.status, after.stop) == ("design", Status.BLOCKED, "lifecycle")
    assert (
        after.reason == f"lifecycle rules do not permit progression: {stage} needs {missing} first"
    )


@pytest.mark.parametrize("stage", ["Awaiting Approval", "Complete"])
def test_the_end_is_not_reached_by_an_edit(stage: str) -> None:
    after, _ = edited(run("qa"), ("Current Stage: QA", f"Current Stage: {stage}"))
    assert (after.step, after.status) == ("qa", Status.BLOCKED)
    assert "reached through a person's decision, not an edit" in after.reason


def test_a_list_of_completed_stages_is_the_programs_own_and_opens_no_way() -> None:
    after, _ = edited(
        run("design"),
        ("- Specification", "- Specification\n- Design\n- Implementation Planning\n- Build"),
        ("Current Stage: Design", "Current Stage: QA"),
    )
    assert (after.step, after.status, after.completed) == (
        "design",
        Status.BLOCKED,
        ["Specification"],
    )


def test_a_blocked_run_set_to_active_goes_on_with_fresh_loops() -> None:
    at = run("qa", status=Status.BLOCKED, stop="qa_limit", reason="limit", remediations={"qa": 2})
    after, said = edited(at, ("Current Status: Blocked", "Current Status: Active"))
    assert (after.step, after.status, after.remediations, after.visits["qa"]) == (
        "qa",
        Status.ACTIVE,
        {},
        2,
    )
    assert said == ("Current Status: Blocked -> Active",)


def test_an_active_run_set_to_blocked_is_blocked_by_a_person() -> None:
    after, _ = edited(run(), ("Current Status: Active", "Current Status: Blocked"))
    assert (after.status, after.reason, after.stop) == (
        Status.BLOCKED,
        "a person set the status to Blocked",
        "person",
    )


@pytest.mark.parametrize("status", ["Complete", "Awaiting Approval"])
def test_no_status_completes_or_approves(status: str) -> None:
    after, _ = edited(run(), ("Current Status: Active", f"Current Status: {status}"))
    assert (after.status, after.stop) == (Status.BLOCKED, "lifecycle")


@pytest.mark.parametrize("gate", ["approve_build", COMPLETION])
@pytest.mark.parametrize("status", ["Active", "Complete"])
def test_no_status_passes_an_open_gate(gate: str, status: str) -> None:
    at = run(gate, 3, status=Status.WAITING, stop="gate", reason="?")
    after, _ = edited(at, ("Current Status: Awaiting Approval", f"Current Status: {status}"))
    assert after.step == gate
    assert after.status is not Status.COMPLETE


def test_a_note_goes_with_the_next_stage_and_is_told_once() -> None:
    at = run()
    text = files.projections(WORKFLOW, at, History(), "2026-03-01")[0].render(None, TEMPLATE)
    after, said = read_back(
        WORKFLOW, stage_names(WORKFLOW), text.rstrip() + "\n\nMind the gap.\n", at
    )
    assert (after.note, said) == ("Mind the gap.", ("Notes: Mind the gap.",))
    _, said = read_back(
        WORKFLOW, stage_names(WORKFLOW), text.rstrip() + "\n\nMind the gap.\n", after
    )
    assert said == ()


def test_the_position_in_the_programs_own_notes_is_no_note_of_a_person() -> None:
    assert edited(run(), ("Design is next or under way.", "QA is next or under way."))[1] == ()


@pytest.mark.parametrize(
    ("old", "new"),
    [("Task ID: T001", "Task ID: T002"), ("harness/tasks/T001.md", "harness/tasks/T002.md")],
)
def test_what_a_run_is_about_cannot_be_edited(old: str, new: str) -> None:
    with pytest.raises(InputError, match="T002"):
        edited(run(), (old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Current Stage: Design", "Current Stage: Desing"),
        ("Current Status: Active", "Current Status: Going"),
        ("Before Build: Yes", "Before Build: Perhaps"),
    ],
)
def test_a_word_that_is_none_of_the_known_ones_is_refused(old: str, new: str) -> None:
    with pytest.raises(InputError, match=new.rpartition(": ")[2]):
        edited(run(), (old, new))


def test_several_edits_are_obeyed_and_told_together() -> None:
    _, said = edited(
        run("qa"),
        ("Before Build: Yes", "Before Build: No"),
        ("Current Stage: QA", "Current Stage: Build"),
    )
    assert said == ("Require Approval Before Build: Yes -> No", "Current Stage: QA -> Build")
