"""A harness task whose run-state.md is there and whose journal is not: in a clone, or after
`.podium` was removed.
"""

from __future__ import annotations

import shutil
from typing import Any

import pytest
from tests.fakes.project import DESIGN, NO_GATES, PLAN, QA, REPORT, SPEC, STATE, TASK, Project

from podium.core.errors import Halted, InputError
from podium.wiring_values import RunOptions

WORDS = "My own words."
SECOND = "harness/tasks/T002-second.md"


def cloned(project: Project) -> dict[str, str]:
    """The files as a clone has them, with a person's words in them; what they held."""
    project.write(STATE, f"{project.text(STATE).rstrip()}\n\n{WORDS}\n")
    shutil.rmtree(project.root / ".podium")
    return {
        path: project.text(path)
        for path in (STATE, REPORT, SPEC, DESIGN, PLAN, QA)
        if project.path(path).exists()
    }


def taken(project: Project) -> list[str]:
    return [
        line.partition(": harness")[0]
        for line in project.event("run.edited", path=STATE)["changes"]
    ]


def test_a_task_goes_on_at_the_stage_that_the_file_says(project: Project) -> None:
    project.run(until="design")
    cloned(project)
    ended = project.run()
    assert (ended.exit_code, ended.gates) == (10, ("approve-build",))
    assert project.started() == ["implementation-planning"]
    assert taken(project) == [
        "found without its journal, at Implementation Planning (Active)",
        f"Notes: {WORDS}",
        "Specification is taken as done",
        "Design is taken as done",
    ]
    assert WORDS in project.text(STATE)
    assert project.text(STATE).count("- Specification") == 1


def test_the_digest_of_what_was_taken_over_is_in_the_journal_and_asked_about(
    project: Project,
) -> None:
    project.run()
    cloned(project)
    assert project.run().gates == ("approve-build",)
    subject = project.event("gate.opened")["subject"]
    changes = "\n".join(project.event("run.edited", path=STATE)["changes"])
    assert all(f"{path} ({subject[path]})" in changes for path in (SPEC, DESIGN, PLAN))


def test_an_approval_is_asked_for_again_and_build_waits_for_it(project: Project) -> None:
    project.run()
    project.approve()
    project.resume(until="build")
    cloned(project)
    ended = project.run()
    assert (ended.exit_code, ended.gates) == (10, ("approve-build",))
    assert project.started() == []
    project.approve()
    assert project.resume().gates == ("approve-completion",)
    assert project.started() == ["build/1", "qa/1"]


def test_a_gate_that_is_off_in_the_file_alone_is_on(project: Project) -> None:
    project.run(policy=NO_GATES, until="implementation-planning")
    assert project.state("Require Approval Before Build") == "No"
    cloned(project)
    assert project.run().gates == ("approve-build",)
    assert project.state("Require Approval Before Build") == "Yes"


def test_build_and_what_follows_is_done_again(project: Project) -> None:
    project.run()
    project.approve()
    assert project.resume().gates == ("approve-completion",)
    cloned(project)
    assert project.run().gates == ("approve-build",)
    assert taken(project)[-1] == "Build is done again: its proof is in a journal that is not here"
    assert (project.state("Current Stage"), project.state("Current Status")) == (
        "Build",
        "Awaiting Approval",
    )


@pytest.mark.parametrize(
    ("act", "why"), [("delete", "missing"), ("empty", "empty"), ("spoil", "malformed")]
)
def test_a_stage_whose_document_does_not_hold_is_done_again_with_all_after_it(
    project: Project, act: str, why: str
) -> None:
    project.run()
    texts = {"empty": "", "spoil": "# Words\n"}
    project.path(DESIGN).unlink() if act == "delete" else project.write(DESIGN, texts[act])
    before = cloned(project)
    assert project.run().gates == ("approve-build",)
    assert project.started() == ["design", "implementation-planning"]
    assert f"{DESIGN} is {why}" in project.event("run.edited", path=STATE)["changes"][-1]
    if act != "delete":
        assert (project.folder / "before" / DESIGN).read_text() == before[DESIGN]


def test_a_stage_that_the_file_does_not_call_completed_is_done(project: Project) -> None:
    project.run()
    project.edit(STATE, "- Design\n", "")
    cloned(project)
    project.run()
    assert project.started() == ["design", "implementation-planning"]


def test_everything_as_it_was_found_is_kept_with_the_run(project: Project) -> None:
    project.run()
    before = cloned(project)
    project.run()
    assert {path: (project.folder / "before" / path).read_text() for path in before} == before


def test_a_blocked_task_is_refused_with_the_line_and_the_way_out(project: Project) -> None:
    project.run({"feature-design": [{"fail": "crash"}]})
    before = cloned(project)
    with pytest.raises(
        InputError,
        match=(
            r"run-state.md:\d+: Design is Blocked, .*set Current Status to Active .* move the "
            r"file away"
        ),
    ):
        project.run()
    assert {path: project.text(path) for path in before} == before
    assert not list((project.root / ".podium" / "runs").glob("*"))
    project.edit(STATE, "Current Status: Blocked", "Current Status: Active")
    assert project.run().gates == ("approve-build",)
    assert project.started() == ["design", "implementation-planning"]


def test_a_complete_task_is_refused_and_its_file_stays(project: Project) -> None:
    project.through()
    before = cloned(project)
    with pytest.raises(Halted, match="already Complete"):
        project.run()
    assert {path: project.text(path) for path in before} == before


def second(project: Project) -> None:
    project.write(SECOND, project.text(TASK).replace("T001", "T002"))


def test_the_file_of_another_task_that_is_complete_makes_room_for_the_next(
    project: Project,
) -> None:
    project.through()
    before = cloned(project)
    second(project)
    assert project.run(task=SECOND).gates == ("approve-build",)
    assert (project.folder / "before" / STATE).read_text() == before[STATE]
    assert project.text(REPORT) == before[REPORT]


def test_the_file_of_another_task_under_way_is_refused(project: Project) -> None:
    project.run()
    before = cloned(project)
    second(project)
    with pytest.raises(InputError, match="is about T001, not T002"):
        project.run(task=SECOND)
    assert project.text(STATE) == before[STATE]


def test_a_dry_run_shows_what_comes_first_there(project: Project) -> None:
    project.run(until="design")
    before = cloned(project)
    planned: list[Any] = project.app.dry_run(
        "harness", [TASK], RunOptions(agent=project.scenario())
    )
    assert [each.key for each in planned] == ["implementation-planning"]
    assert {path: project.text(path) for path in before} == before


def test_a_stage_taken_over_can_be_sent_back_to(project: Project) -> None:
    project.run()
    cloned(project)
    project.run()
    project.reject(to="Specification", note="wider")
    assert project.resume().exit_code == 10
    assert project.started() == ["specification", "design", "implementation-planning"]
