"""A ticket from its words to a commit on its own branch: the shortest way there, and what is on
disk afterwards.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fakes.repository import git
from tests.fakes.ticket import BRANCH, FOLDER, WORDS, TicketProject, planned, task, task_key

from podium.core.errors import Halted, InputError, UsageError


@pytest.fixture
def project(tmp_path: Path) -> TicketProject:
    return TicketProject.at(tmp_path)


def test_a_ticket_becomes_one_commit_on_a_branch_of_its_own(project: TicketProject) -> None:
    ended = project.run({"planner": [planned(task(1), task(2))]})
    assert ended.exit_code == 0
    assert git(project.root, "symbolic-ref", "--short", "HEAD").strip() == BRANCH
    assert project.subjects("main..HEAD") == ["feat(PROJ-12): add a function that counts words"]
    assert project.committed() == [".gitignore", "src/task1.py", "src/task2.py"]
    assert project.dirty() == []
    body = git(project.root, "log", "-1", "--format=%B")
    assert "Podium-Run: PROJ-12-0001" in body
    assert "Podium-Step: commit" in body


def test_the_success_block_has_six_lines(project: TicketProject) -> None:
    ended = project.run({"planner": [planned(task(1), task(2))]})
    assert ended.closing.splitlines() == [
        "SUCCESS: Development complete in 1 iteration(s)",
        "Tasks: 2 completed",
        "Build: NOT RUN",
        "Tests: PASSED",
        f"Branch: {BRANCH}",
        f"Report: {FOLDER}/iteration_0/review_report.yaml",
    ]


def test_the_branch_the_person_was_on_is_left_as_it_was(project: TicketProject) -> None:
    before = git(project.root, "rev-parse", "main")
    assert project.run().exit_code == 0
    assert git(project.root, "rev-parse", "main") == before


def test_no_code_is_written_before_the_git_gate(project: TicketProject) -> None:
    project.run()
    keys = project.started()
    assert keys.index("git-move/1") < keys.index(task_key(1))
    assert keys.index("iteration/0/plan/planner") < keys.index("git-look/1")


def test_the_two_lines_come_into_gitignore_once(project: TicketProject) -> None:
    project.write(".gitignore", "*.log\nprompts/\n")
    git(project.root, "add", "-A")
    git(project.root, "commit", "-q", "-m", "ignore")
    assert project.run().exit_code == 0
    assert project.text(".gitignore") == "*.log\nprompts/\ndocs/docs_cache_state.yaml\n"
    second = TicketProject(project.root, project.home, project.clock)
    assert (
        second.run(task="PROJ-13 fix the word counter in src/app.py", run_id="PROJ-13-1").exit_code
        == 0
    )
    assert project.text(".gitignore") == "*.log\nprompts/\ndocs/docs_cache_state.yaml\n"


def test_a_request_without_a_ticket_says_the_pattern_and_writes_nothing(
    project: TicketProject,
) -> None:
    before = project.snapshot()
    with pytest.raises(InputError, match=r"\[A-Z\]\+-\\d\+"):
        project.run(task="add a word counter")
    assert project.snapshot() == before
    assert not project.path(".podium/runs").exists()


def test_no_words_at_all_says_how_it_is_called(project: TicketProject) -> None:
    with pytest.raises(UsageError, match="PROJ-12 fix the login timeout"):
        project.run(task="")


def test_a_ticket_that_is_done_is_not_done_again(project: TicketProject) -> None:
    project.run()
    with pytest.raises(Halted, match="already"):
        project.run(run_id="PROJ-12-again")


@pytest.mark.parametrize(
    "words",
    [
        WORDS,
        "add a function that counts words (PROJ-12)",
        "For PROJ-12 add a function that counts words",
    ],
)
def test_the_ticket_may_stand_anywhere_in_the_request(project: TicketProject, words: str) -> None:
    assert project.run(task=words).exit_code == 0
    assert project.yaml(f"{FOLDER}/prompt.yaml")["original_request"] == words


def test_a_very_long_request_is_a_request_and_no_path(project: TicketProject) -> None:
    assert (
        project.run(
            task=f"{WORDS} so that {'every word of a very long text counts once, ' * 20}"
        ).exit_code
        == 0
    )


# -- several tickets


def test_of_several_tickets_a_person_says_which_before_anything_is_done(
    project: TicketProject,
) -> None:
    words = "PROJ-12 or PROJ-13: add a function that counts words"
    ended = project.run(task=words)
    assert (ended.exit_code, ended.gates) == (10, ("which-ticket",))
    assert project.event("gate.opened")["choices"] == ["PROJ-12", "PROJ-13"]
    assert not project.path("prompts").exists()
    project.answer(choice="PROJ-13")
    assert project.resume().exit_code == 0
    assert project.yaml("prompts/PROJ-13/prompt.yaml")["jira"] == "PROJ-13"
    assert not project.path("prompts/PROJ-12").exists()


def test_the_option_ticket_says_it_beforehand(project: TicketProject) -> None:
    words = "PROJ-12 or PROJ-13: add a function that counts words"
    assert project.run(task=words, extra={"ticket": "PROJ-12"}).exit_code == 0
    with pytest.raises(InputError, match="PROJ-99 is not named"):
        project.run(task=words, extra={"ticket": "PROJ-99"})


def test_an_exported_issue_is_as_good_as_words(project: TicketProject) -> None:
    project.write(
        "issue.json",
        (
            '{"key": "PROJ-12", "fields": {"summary": "Add a function that counts words", '
            '"issuetype": {"name": "Story"}}}'
        ),
    )
    git(project.root, "add", "-A")
    git(project.root, "commit", "-q", "-m", "issue")
    assert project.run(task="", extra={"from": "issue.json"}).exit_code == 0
    assert project.yaml(f"{FOLDER}/prompt.yaml")["type"] == "feature"
    with pytest.raises(InputError, match="no such file"):
        project.run(task="", extra={"from": "gone.json"})
    with pytest.raises(UsageError, match="not both"):
        project.run(extra={"from": "issue.json"})


def test_tests_that_a_person_went_on_without_are_not_called_passed(project: TicketProject) -> None:
    project.write("podium.toml", '[commands]\ntest = "no-such-runner --all"\n')
    git(project.root, "commit", "-qam", "another runner")
    ended = project.run({"planner": [planned(task(1), task(2))]})
    while ended.exit_code == 10:
        project.answer(choice="unproven")
        ended = project.resume()
    assert (ended.outcome, ended.exit_code) == ("complete_unproven", 0)
    assert "Tests: NOT RUN" in ended.closing.splitlines()
