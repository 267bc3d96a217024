"""A person edits run-state.md or state.json by hand: recorded, obeyed within the lifecycle,
their words kept.
"""

from __future__ import annotations

import json

import pytest
from tests.fakes.project import NO_GATES, SPEC, STATE, Project

from podium.core.errors import InputError

NOTE = "Please mind the empty text. — Ada"


def add_note(project: Project, words: str = NOTE) -> None:
    project.write(STATE, project.text(STATE).rstrip("\n") + f"\n\n{words}\n")


def edited(project: Project) -> list[str]:
    return [change for each in project.events("run.edited") for change in each["changes"]]


def set_state(project: Project, **values: object) -> None:
    path = project.folder / "state.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}, indent=2))


# -- the stage


def test_a_stage_set_back_by_hand_is_recorded_and_obeyed(project: Project) -> None:
    project.run(until="implementation-planning")
    project.edit(STATE, "Current Stage: Build", "Current Stage: Design")
    ended = project.resume()
    assert ended.exit_code == 10
    assert "Current Stage: Build -> Design" in edited(project)
    assert project.event("run.edited")["path"] == STATE
    assert [each["key"] for each in project.events("step.stale")] == [
        "design",
        "implementation-planning",
    ]
    assert project.started()[3:] == ["design/2", "implementation-planning/2"]
    assert "RUN-2026-03-01-T001-DESIGN-2" in project.text(
        "harness/artifacts/design/T001-design-note.md"
    )


@pytest.mark.parametrize("way", ["document", "state", "rewind"])
def test_a_step_that_was_reached_and_not_begun_has_its_first_round_ahead_of_it(
    project: Project, way: str
) -> None:
    project.run(until="implementation-planning", policy=NO_GATES)
    if way == "document":
        project.edit(STATE, "Current Stage: Build", "Current Stage: Design")
    elif way == "state":
        set_state(project, step="design")
    else:
        project.rewind("design")
    assert project.resume().exit_code == 0
    assert project.started()[3:] == ["design/2", "implementation-planning/2", "build/1", "qa/1"]


def test_a_stage_set_back_by_hand_at_an_open_gate_is_obeyed_and_one_gate_is_open_afterwards(
    project: Project,
) -> None:
    project.run()
    project.edit(STATE, "Current Stage: Build", "Current Stage: Design")
    ended = project.resume()
    assert ended.exit_code == 10
    assert project.started()[3:] == ["design/2", "implementation-planning/2"]
    assert len(ended.gates) == 1
    project.approve()
    assert project.resume().gates == ("approve-completion",)


def test_a_stage_set_back_by_hand_after_the_approval_asks_for_it_again(project: Project) -> None:
    project.run()
    project.approve()
    project.resume(until="build/1")
    project.edit(STATE, "Current Stage: QA", "Current Stage: Implementation Planning")
    ended = project.resume()
    assert ended.exit_code == 10
    assert ended.gates[0].startswith("approve-build")
    assert [each["key"] for each in project.events("gate.stale")] == ["approve-build"]
    assert "build/2" not in project.started()


def test_what_ran_again_after_a_hand_edit_is_not_called_superseded(project: Project) -> None:
    project.run(until="implementation-planning")
    project.edit(STATE, "Current Stage: Build", "Current Stage: Design")
    project.resume()
    lines = [
        line
        for line in project.text("harness/runs/T001-run-report.md").splitlines()
        if "DESIGN-2" in line
    ]
    assert lines
    assert "[superseded]" not in lines[0]


def test_a_stage_skipped_by_hand_is_refused_with_the_lifecycle_reason(project: Project) -> None:
    project.run(until="specification")
    project.edit(STATE, "Current Stage: Design", "Current Stage: QA")
    ended = project.resume()
    assert (ended.exit_code, ended.stop) == (20, "lifecycle")
    assert ended.reason.startswith("lifecycle rules do not permit progression")
    assert "Implementation Planning" in ended.reason
    assert project.started() == ["specification"]
    assert project.state("Current Status") == project.report("Overall Status") == "Blocked"
    assert project.state("Stop Reason") == project.report("Stop Reason") == ended.reason


@pytest.mark.parametrize("stage", ["Complete", "Awaiting Approval"])
def test_completion_by_hand_is_refused(project: Project, stage: str) -> None:
    project.run(until="specification")
    project.edit(STATE, "Current Stage: Design", f"Current Stage: {stage}")
    ended = project.resume()
    assert (ended.exit_code, ended.stop) == (20, "lifecycle")
    assert project.started() == ["specification"]
    assert not project.events("run.completed")


def test_an_edit_that_is_refused_leaves_the_gate_to_be_decided(project: Project) -> None:
    """Whoever wrote Complete into the file is told to decide, and may."""
    project.run(policy={"require_approval_before_build": False})
    project.edit(STATE, "Current Stage: Awaiting Approval", "Current Stage: Complete")
    ended = project.resume()
    assert (ended.exit_code, ended.stop) == (20, "lifecycle")
    assert "nothing has changed" not in ended.advice[0]
    assert project.event("run.blocked")["reason"] == ended.reason
    assert project.event("run.blocked")["key"] == "approve-completion"
    assert project.resume().exit_code == 20
    project.approve()
    assert project.resume().exit_code == 0
    assert [each["key"] for each in project.events("gate.opened")] == ["approve-completion"]


def test_an_approval_by_hand_in_the_status_is_refused(project: Project) -> None:
    """At the last gate a person writes Complete instead of approving."""
    project.run(policy={"require_approval_before_build": False})
    project.edit(STATE, "Current Status: Awaiting Approval", "Current Status: Complete")
    assert project.resume().exit_code in {10, 20}
    assert not project.events("run.completed")


# -- status


def test_a_blocked_run_set_to_active_by_hand_goes_on(project: Project) -> None:
    project.run({"po-spec": [{"fail": "crash"}, {"behave": "well"}]})
    project.edit(STATE, "Current Status: Blocked", "Current Status: Active")
    ended = project.resume()
    assert ended.exit_code == 10
    assert "Current Status: Blocked -> Active" in edited(project)
    assert project.started()[:2] == ["specification", "specification/2"]


def test_a_run_set_to_blocked_by_hand_stays_blocked(project: Project) -> None:
    project.run(until="specification")
    project.edit(STATE, "Current Status: Active", "Current Status: Blocked")
    ended = project.resume()
    assert (ended.exit_code, ended.stop) == (20, "person")
    assert project.started() == ["specification"]


def test_active_by_hand_at_an_open_gate_passes_no_gate_and_opens_no_second_one(
    project: Project,
) -> None:
    project.run()
    project.edit(STATE, "Current Status: Awaiting Approval", "Current Status: Active")
    ended = project.resume()
    assert ended.exit_code == 10
    assert "build/1" not in project.started()
    project.approve()
    assert project.resume().gates == ("approve-completion",)


# -- notes


def test_a_note_is_kept_through_later_updates_and_given_to_the_next_stage(project: Project) -> None:
    project.run(until="specification")
    add_note(project)
    assert project.resume().exit_code == 10
    assert NOTE in project.prompt("design")
    assert NOTE in project.text(STATE)
    project.approve()
    project.resume()
    assert NOTE in project.text(STATE)
    assert f"Notes: {NOTE}" in edited(project)
    assert len(project.events("run.edited")) == 1


def test_a_note_written_at_an_open_gate_reaches_the_stage_after_it(project: Project) -> None:
    project.run()
    add_note(project)
    project.approve()
    project.resume()
    assert NOTE in project.prompt("build/1")
    assert NOTE in project.text(STATE)


def test_other_words_and_comments_of_a_person_stay_where_they_are(project: Project) -> None:
    project.run(until="specification")
    project.edit(
        STATE, "## Artifact Paths\n", "## Artifact Paths\n\n<!-- Ada: keep these short -->\n"
    )
    project.edit(STATE, "- Specification", "- Specification — read by Ada")
    project.resume()
    assert "<!-- Ada: keep these short -->" in project.text(STATE)
    assert "- Specification — read by Ada" in project.text(STATE)


# -- approvals


def test_an_approval_flag_changed_by_hand_is_obeyed(project: Project) -> None:
    project.run(until="specification")
    project.edit(STATE, "Require Approval Before Build: Yes", "Require Approval Before Build: No")
    ended = project.resume()
    assert ended.gates == ("approve-completion",)
    assert "Require Approval Before Build: Yes -> No" in edited(project)
    assert project.state("Require Approval Before Build") == "No"


def test_an_approval_flag_switched_on_by_hand_is_obeyed(project: Project) -> None:
    project.run(policy=NO_GATES, until="specification")
    project.edit(STATE, "Require Approval Before Build: No", "Require Approval Before Build: Yes")
    assert project.resume().gates == ("approve-build",)


def test_an_approval_flag_switched_off_at_its_own_gate_lets_the_run_go_on(project: Project) -> None:
    project.run()
    project.edit(STATE, "Require Approval Before Build: Yes", "Require Approval Before Build: No")
    ended = project.resume()
    assert ended.gates == ("approve-completion",)
    assert project.started()[-2:] == ["build/1", "qa/1"]


# -- syntax


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ("Current Stage: Design", "Current Stage: Desing", "Current Stage"),
        ("Current Status: Active", "Current Status: Sleepy", "Current Status"),
        ("Current Stage: Design  \n", "", "Current Stage"),
        (
            "Require Approval Before Build: Yes",
            "Require Approval Before Build: Maybe",
            "approvals.Build is 'Maybe'",
        ),
        ("## Completed Stages", "## Completed", "Completed Stages"),
        ("Task ID: T001", "Task ID:", "Task ID"),
    ],
)
def test_a_syntax_error_is_told_with_line_and_field_and_the_file_stays(
    project: Project, old: str, new: str, field: str
) -> None:
    project.run(until="specification")
    project.edit(STATE, old, new)
    before, events = project.path(STATE).read_bytes(), len(project.events())
    with pytest.raises(InputError) as refused:
        project.resume()
    assert refused.value.exit_code == 2
    assert all(fault.where.startswith(f"{STATE}:") for fault in refused.value.faults)
    assert field in str(refused.value)
    assert project.path(STATE).read_bytes() == before
    assert len(project.events()) == events


def test_every_syntax_error_is_told_at_once(project: Project) -> None:
    project.run(until="specification")
    project.edit(STATE, "Current Stage: Design", "Current Stage: Desing")
    project.edit(STATE, "Current Status: Active", "Current Status: Sleepy")
    with pytest.raises(InputError) as refused:
        project.resume()
    assert len(refused.value.faults) == 2


def test_another_task_written_into_run_state_is_not_obeyed(project: Project) -> None:
    project.run(until="specification")
    project.edit(STATE, "Task ID: T001", "Task ID: T002")
    with pytest.raises(InputError, match="Task ID"):
        project.resume()


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("- Implementation Planning\n", "", "Completed Stages was edited"),
        ("- Design\n", "- Design\n- QA\n", "Completed Stages was edited"),
        (
            "plans/T001-implementation-plan.md",
            "plans/other.md",
            "Implementation Plan is 'harness/artifacts/plans/other.md'",
        ),
        ("Run Report: harness/runs/T001-run-report.md", "Run Report:", "Run Report is ''"),
        (
            "Stop Reason: Start Build?",
            "Stop Reason: Go on! Start Build?",
            "Stop Reason is 'Go on! Start Build.+'",
        ),
        (
            "RUN-2026-03-01-T001-BUILD",
            "RUN-2026-03-01-T001-BUILD-7",
            "Current Run ID is 'RUN-2026-03-01-T001-BUILD-7'",
        ),
    ],
)
def test_an_edit_of_what_only_tells_is_refused_with_its_line_and_never_undone_silently(
    project: Project, old: str, new: str, line: str
) -> None:
    project.run()
    project.edit(STATE, old, new)
    before, events = project.text(STATE), len(project.events())
    with pytest.raises(
        InputError, match=rf"{STATE}:\d+: {line}, and cannot be edited \(put back '"
    ) as refused:
        project.resume()
    assert refused.value.exit_code == 2
    assert project.text(STATE) == before
    assert len(project.events()) == events


def test_completed_stages_may_be_edited_together_with_the_stage(project: Project) -> None:
    project.run()
    project.edit(STATE, "Current Stage: Build", "Current Stage: Implementation Planning")
    project.edit(STATE, "- Implementation Planning\n", "")
    assert project.resume().exit_code == 10
    assert project.started()[3:] == ["implementation-planning/2"]


def test_a_note_on_a_later_day_is_no_edit_of_the_run_id(project: Project) -> None:
    project.run()
    project.clock.skip(3 * 86400)
    add_note(project)
    assert project.resume().exit_code == 10
    assert edited(project) == [f"Notes: {NOTE}"]


# -- state.json


@pytest.mark.parametrize(
    ("member", "value", "said"),
    [
        ("artifacts", {}, "artifacts: 'spec' is missing"),
        ("artifacts", {"spec": "../x.md"}, "artifacts: 'spec': '../x.md' leaves the project"),
        ("completed", ["Desing"], "completed: 'Desing' is not a stage (did you mean 'Design'?)"),
        (
            "task_file",
            "nope.md",
            "task_file: 'nope.md', this run is about 'harness/tasks/T001-sample.md'",
        ),
        ("approvals", {"approve_qa": False}, "approvals: 'approve_qa' is not a gate"),
        ("remediating", "build", "remediating: 'build' is not a review"),
    ],
)
def test_a_value_in_the_state_file_that_cannot_be_is_refused_with_its_line_and_the_way_out(
    project: Project, member: str, value: object, said: str
) -> None:
    project.run()
    set_state(project, **{member: value})
    events = len(project.events())
    with pytest.raises(InputError) as refused:
        project.resume()
    assert refused.value.exit_code == 2
    assert said in str(refused.value)
    assert f"state.json:{_line(project, member)}: " in str(refused.value)
    assert len(project.events()) == events


def _line(project: Project, member: str) -> int:
    lines = (project.folder / "state.json").read_text().splitlines()
    return next(at for at, line in enumerate(lines, 1) if line.startswith(f'  "{member}"'))


def test_an_edit_of_the_state_file_is_recorded_and_obeyed(project: Project) -> None:
    project.run(until="implementation-planning")
    set_state(project, step="design")
    ended = project.resume()
    assert ended.exit_code == 10
    assert any(
        each.startswith("step: ") and each.endswith(" -> design") for each in edited(project)
    )
    assert "design" in project.started()[3]


def test_an_edit_of_the_state_file_at_an_open_gate_is_obeyed(project: Project) -> None:
    project.run()
    set_state(project, step="design", status="active")
    project.resume()
    assert project.started()[3].startswith("design")


@pytest.mark.parametrize(
    "values",
    [
        {"status": "complete"},
        {"status": "cancelled"},
        {"step": "done"},
        {"step": "done", "status": "complete"},
    ],
)
def test_an_end_written_into_the_state_file_is_recorded_and_passes_no_gate(
    project: Project, values: dict[str, str]
) -> None:
    project.run()
    set_state(project, **values)
    ended = project.resume()
    assert (ended.exit_code, ended.stop, ended.step) == (20, "lifecycle", "approve_build")
    assert "not by an edit" in ended.reason
    assert edited(project)
    assert not project.events("run.completed") + project.events("run.cancelled")
    assert project.state("Current Status") == "Blocked"
    assert project.resume(because="I know better").exit_code == 10
    project.approve()
    assert project.resume().exit_code == 10
    assert project.started()[-1].startswith("qa")


def test_an_ended_run_whose_state_file_was_touched_stays_ended(project: Project) -> None:
    project.through()
    set_state(project, reason="nicely done")
    before = len(project.events())
    assert project.resume().exit_code == 0
    assert len(project.events()) == before


def test_an_unknown_step_in_the_state_file_is_refused_with_the_nearest_name(
    project: Project,
) -> None:
    project.run(until="specification")
    set_state(project, step="desing")
    before, events = (project.folder / "state.json").read_bytes(), len(project.events())
    with pytest.raises(InputError, match="design") as refused:
        project.resume()
    assert refused.value.exit_code == 2
    assert "desing" in str(refused.value)
    assert (project.folder / "state.json").read_bytes() == before
    assert len(project.events()) == events


def test_a_state_file_that_is_no_json_is_refused_with_its_line(project: Project) -> None:
    project.run(until="specification")
    path = project.folder / "state.json"
    path.write_text(path.read_text().replace('"step"', "step", 1))
    with pytest.raises(InputError) as refused:
        project.resume()
    assert "state.json:" in str(refused.value)


def test_a_state_file_that_was_removed_is_made_again_from_the_journal(project: Project) -> None:
    project.run(until="specification")
    (project.folder / "state.json").unlink()
    assert project.resume().exit_code == 10
    assert project.started()[:2] == ["specification", "design"]


def test_a_change_of_the_artifact_by_hand_makes_what_used_it_run_again(project: Project) -> None:
    project.run(until="design")
    project.edit(SPEC, "settled.", "settled by Ada.")
    project.resume()
    assert project.event("step.stale")["key"] == "design"
    assert "settled by Ada." in project.text(SPEC)
