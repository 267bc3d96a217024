"""The eleven reasons to stop, and the one before anything begins: each named in run-state and
run report alike.
"""

from __future__ import annotations

import shutil
from typing import Any

import pytest
from tests.fakes.project import REPORT, SPEC, STATE, TASK, WELL, Project

from podium.core.errors import Halted
from podium.engine.outcome import Ended

MISSING = "Initialization verification failed — required artifacts missing"
FAILS = {
    "write": {"@qa": {"template": "qa", "result": "Issues Found", "readiness": "Back to Build"}},
    "say": "no",
}
QUESTION = {"say": "?", "ask": "Which words count?"}


def stopped(
    project: Project,
    ended: Ended,
    stop: str,
    *,
    stage: str,
    status: str = "Blocked",
    code: int = 20,
) -> None:
    """The run rests where it was, and both documents, the journal and the state say why."""
    assert (ended.exit_code, ended.stop) == (code, stop)
    assert ended.reason
    assert (
        project.state("Stop Reason")
        == project.report("Stop Reason")
        == " ".join(ended.reason.split())
    )
    assert project.state("Current Status") == project.report("Overall Status") == status
    assert project.state("Current Stage") == project.report("Current Stage") == stage
    assert project.state("Current Run ID") == project.report("Current Run ID")
    assert project.report("Next Expected Action") not in {"", "none", None}
    last = project.events("run.blocked" if code == 20 else "run.paused")[-1]
    assert last["reason"] == ended.reason
    assert project.app.summary(project.run_id).reason == ended.reason


def test_1_approval_is_required(project: Project) -> None:
    ended = project.run()
    stopped(project, ended, "gate", stage="Build", status="Awaiting Approval", code=10)
    assert project.state("Current Run ID") == "RUN-2026-03-01-T001-BUILD"


@pytest.mark.parametrize("fail", ["crash", "timeout"])
def test_2_a_stage_agent_failed(project: Project, fail: str) -> None:
    ended = project.run({"feature-design": [{"fail": fail}]})
    stopped(project, ended, "agent_failed", stage="Design")
    assert project.done() == ["specification"]


def test_2_a_stage_agent_says_that_it_failed(project: Project) -> None:
    said = {
        "behave": "well",
        "verdict": {"status": "failed", "summary": "the sources contradict each other"},
    }
    ended = project.run({"feature-design": [said]})
    stopped(project, ended, "agent_failed", stage="Design")
    assert "the sources contradict each other" in ended.reason


def test_3_an_agent_is_not_dispatchable(project: Project) -> None:
    program = project.home / "soon-gone"  # one that is not there at the start is refused then
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    ended = project.run(
        {"po-spec": [{"behave": "well", "run": f"rm {program}"}]},
        roles={"feature-design": f"command:{program}"},
    )
    stopped(project, ended, "not_dispatchable", stage="Design")
    assert "there is no program" in ended.reason
    assert project.done() == ["specification"]


def test_4_an_artifact_is_missing(project: Project) -> None:
    ended = project.run({"tech-lead": [{"say": "The plan is written."}]})
    stopped(project, ended, "artifact_missing", stage="Implementation Planning")
    assert "is missing" in ended.reason


def test_5_an_artifact_cannot_be_verified(project: Project) -> None:
    ended = project.run(
        {"po-spec": [{"write": {"@spec": "# Title\n\nAll is well.\n"}, "say": "done"}]}
    )
    stopped(project, ended, "verification", stage="Specification")
    assert "is malformed" in ended.reason
    assert not project.path(SPEC).exists()


def test_6_the_task_is_unclear(project: Project) -> None:
    ended = project.run({"po-spec": [QUESTION]})
    for _ in range(3):
        assert (ended.exit_code, ended.stop) == (10, "question")
        assert project.state("Current Status") == project.report("Overall Status") == "Blocked"
        assert "Which words count?" in (project.state("Stop Reason") or "")
        project.answer(text="All of them.")
        ended = project.resume()
    stopped(project, ended, "unclear", stage="Specification")
    assert "the task is unclear" in ended.reason
    assert "Which words count?" in ended.reason


def test_7_the_lifecycle_forbids_it(project: Project) -> None:
    no = {
        "behave": "well",
        "run": f"sed -i 's/Proceeding Validly: Yes/Proceeding Validly: No/' {SPEC}",
    }
    ended = project.run({"po-spec": [no]})
    stopped(project, ended, "lifecycle", stage="Specification")
    assert "lifecycle rules do not permit progression" in ended.reason


def test_8_the_task_awaits_approval_already(project: Project) -> None:
    project.run(policy={"require_approval_before_build": False})
    before = project.snapshot()
    for ended in (project.resume(), project.run()):
        assert (ended.exit_code, ended.stop, ended.gates) == (10, "gate", ("approve-completion",))
    assert project.snapshot() == before
    assert project.state("Current Stage") == project.state("Current Status") == "Awaiting Approval"
    assert "Waiting for a person" in (project.report("Stop Reason") or "")
    assert len(project.started()) == 5


def test_9_the_task_is_complete_already(project: Project) -> None:
    project.through()
    before, events = project.snapshot(), len(project.events())
    with pytest.raises(Halted, match="already Complete") as refused:
        project.run()
    assert refused.value.exit_code == 20
    assert project.snapshot() == before
    assert len(project.events()) == events
    assert project.state("Current Status") == project.report("Overall Status") == "Complete"


def test_10_a_stage_cannot_proceed_within_its_input_contract(project: Project) -> None:
    project.run(until="specification")
    project.path("harness/standards/design-system.md").unlink()
    ended = project.resume()
    stopped(project, ended, "contract", stage="Design")
    assert "cannot proceed within its input contract" in ended.reason


def test_10_a_stage_says_that_its_inputs_do_not_suffice(project: Project) -> None:
    said = {
        "say": "no",
        "verdict": {
            "status": "blocked",
            "summary": "the plan needs the API description, which I may not read",
        },
    }
    ended = project.run({"tech-lead": [said]})
    stopped(project, ended, "agent_failed", stage="Implementation Planning")
    assert "which I may not read" in ended.reason


def test_11_the_limit_of_remediations_is_reached(project: Project) -> None:
    ended = project.through({"qa": [FAILS]})
    stopped(project, ended, "qa_limit", stage="QA")
    assert ended.reason == "QA remediation retry limit reached"


# -- what must be there before anything is dispatched


@pytest.mark.parametrize("path", [STATE, REPORT])
@pytest.mark.parametrize("how", ["gone", "empty"])
def test_a_document_that_went_away_while_the_run_was_paused_halts_before_any_dispatch(
    project: Project, path: str, how: str
) -> None:
    project.run(until="specification")
    if how == "gone":
        project.path(path).unlink()
    else:
        project.write(path, "")
    ended = project.resume()
    assert ended.exit_code == 20
    assert ended.reason == project.state("Stop Reason") == MISSING
    assert project.event("artifact.rejected")["path"] == path
    assert project.event("artifact.rejected")["failure"] == {"gone": "missing"}.get(how, how)
    assert project.started() == ["specification"]
    assert project.event("run.blocked")["reason"] == ended.reason


@pytest.mark.parametrize("path", [STATE, REPORT])
def test_a_run_halted_for_a_missing_document_goes_on_when_a_person_says_so(
    project: Project, path: str
) -> None:
    project.run(until="specification")
    project.path(path).unlink()
    assert project.resume().exit_code == 20
    assert project.resume(because="I removed it by mistake").exit_code == 10
    assert project.path(path).is_file()


def block_reports(project: Project) -> None:
    shutil.rmtree(project.path("harness/runs"), ignore_errors=True)
    project.write("harness/runs", "a file where a folder must be\n")


def test_a_report_that_cannot_be_written_at_the_start_halts_before_any_dispatch(
    project: Project,
) -> None:
    block_reports(project)
    ended = project.run()
    assert (ended.exit_code, ended.stop) == (20, "documents")
    assert ended.reason == project.state("Stop Reason") == MISSING
    assert project.event("artifact.rejected")["path"] == REPORT
    assert "cannot be written" in project.event("artifact.rejected")["detail"]
    assert not project.started()
    assert project.event("run.blocked")["reason"] == ended.reason
    assert project.text("harness/runs") == "a file where a folder must be\n"


def test_a_report_that_cannot_be_written_leaves_a_run_state_that_says_so(project: Project) -> None:
    block_reports(project)
    ended = project.run()
    assert project.state("Current Status") == "Blocked"
    assert project.state("Stop Reason") == ended.reason


def test_a_report_that_can_be_written_again_lets_the_run_go_on(project: Project) -> None:
    block_reports(project)
    project.run()
    project.path("harness/runs").unlink()
    assert project.resume(because="the folder is free").exit_code == 10
    assert project.report("Overall Status") == "Awaiting Approval"


def test_a_run_state_that_cannot_be_written_at_the_start_halts_before_any_dispatch(
    project: Project,
) -> None:
    project.write("notes", "a file\n")
    ended = project.run(extra={"state": "notes/run-state.md"})
    assert (ended.exit_code, ended.stop) == (20, "documents")
    assert ended.reason == MISSING
    assert not project.started()


def test_a_report_that_cannot_be_written_in_the_middle_halts(project: Project) -> None:
    project.run(until="specification")
    block_reports(project)
    ended = project.resume()
    assert ended.exit_code == 20
    assert ended.reason == MISSING
    assert project.started() == ["specification"]


def test_a_stop_reason_is_taken_back_when_the_run_goes_on(project: Project) -> None:
    calls: list[dict[str, Any]] = [{"fail": "crash"}, WELL]
    project.run({"po-spec": calls})
    project.resume(because="the machine was full", until="specification/2")
    assert project.state("Stop Reason") == project.report("Stop Reason") == "None"
    assert project.state("Current Status") == "Active"
    assert project.text(TASK)
