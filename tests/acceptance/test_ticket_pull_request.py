"""A pull request: never by default, through the person's own program where the policy says so,
and never a reason to fail.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.fakes.repository import git
from tests.fakes.ticket import BRANCH, TicketProject, planned, task

TWO = {"planner": [planned(task(1), task(2))]}
GH = """#!/bin/sh
echo "$@" >> "$HOME/asked"
case "$2" in
  view) exit 1;;
  create) echo "Creating pull request"; echo "https://forge.invalid/acme/app/pull/7";;
esac
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TicketProject:
    made = TicketProject.at(tmp_path)
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    return made


def program(project: TicketProject, name: str, text: str) -> None:
    path = project.root.parent / "bin" / name
    path.write_text(text)
    path.chmod(0o755)


def remote(project: TicketProject) -> Path:
    bare = project.root.parent / "remote.git"
    git(project.root, "clone", "-q", "--bare", ".", str(bare))
    git(project.root, "remote", "add", "origin", str(bare))
    return bare


def test_nothing_is_pushed_by_default(project: TicketProject) -> None:
    bare = remote(project)
    program(project, "gh", GH)
    assert project.run(TWO).exit_code == 0
    assert git(bare, "branch", "--list").split() == ["*", "main"]
    assert not (project.home / "asked").exists()
    assert project.events("step.finished", key="propose")[0]["verdict"] == "not asked for"


def test_with_gh_the_runs_branch_is_pushed_and_the_request_opened(project: TicketProject) -> None:
    bare = remote(project)
    program(project, "gh", GH)
    assert project.run(TWO, policy={"pull_request": "gh"}).exit_code == 0
    assert git(bare, "rev-parse", BRANCH) == git(project.root, "rev-parse", "HEAD")
    asked = (project.home / "asked").read_text()
    assert (
        f"pr create --head {BRANCH} --title feat(PROJ-12): add a function that counts words"
        in asked
    )
    (ended,) = project.events("step.finished", key="propose")
    assert ended["verdict"] == "https://forge.invalid/acme/app/pull/7"


def test_one_that_is_there_already_is_not_opened_again(project: TicketProject) -> None:
    remote(project)
    program(
        project,
        "gh",
        '#!/bin/sh\necho "$2" >> "$HOME/asked"\necho https://forge.invalid/acme/app/pull/7\n',
    )
    assert project.run(TWO, policy={"pull_request": "gh"}).exit_code == 0
    assert (project.home / "asked").read_text() == "view\n"


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ("no program", "gh is not on this machine"),
        ("no remote", "exits 128"),
        ("refused", "exits 1"),
        ("gh fails", "exits 4: not logged in"),
    ],
)
def test_one_that_cannot_be_opened_is_a_warning_and_the_work_stands(
    project: TicketProject, broken: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if broken != "no remote":
        bare = remote(project)
    if broken == "refused":
        hook = bare / "hooks" / "pre-receive"
        hook.write_text("#!/bin/sh\necho protected >&2\nexit 1\n")
        hook.chmod(0o755)
    if broken != "no program":
        program(project, "gh", '#!/bin/sh\necho "not logged in" >&2\nexit 4\n')
    assert project.run(TWO, policy={"pull_request": "gh"}).exit_code == 0
    (warning,) = project.events("ticket.warning")
    assert "no pull request was opened" in warning["text"]
    assert said in warning["text"]
    assert project.subjects("main..HEAD")[-1] == "feat(PROJ-12): add a function that counts words"


def test_a_branch_of_somebody_else_on_the_remote_is_never_replaced(project: TicketProject) -> None:
    bare = remote(project)
    git(bare, "branch", BRANCH, "main")
    git(bare, "worktree", "add", "-q", str(project.root.parent / "other"), BRANCH)
    other = project.root.parent / "other"
    (other / "theirs.txt").write_text("theirs\n")
    git(other, "add", "-A")
    git(other, "-c", "user.name=Bo", "-c", "user.email=bo@localhost", "commit", "-qm", "Theirs")
    theirs = git(bare, "rev-parse", BRANCH)
    program(project, "gh", GH)
    assert project.run(TWO, policy={"pull_request": "gh"}).exit_code == 0
    assert git(bare, "rev-parse", BRANCH) == theirs
    assert "no pull request" in project.events("ticket.warning")[0]["text"]


def test_its_text_begins_with_what_is_proven_and_every_file_of_the_code(
    project: TicketProject,
) -> None:
    remote(project)
    program(project, "gh", GH.replace('echo "$@"', 'printf "%s\\n" "$@"'))
    assert project.run(TWO, policy={"pull_request": "gh"}).exit_code == 0
    body = (project.home / "asked").read_text().rpartition("--body\n")[2].splitlines()
    assert body[:2] == ["```", "test: passed"]
    assert body[2].startswith(
        f"{sum(line.startswith(('A ', 'M ')) for line in body)} files changed"
    )
    assert body.index("```", 1) < body.index("Ticket: PROJ-12")
