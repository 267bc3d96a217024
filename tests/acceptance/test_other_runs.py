"""An agent of one run changes no document of another: there it would be read as a person's edit,
and open a gate.
"""

from __future__ import annotations

import pytest
from tests.fakes.project import SPEC, STATE, Project
from tests.fakes.repository import git
from tests.fakes.ticket import TicketProject, planned, task, task_key

FLAG = "Require Approval Before Build: Yes"
OTHER = "notes/state.md"
GIVEN = "notes/T001-sample.md"


def commit(project: Project) -> None:
    git(project.root, "add", "-A")
    git(project.root, "commit", "-qm", "as it stands")


def ticket_on(project: Project, path: str, text: str) -> TicketProject:
    """A ticket whose plan lists this file, and whose Developer writes it."""
    other = TicketProject(project.root, project.home)
    plan = planned(task(1, path, "src/app.py"))
    writes = {"behave": "well", "write": {path: text, "src/app.py": "VALUE = 2\n"}}
    other.run({"planner": [plan], "developer": [writes], "task-executor": [writes]})
    return other


def refused(other: TicketProject, path: str) -> None:
    found = other.events("contract.violated", key=task_key(1), kind="protected")
    assert [each["paths"] for each in found] == [[path]]
    assert "src/app.py" not in other.events("step.finished", key=task_key(1))[0]["outputs"]


@pytest.mark.parametrize("state", [STATE, OTHER])
def test_an_agent_of_a_ticket_opens_no_gate_of_a_resting_run(project: Project, state: str) -> None:
    assert project.run(extra={"state": state}).gates == ("approve-build",)
    commit(project)
    before = project.text(state)
    refused(ticket_on(project, state, before.replace(": Yes", ": No")), state)
    assert FLAG in project.text(state)
    assert project.resume().gates == ("approve-build",)
    assert project.events("run.edited") == []
    assert "build/1" not in project.started()


def test_the_task_a_resting_run_was_given_is_not_anothers_to_change(project: Project) -> None:
    project.write(GIVEN, project.text("harness/tasks/T001-sample.md"))
    assert project.run(task=GIVEN).gates == ("approve-build",)
    commit(project)
    refused(ticket_on(project, GIVEN, "# Another task\n"), GIVEN)


def test_code_that_a_resting_run_made_is_everybodys(project: Project) -> None:
    made = {"build": [{"behave": "well", "write": {"src/app.py": "VALUE = 7\n"}}]}
    assert project.run(made, policy={"require_approval_before_build": False}).gates == (
        "approve-completion",
    )
    commit(project)
    other = ticket_on(project, "src/more.py", "MORE = 1\n")
    assert other.events("contract.violated") == []
    assert project.text("src/app.py") == "VALUE = 2\n"


def test_documents_of_a_run_that_has_ended_are_files_like_others(project: Project) -> None:
    assert project.through(extra={"state": OTHER}).exit_code == 0
    commit(project)
    other = ticket_on(project, OTHER, "# Notes\n")
    assert other.events("contract.violated") == []
    assert project.text(OTHER) == "# Notes\n"


def test_a_damaged_journal_of_another_run_stops_nobody_and_opens_nothing(project: Project) -> None:
    project.run(extra={"state": OTHER})
    commit(project)
    (project.folder / "journal.jsonl").write_text("damaged\n")
    refused(ticket_on(project, OTHER, "x\n"), OTHER)


@pytest.mark.parametrize(
    "path", ["governance/runtime-policy.json", "roadmap.json", "prompts/PROJ-1/progress.yaml"]
)
def test_a_builder_of_the_harness_changes_no_rules_of_other_workflows(
    project: Project, path: str
) -> None:
    ended = project.through({"build": [{"behave": "well", "write": {path: "{}\n"}}]})
    assert (ended.exit_code, ended.stop) == (20, "contract")
    assert {
        tuple(each["paths"]) for each in project.events("contract.violated", kind="protected")
    } == {(path,)}
    assert not project.path(path).exists()


@pytest.mark.parametrize(
    "path", ["prompts/system.md", "docs/feature/words.md", "plans/next.md", "docs/roadmap.json"]
)
def test_ordinary_documents_are_code_like_any_other(project: Project, path: str) -> None:
    assert project.through({"build": [{"behave": "well", "write": {path: "{}\n"}}]}).exit_code == 0
    assert project.text(path) == "{}\n"
    assert project.path(SPEC).is_file()
