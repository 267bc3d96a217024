"""A whole run whose agent is a program in a room: complete, and the journal says what was held.
Real processes.
"""

from __future__ import annotations

import json
import os
import shlex
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.agents.confine.rooms import working
from tests.fakes.copyist import copyist
from tests.fakes.project import Project
from tests.fakes.repository import git

from podium.__main__ import main
from podium.agents.confine import levels
from podium.agents.confine.levels import Name
from podium.core.errors import UsageError

DISPATCHED = ["specification", "design", "implementation-planning", "build/1", "qa/1"]
SECRET = "nobody's business"
Run = Callable[..., Project]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """A run with a program for all roles that also does these deeds."""

    def drive(
        deeds: Mapping[str, str] | None = None,
        *,
        prepare: Callable[[Project], None] | None = None,
        **told: Any,
    ) -> Project:
        twin, own = tmp_path / "twin", tmp_path / "own"
        for folder in (twin, own):
            folder.mkdir()
        project = Project.at(own)
        if prepare:
            prepare(project)
        agent = copyist(Project.at(twin), tmp_path / "agent", deeds)
        project.through(agent=agent, **told)
        return project

    return drive


def held(project: Project) -> dict[str, Mapping[str, str]]:
    return {
        each["key"]: each["assurance"]
        for each in project.events("step.finished")
        if each["assurance"]
    }


@pytest.mark.parametrize("name", ["bubblewrap", "landlock"])
def test_a_whole_run_in_rooms_is_complete_and_its_journal_says_so(
    run: Run, name: Name, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    working(name)
    project = run(
        prepare=lambda each: each.write(
            "podium.toml", f'[commands]\ntest = "sh tests.sh"\n[isolation]\nconfine = "{name}"\n'
        )
    )
    assert project.app.summary(project.run_id).status == "complete"
    assert held(project) == {
        key: {"read": "confined", "write": "confined", "network": "open", "by": name}
        for key in DISPATCHED
    }
    monkeypatch.chdir(project.root)
    assert main(["report", project.run_id]) == 0
    assert f"by {name}, network open, read confined, write confined" in capsys.readouterr().out


def test_without_a_room_the_same_run_says_that_it_was_audited(run: Run) -> None:
    settings = '[commands]\ntest = "sh tests.sh"\n[isolation]\nconfine = "off"\n'
    project = run(prepare=lambda each: each.write("podium.toml", settings))
    assert held(project) == {key: {"read": "asked", "write": "audited"} for key in DISPATCHED}


def test_a_scripted_agent_is_not_said_to_be_confined(tmp_path: Path) -> None:
    project = Project.at(tmp_path)
    project.through()
    assert {each["read"] for each in held(project).values()} == {"asked"}


def test_a_hostile_shell_in_a_whole_run_comes_to_nothing(run: Run, tmp_path: Path) -> None:
    """Reads, writes and connections of an agent that may change code, from inside its view."""
    working("bubblewrap")
    secret = tmp_path / "own" / "secret"
    with socket.create_server(("127.0.0.1", 0)) as door:
        port = door.getsockname()[1]
        knock = (
            f"import socket; socket.create_connection(('127.0.0.1', {port}), 2); print('REACHED')"
        )
        project_root = tmp_path / "own" / "project"
        deed = (
            f"cat {secret}; ln -s {secret} link; cat link; rm link; echo x > {tmp_path}/escaped;"
            f" echo x > {project_root.parent}/escaped; ls -a {project_root}/.podium;"
            f" cat {project_root}/.podium/runs/*/journal.jsonl;"
            f" {shlex.quote(sys.executable)} -c {shlex.quote(knock)}; for p in /proc/[0-9]*; "
            f"do cat $p/root{secret}; done; true"
        )

        def prepare(project: Project) -> None:
            secret.write_text(SECRET)
            project.write(
                "podium.toml",
                (
                    '[commands]\ntest = "sh tests.sh"\n[isolation]\nminimum = "confined"\nnetwork '
                    '= "none"\n'
                ),
            )

        project = run({"build/1": deed}, prepare=prepare)
        door.settimeout(0.2)
        with pytest.raises(TimeoutError):
            door.accept()
    assert project.app.summary(project.run_id).status == "complete"
    said = project.said("build/1")
    assert "I did build/1" in said
    assert SECRET not in said
    assert "run.started" not in said
    assert "REACHED" not in said
    assert project.holds(SECRET.encode()) == []
    assert [*tmp_path.rglob("escaped")] == []
    assert held(project)["build/1"]["network"] == "none"
    assert project.events("contract.violated") == []


@pytest.mark.parametrize(
    ("key", "folder", "strays"),
    [
        # Of documents alone, only the folder of the output can be written.
        ("specification", "harness/artifacts/specs", ["harness/artifacts/specs/stray.md"]),
        # A view of the code is a private layer, in which tests may write anywhere.
        ("qa/1", "harness/artifacts/qa", ["harness/artifacts/qa/stray.md", "outside.md"]),
    ],
)
def test_what_a_room_lets_through_the_audit_sees(
    run: Run, key: str, folder: str, strays: list[str]
) -> None:
    """A file beside the output can be written; it is found, quarantined and told."""
    working("bubblewrap")
    project = run({key: f"echo x > {folder}/stray.md; echo x > outside.md; true"})
    violated = project.events("contract.violated", key=key)
    assert [each["paths"] for each in violated] != []
    assert all(each["paths"] == strays for each in violated)
    assert not any(project.path(path).exists() for path in strays)


@pytest.mark.parametrize(
    "path", ["podium.toml", ".git/hooks/post-commit", ".podium/runs/T001-0001/state.json"]
)
def test_settings_hooks_and_state_at_the_projects_own_path_are_those_of_the_view(
    run: Run, tmp_path: Path, path: str
) -> None:
    """An agent that works at the project's path writes into its layer, which is audited."""
    working("bubblewrap")
    place = tmp_path / "own" / "project" / path
    deed = f"mkdir -p {place.parent}; echo FORGED >> {place}; chmod 755 {place}; true"
    project = run({"build/1": deed})
    assert b"FORGED" not in (place.read_bytes() if place.exists() else b"")
    violated = project.events("contract.violated", key="build/1")
    assert [each["paths"] for each in violated[:1]] == [[path]]
    assert project.app.summary(project.run_id).status == "blocked"


def test_hidden_files_are_not_in_the_views_repository_either(run: Run) -> None:
    """Git borrows objects, and among them would be everything."""
    working("bubblewrap")
    everything = (
        "git cat-file --batch-all-objects --batch-check='%(objectname) %(objecttype)' | while "
        "read name kind; do [ $kind = blob ] && git cat-file -p $name; done"
    )
    deed = f"git log --oneline; git status --short; {everything}; true"

    def prepare(project: Project) -> None:
        project.write("harness/standards/hidden.md", SECRET)
        git(project.root, "add", "-A")
        git(project.root, "commit", "-q", "-m", "a rule")

    project = run({"build/1": deed}, prepare=prepare)
    said = project.said("build/1")
    assert "The files of this step" in said, said
    assert "VALUE = 1" in said
    assert SECRET not in said


def test_a_daemon_of_the_agent_is_gone_when_its_step_is_over(run: Run, tmp_path: Path) -> None:
    working("bubblewrap")
    deed = (
        "setsid nohup env -i sh -c 'while :; do sleep 0.05; done' podium-test-daemon >/dev/null "
        "2>&1 & sleep 0.2"
    )
    run({"build/1": deed})
    living = [
        each
        for each in Path("/proc").glob("[0-9]*/cmdline")
        if b"podium-test-daemon" in _read(each)
    ]
    assert living == []


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def test_minimum_confined_is_refused_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A PATH without bwrap, and a machine whose Landlock is switched off."""
    off = levels.Level(
        "landlock", False, "this kernel has none, or it is switched off", "a newer kernel"
    )
    monkeypatch.setattr(levels, "_landlock", lambda: off)
    project = Project.at(tmp_path)
    project.write("podium.toml", '[isolation]\nminimum = "confined"\n')
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "git").symlink_to("/usr/bin/git")
    before = project.snapshot()
    monkeypatch.chdir(project.root)
    for name in [name for name in os.environ if name.startswith("PODIUM_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PATH", str(tools))
    code = main(
        ["run", "harness", "harness/tasks/T001-sample.md", "--agent", "command:true", "--json"]
    )
    assert code == 2
    said = json.loads(capsys.readouterr().out.splitlines()[-1])["error"]["message"]
    assert "[isolation] minimum = 'confined' cannot be enforced here" in said
    assert "install bubblewrap" in said
    assert project.snapshot() == before
    assert not project.path(".podium/runs").exists()


@pytest.mark.parametrize("minimum", ["mediated", "confined"])
def test_a_scripted_agent_is_refused_where_agents_must_be_confined(
    tmp_path: Path, minimum: str
) -> None:
    working("bubblewrap")
    project = Project.at(tmp_path)
    project.write("podium.toml", f'[isolation]\nminimum = "{minimum}"\n')
    with pytest.raises(UsageError, match="acts inside Podium and cannot be confined"):
        project.through()
    assert not project.path(".podium/runs").exists()


def test_a_path_that_the_settings_name_can_be_read(run: Run, tmp_path: Path) -> None:
    working("bubblewrap")
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    (shelf / "book").write_text("chapter one")

    def prepare(project: Project) -> None:
        settings = f'[commands]\ntest = "sh tests.sh"\n[isolation]\nreadable = ["{shelf}"]\n'
        project.write("podium.toml", settings)

    project = run({"specification": f"cat {shelf}/book; echo x >> {shelf}/book"}, prepare=prepare)
    assert "chapter one" in project.said("specification")
    assert (shelf / "book").read_text() == "chapter one"


@pytest.mark.parametrize("name", ["bubblewrap", "landlock"])
@pytest.mark.parametrize("way", ["by its path", "by the search path"])
def test_a_test_command_finds_its_program_where_commands_see_nothing_else(
    run: Run, tmp_path: Path, name: Name, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An environment of Python beside the projects, as a person may have one for all of them."""
    working(name)
    venv = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    program = venv / "bin" / "python"
    if way == "by the search path":
        monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    command = f"{program if way == 'by its path' else 'python'} tests.py"

    def prepare(project: Project) -> None:
        script = "import sys; sys.exit(sys.prefix != %r)"
        project.write("tests.py", script % os.fspath(venv))
        settings = f'[commands]\ntest = "{command}"\n[isolation]\nconfine = "{name}"\n'
        project.write("podium.toml", settings)

    project = run(prepare=prepare)
    assert project.app.summary(project.run_id).status == "complete"
    (baseline,) = project.events("proof.baseline")
    assert [each["state"] for each in baseline["evidence"]] == ["passed"]
