"""What people read of a run: status, stage, run id, history and evidence, all from the program's
own counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from tests.fakes.evidence import evidence
from tests.fakes.workflows import SampleRun

from podium.core import events
from podium.core.history import History
from podium.core.run import Status
from podium.formats.markdown_fields import read_field
from podium.proof.report import Count
from podium.wiring import scaffold_text
from podium.workflows.harness import files, position
from podium.workflows.harness.run import HarnessRun
from podium.workflows.harness.stages import parse_stages
from podium.workflows.harness.workflow import Harness, first_members

STAGES = parse_stages(scaffold_text("harness", "stages.toml"), "harness/stages.toml")
WORKFLOW = Harness(STAGES)
TODAY = "2026-03-02"
STATE_TEMPLATE = scaffold_text("harness", "templates/run-state-template.md")
REPORT_TEMPLATE = scaffold_text("harness", "templates/run-report-template.md")


def run(step: str = "specification", **more: Any) -> HarnessRun:
    members = first_members(
        STAGES,
        task_id="T001",
        task_file="harness/tasks/T001.md",
        title="Words",
        report="harness/runs/T001-run-report.md",
    )
    return HarnessRun(step=step, **{"visits": {step: 1}, **members, **more})


def history(*facts: Mapping[str, Any]) -> History:
    return History(
        [
            {**fact, "seq": n, "ts": f"2026-03-01T12:{n:02d}:00.000Z"}
            for n, fact in enumerate(facts, 1)
        ]
    )


def started(key: str, step: str) -> dict[str, Any]:
    return events.step_started(key, step, "dispatch", "role", 1, {})


def finished(key: str, outcome: str = "ok", verdict: str = "done", **more: Any) -> dict[str, Any]:
    return events.step_finished(
        key,
        outcome,
        verdict,
        **{"outputs": {}, "evidence": [], "usage": {}, "assurance": {}, **more},
    )


def rendered(
    at: HarnessRun, past: History | None = None, before: str | None = None, number: int = 0
) -> str:
    document = files.projections(WORKFLOW, at, past or History(), TODAY)[number]
    return document.render(before, (STATE_TEMPLATE, REPORT_TEMPLATE)[number])


@pytest.mark.parametrize(
    ("status", "stop", "shown"),
    [
        (Status.ACTIVE, "", "Active"),
        (Status.WAITING, "gate", "Awaiting Approval"),
        (Status.WAITING, "question", "Blocked"),
        (Status.WAITING, "drift", "Blocked"),
        (Status.SLEEPING, "timer", "Blocked"),
        (Status.BLOCKED, "rule", "Blocked"),
        (Status.CANCELLED, "cancelled", "Blocked"),
        (Status.COMPLETE, "", "Complete"),
    ],
)
def test_every_rest_has_one_of_the_four_status_words(status: Status, stop: str, shown: str) -> None:
    assert position.status_of(run(status=status, stop=stop)) == shown


@pytest.mark.parametrize(
    ("step", "stage"),
    [
        ("design", "Design"),
        ("approve_build", "Build"),
        ("approve_completion", "Awaiting Approval"),
        ("done", "Complete"),
    ],
)
def test_a_gate_shows_the_stage_it_guards_and_the_last_one_the_stage_of_its_own(
    step: str, stage: str
) -> None:
    assert position.current_stage(WORKFLOW, run(step)) == stage


def test_the_stages_people_may_write_are_the_line_and_the_two_that_end_it() -> None:
    assert position.stage_names(WORKFLOW) == (
        *(each.name for each in STAGES),
        "Awaiting Approval",
        "Complete",
    )


@pytest.mark.parametrize(
    ("at", "ident"),
    [
        (run("specification"), "RUN-2026-03-02-T001-SPEC"),
        (run("build", visits={"build": 2}), "RUN-2026-03-02-T001-BUILD-2"),
        (run("qa", visits={"qa": 3}), "RUN-2026-03-02-T001-QA-3"),
        (run("approve_build", visits={}), "RUN-2026-03-02-T001-BUILD"),
        (run("approve_build", visits={"build": 1}), "RUN-2026-03-02-T001-BUILD-2"),
        (run("approve_completion", visits={"qa": 2}), "RUN-2026-03-02-T001-QA-2"),
    ],
)
def test_a_run_id_has_the_date_the_task_the_code_and_the_number_of_a_later_run(
    at: HarnessRun, ident: str
) -> None:
    assert files.run_id(WORKFLOW, at, History(), TODAY) == ident


def test_the_date_of_a_run_id_is_the_day_that_run_of_the_stage_began() -> None:
    past = history(started("build/1", "build"))
    assert files.run_id(WORKFLOW, run("build"), past, TODAY) == "RUN-2026-03-01-T001-BUILD"
    assert (
        files.run_id(WORKFLOW, run("build", visits={"build": 2}), past, TODAY)
        == "RUN-2026-03-02-T001-BUILD-2"
    )


def test_the_first_version_of_both_documents_is_sound() -> None:
    for number, document in enumerate(files.projections(WORKFLOW, run(), History(), TODAY)):
        assert document.check(rendered(run(), number=number)) == ()


def test_the_paths_are_the_runs_own() -> None:
    at = run(state_path="notes/state.md", report="notes/report.md")
    assert [each.path for each in files.projections(WORKFLOW, at, History(), TODAY)] == [
        "notes/state.md",
        "notes/report.md",
    ]


def test_run_state_says_where_the_task_stands() -> None:
    at = run(
        "approve_build",
        status=Status.WAITING,
        stop="gate",
        reason="Start Build?",
        completed=["Specification", "Design"],
    )
    text = rendered(at)
    assert read_field(text, "Execution State", "Current Status") == "Awaiting Approval"
    assert read_field(text, "Execution State", "Current Stage") == "Build"
    assert read_field(text, "Execution State", "Stop Reason") == "Start Build?"
    assert read_field(text, "Approval Mode", "Require Approval Before Build") == "Yes"
    assert "- Specification\n- Design\n" in text


def test_a_moving_run_has_no_stop_reason() -> None:
    assert read_field(rendered(run(reason="old words")), "Execution State", "Stop Reason") in {
        "",
        "None",
    }


def test_flags_are_shown_as_they_are() -> None:
    text = rendered(run(approvals={"approve_build": False}))
    assert read_field(text, "Approval Mode", "Require Approval Before Build") == "No"
    assert read_field(text, "Approval Mode", "Require Approval Before Complete") == "Yes"


def test_rendering_again_changes_nothing_and_keeps_peoples_words() -> None:
    first = rendered(run())
    assert rendered(run(), before=first) == first
    noted = first.rstrip() + "\n\nPlease mind the gap.\n"
    assert "Please mind the gap." in rendered(run("design"), before=noted)


@pytest.mark.parametrize("before", [None, "", " \n"])
def test_a_document_that_is_not_there_or_empty_is_made_from_the_template(
    before: str | None,
) -> None:
    assert rendered(run(), before=before) == rendered(run())


def test_a_state_file_with_an_unknown_stage_is_not_sound() -> None:
    check = files.projections(WORKFLOW, run(), History(), TODAY)[0].check
    assert any(
        "Nowhere" in each
        for each in check(
            rendered(run()).replace("Current Stage: Specification", "Current Stage: Nowhere")
        )
    )


def test_notes_count_remediations_and_say_what_a_person_said() -> None:
    said = files.position(
        WORKFLOW, run("build", remediations={"qa": 1}, remediating="qa", note="Ada: be\nquick")
    )
    assert said == (
        "Build is next or under way, to remedy what QA found.",
        "QA returned the task for remediation 1 of 2 times.",
        "A person said: Ada: be quick",
    )


def test_the_history_is_one_line_for_each_run_and_each_decision_oldest_first() -> None:
    past = history(
        started("specification", "specification"),
        finished("specification"),
        events.gate_opened("approve-build", "approve_build", "approval", "?", ["approved"], {}),
        events.gate_decided("approve-build", "approved", "Ada", "go\non", {}),
        started("build/1", "build"),
        finished("build/1"),
        started("qa/1", "qa"),
        finished("qa/1", "revise", "Issues Found", reason="AC1 is Fail"),
        started("qa/2", "qa"),
    )
    assert files.stage_history(WORKFLOW, "T001", past) == [
        "2026-03-01 12:02Z Specification done — RUN-2026-03-01-T001-SPEC",
        "2026-03-01 12:04Z approve-build: approved by Ada — go on",
        "2026-03-01 12:06Z Build done — RUN-2026-03-01-T001-BUILD",
        "2026-03-01 12:08Z QA returned (Issues Found) — RUN-2026-03-01-T001-QA: AC1 is Fail",
    ]


def test_the_history_is_in_the_order_of_the_journal_when_the_clock_was_set_back() -> None:
    facts = [
        started("design", "design"),
        finished("design"),
        started("build/1", "build"),
        finished("build/1"),
    ]
    past = History(
        [
            {**fact, "seq": n, "ts": f"2026-03-01T{12 - n:02d}:00:00.000Z"}
            for n, fact in enumerate(facts, 1)
        ]
    )
    assert [line.split()[2] for line in files.stage_history(WORKFLOW, "T001", past)] == [
        "Design",
        "Build",
    ]


def test_what_no_longer_stands_is_marked() -> None:
    past = history(
        started("design", "design"),
        finished("design"),
        events.step_stale("design", ["spec changed"]),
    )
    assert files.stage_history(WORKFLOW, "T001", past)[0].endswith("[superseded]")


def test_a_step_of_another_workflow_is_not_told() -> None:
    assert files.stage_history(WORKFLOW, "T001", history(started("x", "x"), finished("x"))) == []


def test_evidence_is_what_the_program_saw() -> None:
    ran = evidence("failed_before", exit=2)
    past = history(
        started("build/1", "build"),
        finished(
            "build/1", outputs={"a.py": "d"}, evidence=[ran], commit="0123456789abcdef", base="c"
        ),
    )
    assert files.evidence(past) == [
        "build/1: changed a.py (commit 0123456789ab)",
        "build/1: test: failed (exit 2), the same way as before (`make test`)",
    ]


def test_evidence_of_a_failure_that_is_new_is_not_excused() -> None:
    ran = evidence("failed", tests=Count(2, 1), before=Count(3), failing=("t::a",), new=("t::a",))
    assert files.evidence(history(started("b", "build"), finished("b", evidence=[ran]))) == [
        "b: test: 1 failed: t::a (`make test`)"
    ]


@pytest.mark.parametrize(
    ("at", "said"),
    [
        (run("done", status=Status.COMPLETE), "none"),
        (
            run("approve_build", status=Status.WAITING, stop="gate"),
            "a person approves or rejects X",
        ),
        (run(status=Status.WAITING, stop="question"), "a person answers the open question"),
        (run(status=Status.BLOCKED), "a person looks at the stop reason"),
        (run(), "X runs"),
    ],
)
def test_the_report_says_whose_move_it_is(at: HarnessRun, said: str) -> None:
    assert files.next_action(at, "X") == said


def test_a_stage_is_told_its_fixed_values() -> None:
    about = files.about(WORKFLOW, run("design"), History(), TODAY)
    assert dict(about.facts) == {
        "Task": "T001",
        "Title": "Words",
        "Artifact": "Design Note",
        "Generated By": "feature-design",
        "Run": "RUN-2026-03-02-T001-DESIGN",
        "Date": TODAY,
        "Stage": "Design",
        "Run State": "harness/run-state.md",
    }
    assert about.task.startswith("T001 — Words\nStage: Design\n")


def test_a_stage_is_told_what_a_person_said() -> None:
    assert files.about(WORKFLOW, run("design", note="Ada: shorter"), History(), TODAY).notes == (
        "Ada: shorter",
    )


def test_build_is_told_that_it_remedies_and_qa_is_not() -> None:
    assert (
        "QA found issues"
        in files.about(WORKFLOW, run("build", remediating="qa"), History(), TODAY).notes[0]
    )
    assert files.about(WORKFLOW, run("qa", remediating="qa"), History(), TODAY).notes == ()


def test_only_a_harness_run_can_be_shown() -> None:
    with pytest.raises(AssertionError):
        WORKFLOW.projections(SampleRun(step="x"), History(), TODAY)
