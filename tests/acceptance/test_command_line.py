"""A handful of runs through the real command line: exit codes, decisions, and who may take them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from tests.fakes.project import STATE, TASK, Project

from podium.cli.main import main

Podium = Callable[..., int]


@pytest.fixture
def podium(project: Project, monkeypatch: pytest.MonkeyPatch) -> Podium:
    monkeypatch.chdir(project.root)
    return lambda *words: main(list(words))


@pytest.fixture
def agent(project: Project) -> str:
    return project.scenario()


def test_approve_go_carries_a_task_from_start_to_complete(
    podium: Podium, agent: str, project: Project
) -> None:
    assert podium("run", "harness", TASK, "--agent", agent, "--run-id", "T001-0001") == 10
    assert podium("approve", "@", "--note", "go", "--go") == 10
    assert project.state("Current Stage") == "Awaiting Approval"
    assert podium("approve", "@", "--go") == 0
    assert project.state("Current Stage") == "Complete"
    assert {each["by"] for each in project.events("gate.decided")} == {"Ada"}


@pytest.mark.parametrize("command", [["approve"], ["reject"], ["rewind", "--to", "design"]])
def test_a_process_of_an_agent_may_not_decide(
    podium: Podium,
    agent: str,
    project: Project,
    monkeypatch: pytest.MonkeyPatch,
    command: list[str],
) -> None:
    podium("run", "harness", TASK, "--agent", agent, "--run-id", "T001-0001")
    before = len(project.events())
    monkeypatch.setenv("PODIUM_AGENT", "1")
    assert podium(command[0], "@", *command[1:]) == 2
    assert len(project.events()) == before


def test_an_agent_that_calls_podium_approve_is_refused(podium: Podium, project: Project) -> None:
    own = f"cd {project.root} && {sys.executable} -m podium approve @ --go; echo exit $?"
    agent = project.scenario({"build": [{"behave": "well", "run": own}]})
    podium(
        "run",
        "harness",
        TASK,
        "--agent",
        agent,
        "--run-id",
        "T001-0001",
        "--set",
        "require_approval_before_build=false",
    )
    assert "exit 2" in project.printed("build/1")
    assert not project.events("gate.decided")


def test_an_agent_may_not_start_a_run_that_approves_all_gates(
    podium: Podium, project: Project
) -> None:
    own = (
        f"cd {project.root} && {sys.executable} -m podium resume @ --yes-i-approve-all-gates; "
        "echo exit $?"
    )
    agent = project.scenario({"po-spec": [{"behave": "well", "run": own}]})
    assert podium("run", "harness", TASK, "--agent", agent, "--run-id", "T001-0001") == 10
    assert not project.events("gate.decided")


def test_approving_all_gates_beforehand_is_refused_under_an_agent(
    podium: Podium, agent: str, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PODIUM_AGENT", "1")
    assert podium("run", "harness", TASK, "--agent", agent, "--yes-i-approve-all-gates") == 2
    assert not (project.root / ".podium" / "runs").exists()


def test_a_set_option_switches_a_gate_off(podium: Podium, agent: str, project: Project) -> None:
    words = (
        "--set",
        "require_approval_before_build=false",
        "--set",
        "require_approval_before_complete=no",
    )
    assert podium("run", "harness", TASK, "--agent", agent, "--run-id", "T001-0001", *words) == 0


def test_a_set_option_with_an_unknown_name_is_refused(
    podium: Podium, agent: str, project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        podium("run", "harness", TASK, "--agent", agent, "--set", "require_aproval_before_build=no")
        == 2
    )
    assert "require_approval_before_build" in capsys.readouterr().err
    assert not (project.root / ".podium" / "runs").exists()


def test_a_rejection_by_command_names_its_stage(
    podium: Podium, agent: str, project: Project
) -> None:
    podium("run", "harness", TASK, "--agent", agent, "--run-id", "T001-0001")
    assert podium("reject", "@", "--to", "Design", "--note", "too grand", "--go") == 10
    assert "too grand" in project.prompt("design/2")


def test_json_is_one_event_a_line_and_nothing_else(
    podium: Podium, agent: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert podium("run", "harness", TASK, "--agent", agent, "--json") == 10
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [each["seq"] for each in lines] == list(range(2, len(lines) + 2)) or lines[0]["seq"] == 1
    assert any(each["type"] == "gate.opened" for each in lines)


def test_json_tells_where_a_run_rests_that_does_not_go_on(
    podium: Podium, agent: str, project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    def told(code: int, *words: str) -> dict[str, Any]:
        capsys.readouterr()
        assert podium(*words, "--json") == code
        [line] = capsys.readouterr().out.splitlines()
        found: dict[str, Any] = json.loads(line)
        return found

    start = ("run", "harness", TASK, "--agent", agent)
    podium(*start)
    assert [told(10, *words)["gates"] for words in (("resume",), start)] == [["approve-build"]] * 2
    podium("approve", "@", "--go")
    podium("approve", "@", "--go")
    assert told(0, "resume")["type"] == "run.completed"
    podium("rewind", "@", "--to", "build")
    podium("cancel", "@")
    assert told(30, "resume")["type"] == "run.cancelled"


def test_json_tells_why_a_run_is_blocked_that_does_not_go_on(
    podium: Podium, project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    start = (
        "run",
        "harness",
        TASK,
        "--agent",
        project.scenario({"po-spec": [{"verdict": {"status": "blocked", "summary": "no"}}]}),
    )
    assert podium(*start) == 20
    for words in (("resume",), start):
        capsys.readouterr()
        assert podium(*words, "--json") == 20
        assert [json.loads(each)["type"] for each in capsys.readouterr().out.splitlines()] == [
            "run.blocked"
        ]


def test_a_run_that_sleeps_says_until_when(
    podium: Podium, project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    podium(
        "run",
        "harness",
        TASK,
        "--agent",
        project.scenario({"po-spec": [{"fail": "rate_limit", "retry_after": 600}]}),
        "--run-id",
        "T001-0001",
    )
    until = project.event("run.paused")["until"]
    for words in (
        ["resume"],
        ["resume", "--json"],
        ["status"],
        ["status", "--json"],
        ["run", "harness", TASK],
    ):
        capsys.readouterr()
        podium(*words)
        told = capsys.readouterr()
        assert until in told.out + told.err, words
    podium("status", "--json")
    assert json.loads(capsys.readouterr().out)["until"] == until


def test_a_dry_run_writes_nothing(
    podium: Podium, agent: str, project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    before = project.snapshot()
    assert podium("run", "harness", TASK, "--agent", agent, "--dry-run") == 0
    assert "po-spec: specification" in capsys.readouterr().out
    assert project.snapshot() == before
    assert not (project.root / ".podium").exists()


def test_a_whole_run_works_as_a_program_of_its_own(project: Project, agent: str) -> None:
    environment = {**os.environ, "COLUMNS": "100"}
    command = [
        sys.executable,
        "-m",
        "podium",
        "run",
        "harness",
        TASK,
        "--agent",
        agent,
        "--yes-i-approve-all-gates",
    ]
    done = subprocess.run(
        command, cwd=project.root, env=environment, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, "Traceback" in done.stderr) == (0, False)
    assert project.state("Current Stage") == "Complete"


def test_starting_again_while_the_task_waits_says_where_it_stands(
    podium: Podium, agent: str, project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    podium("run", "harness", TASK, "--agent", agent, "--run-id", "T001-0001")
    before = project.snapshot()
    assert podium("run", "harness", TASK, "--agent", agent, "--run-id", "another") == 10
    assert project.snapshot() == before
    assert not (project.root / ".podium" / "runs" / "another").exists()


def test_a_syntax_error_in_run_state_names_line_and_field(
    podium: Podium, agent: str, project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    podium("run", "harness", TASK, "--agent", agent, "--run-id", "T001-0001")
    project.edit(STATE, "Current Status: Awaiting Approval", "Current Status: Sleepy")
    before = project.path(STATE).read_bytes()
    capsys.readouterr()
    assert podium("resume", "@") == 2
    said = capsys.readouterr().err
    line = project.text(STATE).splitlines().index("Current Status: Sleepy  ") + 1
    assert f"{STATE}:{line}" in said
    assert "Current Status" in said
    assert project.path(STATE).read_bytes() == before
