"""Only a person passes a gate, and an approval is bound to the content that was approved."""

from __future__ import annotations

import pytest
from tests.fakes.project import DESIGN, NO_GATES, PLAN, QA, REPORT, SPEC, STATE, TASK, WELL, Project
from tests.fakes.repository import git

from podium.core.errors import InputError, UsageError
from podium.formats.markdown_fields import read_field

TESTED = '[commands]\ntest = "sh tests.sh"\n'
FAILS = {
    "behave": "well",
    "write": {"@qa": {"template": "qa", "result": "Issues Found", "readiness": "Back to Build"}},
}


def test_the_run_stops_before_build_with_the_next_stage_and_its_run_id_set(
    project: Project,
) -> None:
    ended = project.run()
    assert (ended.exit_code, ended.gates) == (10, ("approve-build",))
    assert project.state("Current Stage") == "Build"
    assert project.state("Current Status") == "Awaiting Approval"
    assert project.state("Current Run ID") == "RUN-2026-03-01-T001-BUILD"
    assert project.state("Stop Reason") == project.report("Stop Reason") == ended.reason
    assert project.report("Overall Status") == "Awaiting Approval"
    assert project.event("gate.opened")["kind"] == "approval"
    assert set(project.event("gate.opened")["subject"]) == {SPEC, DESIGN, PLAN}
    assert "build/1" not in project.started()


def test_an_approval_lets_build_run_and_the_run_stops_before_complete(project: Project) -> None:
    project.run()
    project.approve(note="go ahead")
    ended = project.resume()
    assert (ended.exit_code, ended.gates) == (10, ("approve-completion",))
    assert project.state("Current Stage") == project.state("Current Status") == "Awaiting Approval"
    assert project.done()[-2:] == ["build/1", "qa/1"]
    assert not project.events("run.completed")


def test_the_last_approval_completes_the_task(project: Project) -> None:
    project.run({"build": [{"write": {"src/app.py": "VALUE = 2\n"}, "say": "VALUE is 2"}]})
    project.approve()
    project.resume()
    project.approve(note="well done")
    ended = project.resume()
    assert ended.exit_code == 0
    assert project.event("run.completed")["outcome"] == "complete"
    assert project.state("Current Stage") == project.state("Current Status") == "Complete"
    assert project.report("Overall Status") == "Complete"
    assert [(each["key"], each["by"]) for each in project.events("gate.decided")] == [
        ("approve-build", "Ada"),
        ("approve-completion", "Ada"),
    ]


@pytest.mark.parametrize("end", ["complete", "cancel"])
def test_every_phase_that_was_entered_is_left_the_last_with_the_end_of_the_run(
    project: Project, end: str
) -> None:
    project.run()
    if end == "cancel":
        project.app.cancel(project.run_id, "wrong task", "Ada")
    else:
        project.approve()
        project.resume()
        project.approve()
        project.resume()
    entered, left = (
        [each["phase"] for each in project.events(f"phase.{kind}")] for kind in ("entered", "left")
    )
    assert left == entered
    assert project.types()[-1] in {
        f"run.{end}{'d' if end == 'complete' else 'led'}",
        "document.saved",
    }
    assert "phase.left" in project.types()[-6:]


def test_resuming_without_a_decision_stays_at_the_gate(project: Project) -> None:
    project.run()
    before = len(project.events())
    ended = project.resume()
    assert (ended.exit_code, ended.gates) == (10, ("approve-build",))
    assert not [
        each for each in project.events()[before:] if each["type"].startswith(("step", "gate"))
    ]


def test_an_approval_names_the_content_it_is_about(project: Project) -> None:
    project.run()
    project.approve()
    opened, decided = project.event("gate.opened"), project.event("gate.decided")
    assert decided["subject"] == opened["subject"]
    assert (
        decided["subject"][PLAN]
        == project.event("artifact.verified", key="implementation-planning")["digest"]
    )


def test_editing_the_approved_plan_reopens_the_gate_before_build_runs(project: Project) -> None:
    project.run()
    project.approve()
    project.edit(PLAN, "settled.", "settled, and drop the tests.")
    ended = project.resume()
    assert (ended.exit_code, ended.gates) == (10, ("approve-build",))
    assert project.event("gate.stale")["because"] == [f"{PLAN} changed"]
    assert "build/1" not in project.started()
    assert project.state("Current Stage") == "Build"
    assert project.state("Current Status") == "Awaiting Approval"
    project.approve()
    assert project.resume().gates == ("approve-completion",)
    assert "drop the tests" in project.text(PLAN)


def test_editing_the_plan_before_the_approval_makes_the_approval_one_of_the_edited_plan(
    project: Project,
) -> None:
    project.run()
    project.edit(PLAN, "settled.", "settled by hand.")
    summary = project.approve()
    assert any(PLAN in line for line in summary.advice)
    assert project.resume().gates == ("approve-completion",)
    assert not project.events("gate.stale")


def test_editing_the_spec_after_the_approval_makes_design_and_plan_run_again(
    project: Project,
) -> None:
    project.run()
    project.approve()
    project.edit(SPEC, "settled.", "settled anew.")
    ended = project.resume()
    assert ended.exit_code == 10
    assert {each["key"] for each in project.events("step.stale")} == {
        "design",
        "implementation-planning",
    }
    assert project.started()[3:] == ["design/2", "implementation-planning/2"]
    (stale,) = project.events("gate.stale")
    assert (stale["key"], stale["because"]) == (
        "approve-build",
        ["design is stale", f"{SPEC} changed"],
    )
    assert "settled anew" in project.text(SPEC)
    assert project.state("Current Stage") == "Build"


def test_one_approval_command_is_enough_after_the_stages_ran_again(project: Project) -> None:
    project.run()
    project.approve()
    project.edit(SPEC, "settled.", "settled anew.")
    project.resume()
    project.approve()
    assert project.resume().gates == ("approve-completion",)


def test_changing_the_code_after_qa_makes_qa_look_again_before_completion(project: Project) -> None:
    project.run({"build": [{"write": {"src/app.py": "VALUE = 2\n"}, "say": "changed"}]})
    project.approve()
    project.resume()
    project.approve()
    project.write("src/app.py", "VALUE = 3\n")
    ended = project.resume()
    assert ended.exit_code == 10
    assert project.started().count("qa/2") == 1
    assert not project.events("run.completed")


@pytest.mark.parametrize("gate", [True, False], ids=["before the last gate", "before completion"])
def test_code_that_changed_while_qa_was_looking_at_it_is_looked_at_again(
    project: Project, gate: bool
) -> None:
    late = {"behave": "well", "run": project.by_hand("echo 'VALUE = 3' > src/app.py")}
    build = {"write": {"src/app.py": "VALUE = 2\n"}, "say": "changed"}
    project.through(
        {"build": [build], "qa": [late, WELL]}, policy={"require_approval_before_complete": gate}
    )
    assert project.done()[-2:] == ["qa/1", "qa/2"]


def test_a_rejection_sends_back_and_its_note_is_in_the_next_prompt(project: Project) -> None:
    project.run()
    project.reject(note="The plan forgets the empty text.")
    ended = project.resume()
    assert ended.exit_code == 10
    assert project.started()[3:] == ["implementation-planning/2"]
    assert "The plan forgets the empty text." in project.prompt("implementation-planning/2")
    assert "The plan forgets the empty text." in project.text("harness/runs/T001-run-report.md")


@pytest.mark.parametrize(
    ("stage", "again"),
    [
        ("Specification", ["specification/2", "design/2", "implementation-planning/2"]),
        ("Design", ["design/2", "implementation-planning/2"]),
        ("Implementation Planning", ["implementation-planning/2"]),
        ("implementation-planning", ["implementation-planning/2"]),
    ],
)
def test_a_rejection_of_build_can_name_each_earlier_stage(
    project: Project, stage: str, again: list[str]
) -> None:
    project.run()
    project.reject(to=stage, note="once more")
    assert project.resume().gates == ("approve-build/2",)
    assert project.started()[3:] == again
    assert project.state("Current Run ID") == "RUN-2026-03-01-T001-BUILD"
    project.approve()
    assert project.resume().gates == ("approve-completion",)


@pytest.mark.parametrize("stage", ["Specification", "Design", "Implementation Planning", "Build"])
def test_a_rejection_of_completion_can_name_each_stage_but_the_review(
    project: Project, stage: str
) -> None:
    project.run()
    project.approve()
    project.resume()
    project.reject(to=stage, note="not yet, see my remark")
    ended = project.resume()
    first = {"Specification": "specification/2", "Design": "design/2"}.get(
        stage, "implementation-planning/2" if stage != "Build" else "build/2"
    )
    assert project.started()[5] == first
    assert "not yet, see my remark" in project.prompt(first)
    if stage == "Build":
        assert project.started()[5:] == ["build/2", "qa/2"]
        assert ended.gates == ("approve-completion/2",)
    else:
        assert ended.gates == ("approve-build/2",)
        assert "build/2" not in project.started()


def test_what_is_sent_back_and_all_that_came_of_it_is_stale(project: Project) -> None:
    project.run()
    project.approve()
    project.resume()
    project.reject(to="Design", note="not like this")
    project.resume()
    stale = {each["key"]: each["because"] for each in project.events("step.stale")}
    assert list(stale) == ["design", "implementation-planning", "build/1", "qa/1"]
    assert stale["design"] == ["sent back at approve-completion"]
    assert stale["qa/1"] == ["design is stale"]
    assert [each["key"] for each in project.events("gate.stale")] == ["approve-build"]
    superseded = [line for line in project.text(REPORT).splitlines() if "[superseded]" in line]
    assert [line.split()[3] for line in superseded] == [
        "Design",
        "Implementation",
        "approve-build:",
        "Build",
        "QA",
    ]
    assert "approve-completion: design by Ada — not like this" in project.text(REPORT)


def test_code_that_was_sent_back_and_still_lies_there_is_decided_on_with_the_new(
    project: Project,
) -> None:
    first, second = (
        {"write": {f"src/{name}.py": "X = 1\n"}, "say": "made"} for name in ("one", "two")
    )
    project.run({"build": [first, second]}, policy={"require_approval_before_build": False})
    project.reject(to="Build", note="two is missing")
    assert project.resume().gates == ("approve-completion/2",)
    assert {"src/one.py", "src/two.py"} <= set(project.events("gate.opened")[-1]["subject"])


def test_every_decision_stays_in_the_stage_history_also_of_a_gate_that_was_asked_again(
    project: Project,
) -> None:
    project.run()
    project.approve(note="first yes")
    project.resume()
    project.edit(PLAN, "settled.", "settled, and clearer.")
    project.approve(note="too early")
    assert project.resume().gates == ("approve-build",)
    project.approve(note="second yes")
    project.resume()
    history = project.text(REPORT)
    assert "approve-build: approved by Ada — first yes [superseded]" in history
    assert "approve-completion: approved by Ada — too early [superseded]" in history
    assert "approve-build: approved by Ada — second yes\n" in history


def test_a_rejection_to_a_stage_that_is_not_there_is_refused_with_those_that_are(
    project: Project,
) -> None:
    project.run()
    with pytest.raises(
        UsageError, match="Specification, Design, Implementation Planning"
    ) as refused:
        project.reject(to="Desing")
    assert refused.value.exit_code == 2
    assert not project.events("gate.decided")
    with pytest.raises(UsageError):
        project.reject(to="QA")


def test_a_gate_is_decided_once(project: Project) -> None:
    project.run()
    project.approve()
    with pytest.raises(UsageError) as refused:
        project.approve()
    assert refused.value.exit_code == 2
    with pytest.raises(UsageError):
        project.reject(note="too late")
    assert len(project.events("gate.decided")) == 1


def test_an_approval_of_a_gate_that_is_not_open_is_refused(project: Project) -> None:
    project.run()
    with pytest.raises(UsageError, match="no open gate 'approve-completion'"):
        project.approve(gate="approve-completion")


def test_a_remediation_does_not_ask_for_the_approval_of_build_again(project: Project) -> None:
    project.run({"qa": [FAILS, WELL]})
    project.approve()
    assert project.resume().gates == ("approve-completion",)
    assert len(project.events("gate.opened", step="approve_build")) == 1


def test_a_changed_plan_during_remediation_asks_for_the_approval_of_build_again(
    project: Project,
) -> None:
    project.run({"qa": [{**FAILS, "run": project.by_hand(f"echo more >> {PLAN}")}, WELL]})
    project.approve()
    ended = project.resume()
    assert ended.gates == ("approve-build",)
    assert "build/2" not in project.started()


# -- the flags


def test_the_task_file_can_switch_both_gates_off(project: Project) -> None:
    flags = "\nRequire Approval Before Build: No  \nRequire Approval Before Complete: No\n"
    project.write(TASK, project.text(TASK) + flags)
    assert project.run().exit_code == 0
    assert not project.events("gate.opened")
    assert (
        project.state("Require Approval Before Build")
        == project.state("Require Approval Before Complete")
        == "No"
    )


def test_the_command_line_can_switch_a_gate_off(project: Project) -> None:
    ended = project.run(policy={"require_approval_before_build": False})
    assert ended.gates == ("approve-completion",)
    assert project.state("Require Approval Before Build") == "No"
    assert project.state("Require Approval Before Complete") == "Yes"


def test_the_command_line_wins_over_the_task_file(project: Project) -> None:
    project.write(TASK, project.text(TASK) + "\nRequire Approval Before Build: No\n")
    assert project.run(policy={"require_approval_before_build": True}).gates == ("approve-build",)


def test_the_task_file_wins_over_the_projects_policy(project: Project) -> None:
    project.write(
        "podium.toml", f"{TESTED}[policy.harness]\nrequire_approval_before_build = false\n"
    )
    project.write(TASK, project.text(TASK) + "\nRequire Approval Before Build: Yes\n")
    assert project.run().gates == ("approve-build",)


def test_the_projects_policy_can_switch_a_gate_off(project: Project) -> None:
    project.write(
        "podium.toml", f"{TESTED}[policy.harness]\nrequire_approval_before_build = false\n"
    )
    assert project.run().gates == ("approve-completion",)


def test_a_flag_that_is_neither_yes_nor_no_is_refused(project: Project) -> None:
    project.write(TASK, project.text(TASK) + "\nRequire Approval Before Build: Maybe\n")
    with pytest.raises(InputError, match=r"approvals\.Build is 'Maybe'"):
        project.run()


def test_all_gates_can_be_approved_beforehand_and_the_journal_says_how(project: Project) -> None:
    ended = project.run(approve_all=True, by="Ada")
    assert ended.exit_code == 0
    decided = project.events("gate.decided")
    assert [each["key"] for each in decided] == ["approve-build", "approve-completion"]
    assert {each["by"] for each in decided} == {"Ada (--yes-i-approve-all-gates)"}
    assert {each["decision"] for each in decided} == {"approved"}


def test_an_approval_in_the_task_file_by_hand_passes_no_gate(project: Project) -> None:
    project.run()
    project.edit(TASK, "Decision: Pending", "Decision: Approved")
    assert project.resume().gates == ("approve-build",)
    assert not project.events("step.stale")


def test_with_both_flags_off_no_person_is_needed_and_qa_still_is(project: Project) -> None:
    assert project.run(policy=NO_GATES).exit_code == 0
    assert project.done()[-1] == "qa/1"
    assert project.path(QA).is_file()
    assert read_field(project.text(STATE), "Execution State", "Current Stage") == "Complete"
    assert git(project.root, "status", "--porcelain", "src") == ""


def test_who_goes_on_with_a_run_may_say_anew_whether_they_are_asked(project: Project) -> None:
    project.run()
    assert project.resume(policy={"require_approval_before_build": False}).gates == (
        "approve-completion",
    )
    assert project.state("Require Approval Before Build") == "No"
    assert project.event("run.edited")["changes"] == ["Require Approval Before Build: Yes -> No"]
    project.rewind("design")
    assert project.resume(policy={"require_approval_before_build": True}).gates == (
        "approve-build/2",
    )


def test_a_flag_that_is_given_as_it_stands_is_no_edit(project: Project) -> None:
    project.run()
    assert project.resume(
        policy={"require_approval_before_build": True, "max_remediations": 1}
    ).gates == ("approve-build",)
    assert not project.events("run.edited")


def test_a_flag_of_a_stage_without_a_gate_is_refused_when_a_run_goes_on(project: Project) -> None:
    project.run()
    with pytest.raises(
        InputError, match="require_approval_before_design names no stage with a gate"
    ):
        project.resume(policy={"require_approval_before_design": False})
