"""Going on: after a block, a pause, a rewind, a limit or an end; with the counts and the words
that were there.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.fakes.project import DESIGN, NO_GATES, QA, REPORT, SPEC, TASK, WELL, Project

from podium.core.errors import Halted, UsageError

CRASH: dict[str, Any] = {"fail": "crash"}
CODE = {
    "write": {"src/app.py": "VALUE = 2\n", "src/new.py": "NEW = 1\n"},
    "delete": ["src/old.py"],
    "say": "done",
}
SPENT = {"usage": {"tokens_in": 80, "tokens_out": 20, "cost_usd": 0.5}}


def settings(project: Project, more: str) -> None:
    """The project's settings: its command, and these."""
    project.write("podium.toml", f'[commands]\ntest = "sh tests.sh"\n{more}')


# -- a blocked run


def test_a_blocked_run_in_which_nothing_changed_says_so(project: Project) -> None:
    project.run({"po-spec": [CRASH, WELL]})
    before = project.types()
    ended = project.resume()
    assert (ended.exit_code, ended.stop) == (20, "agent_failed")
    assert "nothing has changed since it was blocked" in ended.advice
    assert project.types() == before
    assert project.started() == ["specification"]


def test_a_reason_lets_a_blocked_run_go_on_and_is_told_to_the_agent(project: Project) -> None:
    project.run({"po-spec": [CRASH, WELL]})
    ended = project.resume(because="the disk was full, now it is not")
    assert ended.exit_code == 10
    assert "the disk was full, now it is not" in project.prompt("specification/2")
    assert "the disk was full" not in project.prompt("design")
    assert project.events("run.resumed")[-1]["reason"] == "the disk was full, now it is not"
    assert "RUN-2026-03-01-T001-SPEC-2" in project.text(SPEC)


def test_a_changed_policy_lets_a_blocked_run_go_on_with_it(project: Project) -> None:
    fails = {"write": {"@qa": {"template": "qa", "result": "Issues Found"}}, "say": "no"}
    project.through({"qa": [fails]}, policy={"max_remediations": 0})
    ended = project.resume(policy={"max_remediations": 1})
    assert (ended.exit_code, ended.stop) == (20, "qa_limit")
    assert project.started()[4:] == ["qa/1", "qa/2", "build/2", "qa/3"]


def test_another_agent_lets_a_blocked_run_go_on(project: Project) -> None:
    project.run({"po-spec": [CRASH]})
    other = project.root.parent / "other.yaml"
    other.write_text("{}")
    assert project.resume(agent=f"scripted:{other}").exit_code == 10


def test_an_artifact_that_a_person_wrote_in_its_place_lets_a_blocked_run_go_on(
    project: Project,
) -> None:
    project.run({"po-spec": [{"say": "written"}, {"say": "written"}, WELL]})
    assert project.resume().exit_code == 20
    project.write(SPEC, "# Specification\n\nTask: T001\n")
    assert project.resume().exit_code == 10
    assert project.events("run.resumed")[-1]["reason"] == f"{SPEC} was edited"


def test_a_review_that_a_person_corrected_lets_a_run_go_on_that_was_blocked_by_it(
    project: Project,
) -> None:
    fails = {
        "behave": "well",
        "write": {
            "@qa": {"template": "qa", "result": "Issues Found", "readiness": "Back to Build"}
        },
    }
    project.through({"qa": [fails, WELL]}, policy={"max_remediations": 0})
    assert project.resume().exit_code == 20
    project.edit(QA, "Issues Found", "Pass")
    assert project.resume().exit_code == 0
    assert project.events("run.resumed")[-1]["reason"] == f"{QA} was edited"


def test_a_run_whose_work_a_person_kept_from_landing_waits_for_their_word_whatever_they_do_to_the_file(  # noqa: E501
    project: Project,
) -> None:
    edit = project.by_hand("echo 'MINE = 1' >> src/app.py")
    project.through(
        {"build": [{"write": {"src/app.py": "VALUE = 2\n"}, "run": edit, "say": "done"}, CODE]}
    )
    assert project.event("document.drifted")["path"] == "src/app.py"
    assert project.resume().exit_code == 10
    project.write("src/app.py", "VALUE = 1\n")
    assert project.resume(because="it is as it was").exit_code == 10
    project.answer(choice="take")
    assert project.resume().exit_code == 0
    assert project.text("src/app.py") == "VALUE = 2\n"


def test_a_policy_in_the_projects_settings_is_for_new_runs_and_a_blocked_one_says_so(
    project: Project,
) -> None:
    fails = {
        "behave": "well",
        "write": {
            "@qa": {"template": "qa", "result": "Issues Found", "readiness": "Back to Build"}
        },
    }
    project.through({"qa": [fails]}, policy={"max_remediations": 0})
    project.write(
        "podium.toml", project.text("podium.toml") + "[policy.harness]\nmax_remediations = 5\n"
    )
    ended = project.resume()
    assert ended.exit_code == 20
    assert (
        f"podium resume {project.run_id} --set KEY=VALUE  # a policy; podium.toml counts for "
        "new runs"
    ) in ended.advice


def test_an_edited_input_lets_a_blocked_run_go_on(project: Project) -> None:
    project.run({"feature-design": [CRASH, WELL]})
    project.edit(SPEC, "settled.", "settled, and much clearer.")
    assert project.resume().exit_code == 10
    assert "design/2" in project.started()


def test_mended_commands_let_a_blocked_run_go_on(project: Project) -> None:
    project.write("podium.toml", '[commands]\ntest = "test ! -d work"\n')
    assert project.through(policy={"validation_fixes": 0}).stop == "validation"
    project.write("podium.toml", '[commands]\ntest = "true"\n')
    assert project.resume().exit_code == 0


# -- rewind


def test_a_rewind_makes_a_step_and_all_that_follows_run_again(project: Project) -> None:
    project.run()
    assert project.rewind("design") == ["design", "implementation-planning"]
    assert project.state("Current Stage") == project.report("Current Stage") == "Design"
    assert project.state("Current Status") == "Active"
    assert project.state("Stop Reason") == "None"
    ended = project.resume()
    assert (ended.exit_code, ended.gates) == (10, ("approve-build/2",))
    assert project.started()[3:] == ["design/2", "implementation-planning/2"]
    assert [each["because"] for each in project.events("step.stale")] == [["rewound"], ["rewound"]]
    assert "rewound to design by Ada" in str(project.events("run.edited"))
    assert "RUN-2026-03-01-T001-DESIGN-2" in project.text(DESIGN)


def test_a_rewind_takes_an_approval_back(project: Project) -> None:
    project.run()
    project.approve()
    project.resume()
    project.rewind("implementation-planning")
    ended = project.resume()
    assert ended.exit_code == 10
    assert ended.gates[0].startswith("approve-build")
    assert "build/2" not in project.started()


def test_a_rewind_to_a_question_of_a_step_that_has_ended_does_the_step_anew(
    project: Project,
) -> None:
    project.run({"po-spec": [{"ask": "Which?"}, WELL]})
    project.answer(text="this")
    project.resume()
    project.rewind("specification/question-1")
    project.resume()
    assert project.started() == [
        "specification",
        "specification",
        "design",
        "implementation-planning",
        "specification/2",
        "design/2",
        "implementation-planning/2",
    ]


def test_a_finished_run_that_began_with_a_question_is_set_back_to_the_step_that_asked(
    project: Project,
) -> None:
    project.through({"po-spec": [{"ask": "Which?"}, WELL]})
    project.answer(text="this")
    assert project.resume().status == "complete"
    with pytest.raises(Halted, match=f"`podium rewind {project.run_id} --to specification`"):
        project.run()


def test_a_rewind_leaves_the_code_where_it_is(project: Project) -> None:
    project.through({"build": [CODE, WELL]})
    project.rewind("build")
    assert project.text("src/app.py") == "VALUE = 2\n"


@pytest.mark.parametrize("to", ["design", "build", "build/1"])
def test_a_rewind_can_restore_the_code(project: Project, to: str) -> None:
    project.through({"build": [CODE, WELL]})
    assert "build/1" in project.rewind(to, restore_code=True)
    assert project.text("src/app.py") == "VALUE = 1\n"
    assert project.text("src/old.py") == "OLD = True\n"
    assert not project.path("src/new.py").exists()
    assert project.resume().exit_code == 0
    assert project.started()[-2:] == ["build/2", "qa/2"]


def test_restoring_code_does_not_touch_what_a_person_changed_since(project: Project) -> None:
    project.through({"build": [CODE, WELL]})
    project.write("src/app.py", "VALUE = 3\n")
    project.rewind("build", restore_code=True)
    assert project.text("src/app.py") == "VALUE = 3\n"
    assert not project.path("src/new.py").exists()


def test_restoring_code_names_what_it_could_not_restore(project: Project) -> None:
    project.through({"build": [CODE, WELL]})
    project.write("src/app.py", "VALUE = 3\n")
    summary, _ = project.app.rewind(project.run_id, "build", restore_code=True, by="Ada")
    told = [*summary.advice, *(str(each) for each in project.events("document.drifted"))]
    assert any("src/app.py" in each for each in told)


def test_a_rewind_to_a_step_that_did_not_run_names_those_that_did(project: Project) -> None:
    project.run(until="design")
    before = project.snapshot()
    with pytest.raises(UsageError, match="specification, design"):
        project.rewind("qa")
    assert project.snapshot() == before


def test_a_complete_task_can_be_rewound_and_completed_again(project: Project) -> None:
    project.through()
    project.rewind("qa")
    assert project.state("Current Stage") == "QA"
    assert project.resume().exit_code == 0
    assert project.started()[-1] == "qa/2"
    assert len(project.events("run.completed")) == 2


# -- until


def test_a_run_stops_cleanly_after_the_step_it_was_told_and_goes_on_later(project: Project) -> None:
    ended = project.run(until="design")
    assert (ended.exit_code, project.done()) == (0, ["specification", "design"])
    assert project.state("Current Stage") == "Implementation Planning"
    assert project.state("Current Status") == "Active"
    assert project.resume(until="implementation-planning").exit_code == 0
    assert project.resume().exit_code == 10
    assert project.started() == ["specification", "design", "implementation-planning"]


def test_the_scenario_and_its_counts_survive_a_resume_and_the_last_call_repeats(
    project: Project,
) -> None:
    calls = [{"behave": "well", "run": f"echo call {number}"} for number in (1, 2)]
    project.run({"po-spec": calls}, until="specification")
    for at, said in ((2, "call 2"), (3, "call 2")):
        project.rewind("specification")
        project.resume(until="specification")
        assert project.printed(f"specification/{at}") == [said]
    assert project.printed("specification") == ["call 1"]


# -- limits of time and money


def test_a_rate_limit_with_a_time_pauses_until_then(project: Project) -> None:
    limited = {"fail": "rate_limit", "retry_after": 600}
    ended = project.run({"po-spec": [limited, WELL]})
    assert (ended.exit_code, ended.stop) == (11, "timer")
    assert ended.until > "2026-03-01T12:10:00"
    assert project.event("run.paused")["until"] == ended.until
    assert project.state("Stop Reason") == project.report("Stop Reason") == ended.reason
    early = project.resume()
    assert (early.exit_code, early.until) == (11, ended.until)
    assert project.started() == ["specification"]
    project.clock.skip(600)
    assert project.resume().exit_code == 10
    assert project.started()[:2] == ["specification", "specification"]


def test_a_rate_limit_with_a_time_uses_up_no_retry(project: Project) -> None:
    project.run({"po-spec": [{"fail": "rate_limit", "retry_after": 60}] * 6 + [WELL]})
    for _ in range(5):
        project.clock.skip(60)
        assert project.resume().exit_code == 11
    project.clock.skip(60)
    assert project.resume().exit_code == 10


def test_a_rate_limit_without_a_time_is_retried_with_growing_delays_and_then_given_up(
    project: Project,
) -> None:
    ended = project.run({"po-spec": [{"fail": "rate_limit"}]}, policy={"retry_backoff_s": 0.01})
    assert (ended.exit_code, ended.stop) == (20, "agent_failed")
    delays = [
        each["delay_s"] for each in project.events("retry.scheduled", classification="rate_limit")
    ]
    assert delays == [0.01, 0.02, 0.04]
    assert project.event("retry.exhausted")["rule"] == "limits.rate_limit"


def test_a_rate_limit_without_a_time_that_passes_costs_nothing_else(project: Project) -> None:
    assert (
        project.run({"po-spec": [{"fail": "rate_limit"}, {"fail": "rate_limit"}, WELL]}).exit_code
        == 10
    )


def test_an_agent_that_hangs_is_ended_after_the_steps_time(project: Project) -> None:
    ended = project.run({"po-spec": [{"fail": "hang"}, WELL]}, policy={"step_timeout_s": 0.3})
    assert (ended.exit_code, ended.stop) == (20, "agent_failed")
    assert "0.3 s" in ended.reason
    assert project.resume(because="it was the network").exit_code == 10


def test_a_budget_of_dispatches_ends_the_run_and_survives_a_resume(project: Project) -> None:
    settings(project, "[budget]\ndispatches = 2\n")
    ended = project.run()
    assert (ended.exit_code, ended.stop) == (21, "budget")
    assert {name: project.event("budget.reached")[name] for name in ("axis", "used", "cap")} == {
        "axis": "dispatches",
        "used": 2,
        "cap": 2,
    }
    assert project.state("Stop Reason") == project.report("Stop Reason") == ended.reason
    assert project.resume().exit_code == 21
    assert project.resume(because="please").exit_code == 21
    assert project.started() == ["specification", "design"]


def test_a_raised_budget_lets_the_run_go_on(project: Project) -> None:
    settings(project, "[budget]\ndispatches = 2\n")
    project.run()
    settings(project, "[budget]\ndispatches = 20\n")
    assert project.resume().exit_code == 10


def test_attempts_count_against_the_budget_of_dispatches(project: Project) -> None:
    settings(project, "[budget]\ndispatches = 2\n")
    assert project.run({"po-spec": [{"say": "done"}, WELL]}).exit_code == 21
    assert project.started() == ["specification", "specification"]


@pytest.mark.parametrize("cap", ["tokens = 250", "cost_usd = 1.25"])
def test_what_a_refused_attempt_used_counts_against_the_budget(project: Project, cap: str) -> None:
    settings(project, f"[budget]\n{cap}\n")
    well = {**WELL, **SPENT}
    ended = project.run(
        {
            "po-spec": [well],
            "feature-design": [{"say": "later", **SPENT}, well],
            "tech-lead": [well],
        }
    )
    assert ended.exit_code == 21
    assert project.started() == ["specification", "design", "design"]


def test_unknown_usage_is_not_taken_for_none(project: Project) -> None:
    settings(project, "[budget]\ntokens = 1000\n")
    ended = project.run()
    assert ended.exit_code == 21
    assert "unknown" in ended.reason


# -- questions


def test_a_parked_agent_waits_for_an_answer_and_is_told_it(project: Project) -> None:
    ended = project.run({"po-spec": [{"fail": "parked"}, WELL]})
    assert (ended.exit_code, ended.gates) == (10, ("specification/parked-1",))
    assert "permission prompt" in ended.reason
    assert project.resume().exit_code == 10
    assert project.started() == ["specification"]
    project.answer(text="yes, you may")
    assert project.resume().gates == ("approve-build",)
    assert "yes, you may" in project.prompt("specification")


QUESTION = {
    "prompt": "What is a word?",
    "choices": [{"id": "run", "description": "a run of letters"}, "token"],
    "recommended": "run",
}


def test_a_question_opens_a_gate_with_its_choices(project: Project) -> None:
    ended = project.run({"po-spec": [{"ask": QUESTION}, WELL]})
    assert (ended.exit_code, ended.stop, ended.gates) == (
        10,
        "question",
        ("specification/question-1",),
    )
    gate = project.event("gate.opened")
    assert (gate["kind"], gate["choices"]) == ("question", ["run", "token"])
    assert "What is a word?" in gate["prompt"]
    assert "a run of letters" in gate["prompt"]
    with pytest.raises(UsageError, match="run, token"):
        project.answer(choice="syllable")
    project.answer(choice="token")
    assert project.resume().gates == ("approve-build",)
    assert "Answered by Ada: token" in project.prompt("specification")
    assert not project.events("artifact.rejected")


def test_a_question_can_be_answered_in_words(project: Project) -> None:
    project.run({"po-spec": [{"ask": QUESTION}, WELL]})
    project.answer(text="Whatever has no space in it.")
    assert project.resume().exit_code == 10
    assert "Whatever has no space in it." in project.prompt("specification")
    assert "Whatever has no space in it." in project.text(REPORT)


def test_every_answer_is_in_the_next_prompt_and_a_fourth_question_is_too_many(
    project: Project,
) -> None:
    project.run({"po-spec": [{"ask": f"Question {number}?"} for number in (1, 2, 3, 4)]})
    for number in (1, 2, 3):
        project.answer(text=f"answer {number}")
        ended = project.resume()
        assert all(
            f"answer {each}" in project.prompt("specification") for each in range(1, number + 1)
        )
    assert (ended.exit_code, ended.stop) == (20, "unclear")
    assert "Question 4?" in ended.reason
    assert len(project.events("gate.opened")) == 3


def test_a_question_is_not_approved_and_a_gate_is_not_answered(project: Project) -> None:
    project.run({"po-spec": [{"ask": QUESTION}, WELL]})
    with pytest.raises(UsageError, match="podium answer"):
        project.approve()
    project.answer(choice="run")
    project.resume()
    with pytest.raises(UsageError, match="podium approve"):
        project.answer(text="yes")


# -- after the end


def test_a_second_task_starts_where_the_first_was_complete(project: Project) -> None:
    project.through()
    project.write("harness/tasks/T002-next.md", project.text(TASK).replace("T001", "T002"))
    ended = project.through(task="harness/tasks/T002-next.md", run_id="T002-0001")
    assert project.state("Task ID") == "T002"
    assert project.report("Task ID") == "T001"  # the first task's report stays
    assert ended.exit_code == 0


def test_a_second_task_is_refused_while_the_first_is_live(project: Project) -> None:
    project.run()
    project.write("harness/tasks/T002-next.md", project.text(TASK).replace("T001", "T002"))
    before = project.snapshot()
    with pytest.raises(UsageError, match="T001-0001"):
        project.run(task="harness/tasks/T002-next.md", run_id="T002-0001")
    assert project.snapshot() == before


def test_a_cancelled_run_is_ended_and_the_task_can_be_started_again(project: Project) -> None:
    project.run()
    project.app.cancel(project.run_id, "wrong task", "Ada")
    assert "wrong task" in (project.state("Stop Reason") or "")
    assert project.resume().exit_code == 30
    assert project.run(run_id="second").exit_code == 10
    assert project.run_id == "second"
    assert project.started() == ["specification", "design", "implementation-planning"]
    assert project.state("Current Status") == "Awaiting Approval"
    assert json.loads((project.folder / "state.json").read_text())["run"] == "second"


def test_a_complete_task_is_not_started_again(project: Project) -> None:
    project.through()
    with pytest.raises(Halted, match="already Complete") as refused:
        project.run(run_id="second")
    assert refused.value.exit_code == 20
    assert not (project.root / ".podium" / "runs" / "second").exists()
    assert project.resume().exit_code == 0


# -- a step that was kept from its work


def test_a_stage_that_a_budget_kept_from_its_work_has_its_first_round_when_the_cap_is_raised(
    project: Project,
) -> None:
    settings(project, "[budget]\ndispatches = 3\n")
    assert project.through().exit_code == 21
    assert project.resume(because="a try").exit_code == 21
    settings(project, "[budget]\ndispatches = 30\n")
    assert project.resume().exit_code == 0
    assert project.started()[3:] == ["build/1", "qa/1"]
    assert "RUN-2026-03-01-T001-BUILD\n" in project.text(REPORT)


def test_a_stage_whose_input_was_missing_has_its_first_round_when_it_is_there(
    project: Project,
) -> None:
    project.run(until="design")
    standard = project.text("harness/standards/coding-standard.md")
    project.path("harness/standards/coding-standard.md").unlink()
    assert project.resume().exit_code == 20
    project.write("harness/standards/coding-standard.md", standard)
    project.resume()
    assert project.started() == ["specification", "design", "implementation-planning"]


# -- as far as a step


def test_a_run_that_is_to_stop_after_its_last_stage_can_be_resumed_to_its_end(
    project: Project,
) -> None:
    ended = project.run(policy=NO_GATES, until="qa")
    assert (ended.exit_code, ended.status) == (0, "active")
    assert project.text(QA)
    assert not project.events("run.completed")
    assert project.resume().status == "complete"
    assert project.started() == [
        "specification",
        "design",
        "implementation-planning",
        "build/1",
        "qa/1",
    ]
    assert [each["key"] for each in project.events("step.reused")] == ["qa/1"]


def test_a_step_that_was_done_before_does_not_stop_a_run_again(project: Project) -> None:
    project.run(policy=NO_GATES, until="qa")
    assert project.resume(until="qa").status == "complete"
