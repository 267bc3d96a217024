"""Programs of the project that a person's git configuration names are not run by Podium's own
calls of git.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from tests.fakes.project import Project
from tests.fakes.repository import git
from tests.fakes.roadmap import FILE, Road, built, item

from podium.cli import checkup
from podium.engine.git.drivers import of_the_project
from podium.engine.workspace import Workspace


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project.at(tmp_path)


@pytest.fixture
def top(tmp_path: Path) -> str:
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools/clean").touch()
    (tmp_path / "clean").mkdir()
    return os.path.realpath(tmp_path)


@pytest.mark.parametrize(
    "command",
    [
        "./tools/clean.sh",
        "tools/clean.sh %f",
        "sh tools/clean.sh",
        "bash -x ./clean.sh",
        "python3 tools/clean.py",
        "python clean.py",
        "/usr/bin/env python3 clean.py",
        "env A=b ./x",
        "A=b ./x",
        "{top}/tools/clean",
        "cat | ./x.sh",
        "cat; tools/x",
        "sh -c './tools/x.sh'",
        "sh -c 'cat | tools/clean'",
        "npx prettier --stdin",
        "make -s clean",
        "!./helper",
        "node tools/clean",
        "perl -n tools/clean",
        "sh tools/new",
        "sh new",
        "bash -- new",
        "timeout 5 ./x",
        "awk -f x.awk",
        "tool --config=./x.toml",
        "cat > /dev/null && ../x.sh",
        "'unfinished",
        "$PROGRAM",
        "sed -f tools/clean",
    ],
)
def test_what_is_run_or_read_in_the_project_is_the_projects(top: str, command: str) -> None:
    assert of_the_project(command.format(top=top), (top,))


@pytest.mark.parametrize(
    "command",
    [
        "git-lfs clean -- %f",
        "git-lfs smudge -- %f",
        "git-lfs filter-process",
        "git lfs filter-process",
        '"git-crypt" clean',
        "sed s/secret/xxx/",
        "sed -e 's/a/b/g'",
        "perl -pe 's/\\$Date.*\\$/x/'",
        "cat",
        "/usr/bin/python3 -m nbstripout",
        "indent -linux",
        "tr a-z A-Z | cat",
        "!gh auth git-credential",
        "store --file=/home/me/.creds",
        "ssh -i ~/.ssh/key",
        "cache",
        "perl -ne 'print'",
        "sh -c 'tr a b'",
        "python3 -c 'print(1)'",
        "awk '{print $1}'",
    ],
)
def test_what_lies_outside_is_a_persons_own(top: str, command: str) -> None:
    assert not of_the_project(command, (top,))


def test_what_is_left_out_is_named_for_each_kind(project: Project) -> None:
    told = {
        "filter.own.clean": "./tools/clean.sh",
        "filter.own.required": "true",
        "filter.lfs.process": "git-lfs filter-process",
        "merge.own.driver": "./tools/merge.sh %O %A %B",
        "credential.helper": "!./tools/ask.sh",
        "core.sshCommand": "tools/ssh.sh",
    }
    for name, value in told.items():
        git(project.root, "config", name, value)
    assert set(Workspace.find(project.root, project.root / ".podium").git.left_out()) == {
        "filter.own.clean=",
        "filter.own.smudge=",
        "filter.own.process=",
        "filter.own.required=false",
        "merge.own.driver=false",
        "credential.helper=",
        "core.sshcommand=false",
    }


def test_what_a_file_of_the_project_says_is_the_projects_and_asked_for_each_time(
    project: Project,
) -> None:
    git(project.root, "config", "include.path", "../.gitconfig")
    found = Workspace.find(project.root, project.root / ".podium").git
    assert found.left_out() == ()
    project.write(".gitconfig", '[filter "own"]\n\tclean = sed s/a/b/\n')
    assert "filter.own.clean=" in found.left_out()
    project.write(".gitconfig", "")
    assert found.left_out() == ()


def test_a_file_of_a_persons_own_that_is_included_is_believed(project: Project) -> None:
    own = project.root.parent / "gitconfig"
    own.write_text('[filter "own"]\n\tclean = sed s/a/b/\n')
    git(project.root, "config", "include.path", str(own))
    assert Workspace.find(project.root, project.root / ".podium").git.left_out() == ()


# -- whole runs


def filtered(project: Project, command: str, *, name: str = "own") -> Path:
    """A project whose text files go through a filter; the file in which a script leaves a trace."""
    trace = project.root.parent / "ran"
    project.write(".gitattributes", f"*.txt filter={name}\n")
    project.write("notes.txt", "one\n")
    project.write("tools/clean.sh", "cat\n")
    project.path("tools/clean.sh").chmod(0o755)
    git(project.root, "add", "-A")
    git(project.root, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "notes")
    git(project.root, "config", f"filter.{name}.clean", command)
    git(project.root, "config", f"filter.{name}.smudge", command)
    git(project.root, "config", f"filter.{name}.required", "true")
    return trace


@pytest.mark.parametrize(
    "command", ["./tools/clean.sh", "sh tools/clean.sh", "{root}/tools/clean.sh"]
)
def test_a_script_that_an_agent_changed_is_run_by_no_call_of_podium(
    project: Project, command: str
) -> None:
    trace = filtered(project, command.format(root=project.root))
    evil = f"#!/bin/sh\ntouch {trace}\ncat\n"
    work = {
        "write": {"tools/clean.sh": evil, "notes.txt": "two\n", "new.txt": "new\n"},
        "say": "changed the notes",
    }
    assert project.through({"build": [work]}).exit_code == 0
    assert (project.text("notes.txt"), project.text("new.txt")) == ("two\n", "new\n")
    assert project.text("tools/clean.sh") == evil
    assert not trace.exists()


def test_a_filter_that_an_agent_writes_into_an_included_file_is_never_run(project: Project) -> None:
    trace = filtered(project, "cat", name="other")
    git(project.root, "config", "include.path", "../.gitconfig")
    evil = f'[filter "other"]\n\tclean = touch {trace}; cat\n\tsmudge = touch {trace}; cat\n'
    work = {"write": {".gitconfig": evil, "notes.txt": "two\n"}, "say": "changed the notes"}
    assert project.through({"build": [work]}).exit_code == 0
    assert project.text(".gitconfig") == evil
    assert not trace.exists()


def test_a_program_from_outside_goes_on_working(project: Project) -> None:
    program = project.root.parent / "bin" / "upper"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\ntr a-z A-Z\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    filtered(project, str(program), name="upper")
    assert (
        project.through(
            {"build": [{"write": {"notes.txt": "two\n"}, "say": "changed the notes"}]}
        ).exit_code
        == 0
    )
    assert project.text("notes.txt") == "TWO\n"
    assert git(project.root, "show", f"podium/{project.run_id}:notes.txt") == "TWO\n"


def test_files_under_a_filter_of_the_project_are_not_taken_for_changed(project: Project) -> None:
    trace = filtered(project, "./tools/clean.sh")
    os.utime(project.path("notes.txt"))
    assert (
        project.through(
            {"build": [{"write": {"src/app.py": "VALUE = 2\n"}, "say": "changed the value"}]}
        ).exit_code
        == 0
    )
    assert project.text("notes.txt") == "one\n"
    assert not trace.exists()


def test_a_merge_driver_of_the_project_is_not_run_and_the_work_is_asked_about(
    tmp_path: Path,
) -> None:
    project = Project.at(tmp_path)
    trace = tmp_path / "ran"
    project.write(".gitattributes", "*.py merge=own\n")
    project.write("tools/merge.sh", f"touch {trace}\n")
    git(project.root, "config", "merge.own.driver", "sh tools/merge.sh %O %A %B")
    edit = project.by_hand("echo 'MINE = 1' >> src/app.py")
    ended = project.through(
        {
            "build": [
                {"write": {"src/app.py": "VALUE = 2\n"}, "run": edit, "say": "changed the value"}
            ]
        }
    )
    assert ended.gates == ("build/1/drift-1",)
    project.answer(choice="take")
    assert project.resume().exit_code == 0
    assert not trace.exists()


def test_what_goes_through_a_filter_of_the_project_is_committed_by_a_person(tmp_path: Path) -> None:
    project = Road.of(tmp_path, item("US-1"))
    trace = filtered(project, "./tools/clean.sh")
    project.write("tools/clean.sh", "sed s/secret/xxx/\n")
    git(project.root, "commit", "-qam", "the filter")
    ended = project.go({"implement": [built("notes.txt", "secret\n")]})
    assert ended.exit_code == 20
    assert "notes.txt goes through the git filter 'own'" in ended.reason
    assert "Commit notes.txt yourself" in ended.reason
    os.utime(
        project.path("notes.txt"), (1_700_000_000, 1_700_000_000)
    )  # in one second with the index, git would look again
    git(project.root, "add", "notes.txt")
    git(project.root, "commit", "-qm", "notes")
    assert git(project.root, "show", "HEAD:notes.txt") == "xxx\n"
    assert project.resume(because="it is committed").exit_code == 0
    assert git(project.root, "show", "HEAD:notes.txt") == "xxx\n"
    assert project.committed("US-1") == [FILE]
    assert not trace.exists()


def test_doctor_names_what_is_left_out(project: Project) -> None:
    assert [each for each in checkup.git(project.root) if each.name == "git drivers"] == []
    git(project.root, "config", "filter.own.clean", "./tools/clean.sh")
    (found,) = [each for each in checkup.git(project.root) if each.name == "git drivers"]
    assert found.level == "warn"
    assert "filter.own runs a program of this project" in found.what
