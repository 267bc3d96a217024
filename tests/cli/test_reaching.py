"""People are told by the process that drives the run; doctor says whether they can be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Podium
from tests.fakes.project import make

HOOK = (
    '[notify]\ndesktop = \'off\'\ncommand = ["sh", "-c", "cat >> ../told.jsonl; echo >> '
    '../told.jsonl"]\n'
)


@pytest.fixture
def harness(project: Path) -> Path:
    make(project)
    (project / "podium.toml").write_text('[commands]\ntest = "sh tests.sh"\n' + HOOK)
    build = [{"write": {"src/app.py": "VALUE = 2\n"}, "say": "VALUE is 2"}]
    (project.parent / "scenario.yaml").write_text(json.dumps({"agents": {"build": build}}))
    return project


def told(project: Path) -> list[dict[str, object]]:
    lines = (project.parent / "told.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines if line]


def test_a_gate_and_the_end_of_a_real_run_are_told_once_across_resumes(
    harness: Path, podium: Podium
) -> None:
    agent = ("--agent", f"scripted:{harness.parent / 'scenario.yaml'}")
    assert (
        podium(
            "run",
            "harness",
            "harness/tasks/T001-sample.md",
            *agent,
            "--set",
            "require_approval_before_complete=false",
            "--quiet",
        )
        == 10
    )
    assert podium("resume", "@", "--quiet") == 10
    assert [each["event"] for each in told(harness)] == ["gate"]
    assert podium("approve", "@", "--go", "--quiet") == 0
    first, last = told(harness)
    assert (first["event"], last["event"], last["outcome"]) == ("gate", "complete", "complete")
    assert first["run"] == last["run"]
    assert "T001" in str(first["title"])
    assert isinstance(first["gate"], dict)
    assert first["gate"]["kind"] == "approval"


def test_cancelling_a_run_that_rests_is_told(harness: Path, podium: Podium) -> None:
    podium(
        "run",
        "harness",
        "harness/tasks/T001-sample.md",
        "--agent",
        f"scripted:{harness.parent / 'scenario.yaml'}",
        "--quiet",
    )
    assert podium("cancel", "@", "--because", "enough") == 0
    assert [each["event"] for each in told(harness)] == ["gate", "cancelled"]


def test_gates_approved_beforehand_are_not_told(harness: Path, podium: Podium) -> None:
    agent = f"scripted:{harness.parent / 'scenario.yaml'}"
    assert (
        podium(
            "run",
            "harness",
            "harness/tasks/T001-sample.md",
            "--agent",
            agent,
            "--yes-i-approve-all-gates",
            "--quiet",
        )
        == 0
    )
    assert [each["event"] for each in told(harness)] == ["complete"]


def test_what_did_not_arrive_is_said_and_named_by_doctor(
    harness: Path, podium: Podium, capsys: pytest.CaptureFixture[str]
) -> None:
    (harness / "podium.toml").write_text(
        "[commands]\ntest = 'sh tests.sh'\n[notify]\ndesktop = 'off'\ncommand = 'false'\n"
    )
    agent = f"scripted:{harness.parent / 'scenario.yaml'}"
    assert podium("run", "harness", "harness/tasks/T001-sample.md", "--agent", agent) == 10
    assert "[notify] command: gate was not delivered: false ended with 1" in capsys.readouterr().err
    podium("doctor")
    assert "command: gate of T001-" in capsys.readouterr().out


def test_doctor_sends_a_test_notice_when_asked(
    project: Path, podium: Podium, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "podium.toml").write_text(HOOK)
    podium("doctor")
    assert not (project.parent / "told.jsonl").exists()
    podium("doctor", "--notify")
    assert [each["event"] for each in told(project)] == ["test"]
    assert "command: a test notice was sent" in capsys.readouterr().out
    (project / "podium.toml").write_text("[notify]\ndesktop = 'off'\ncommand = 'false'\n")
    assert podium("doctor", "--notify") == 2


def test_an_event_that_is_none_is_refused_with_its_name(
    project: Path, podium: Podium, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "podium.toml").write_text("[notify]\nevents = ['gates']\n")
    assert podium("doctor") == 2
    assert (
        "notify.events must be one of gate, blocked, budget, sleep, complete, cancelled, not "
        '"gates"'
    ) in capsys.readouterr().out


def test_a_person_who_does_not_wait_for_the_last_notice_has_the_runs_own_exit_code(
    harness: Path,
    podium: Podium,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def impatient(*_: object) -> list[str]:
        raise KeyboardInterrupt

    monkeypatch.setattr("podium.reach.courier.Courier.settle", impatient)
    agent = f"scripted:{harness.parent / 'scenario.yaml'}"
    assert podium("run", "harness", "harness/tasks/T001-sample.md", "--agent", agent) == 10
    assert "may not have arrived" in capsys.readouterr().err
