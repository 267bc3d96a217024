"""approve, reject, answer, rewind, cancel: people decide, and under their own name."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from tests.cli.conftest import Podium
from tests.fakes.app import GATE, RUN, SUMMARY, App
from tests.fakes.evidence import evidence

from podium.cli.people import person

DECISIONS = [
    ["approve", "@"],
    ["reject", "@"],
    ["answer", "@", "--text", "x"],
    ["init", "--force"],
    ["init", "harness"],
    ["init", "harness", "--force"],
]
STARTS = [
    ["run", "feature", "count words"],
    ["submit", "feature", "count words"],
    ["resume", "@"],
    ["resume", "@", "--because", "it is fine"],
    ["resume", "@", "--set", "require_approval_before_build=false"],
]


def test_whoever_approves_reads_first_what_is_proven_and_every_file_of_the_code(
    podium: Podium, app: type[App], capsys: pytest.CaptureFixture[str]
) -> None:
    files = [
        {"path": f"src/{number:02}.py", "status": "A", "added": 1, "removed": 0, "kind": "code"}
        for number in range(30)
    ]
    record = evidence("not_run", "mocha", why="mocha: not found")
    told = {"evidence": (record,), "changes": {"files": files, "total": 30}}
    app.summarised = replace(SUMMARY, gates=({**GATE, **told},))
    assert podium("approve", "@") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == [
        "TESTS DID NOT RUN: mocha: not found",
        "30 files changed, +30",
        "A src/00.py +1",
    ]
    assert lines[22:24] == ["… and 10 more files", f"{RUN}: approved"]


@pytest.mark.parametrize("words", DECISIONS)
@pytest.mark.parametrize("mark", [("PODIUM_AGENT", "1"), ("PODIUM_DISPATCH", "T001/build")])
def test_an_agent_cannot_decide(
    words: list[str],
    mark: tuple[str, str],
    podium: Podium,
    app: type[App],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv(*mark)
    assert podium(*words) == 2
    assert "decisions are for people" in capsys.readouterr().err
    assert app.calls == []


@pytest.mark.parametrize("words", STARTS)
@pytest.mark.parametrize("mark", [("PODIUM_AGENT", "1"), ("PODIUM_DISPATCH", "T001/build")])
def test_an_agent_cannot_start_or_continue_a_run(
    words: list[str],
    mark: tuple[str, str],
    podium: Podium,
    app: type[App],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv(*mark)
    assert podium(*words) == 2
    assert "runs are started and continued by people" in capsys.readouterr().err
    assert app.calls == []


def test_an_agents_name_in_the_environment_is_no_mark(
    podium: Podium, app: type[App], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PODIUM_AGENT", "claude")
    assert podium("approve", "@") == 0


def test_approve_names_gate_note_and_person(
    podium: Podium, app: type[App], capsys: pytest.CaptureFixture[str]
) -> None:
    assert podium("approve", "T001", "--gate", "approve-build", "--note", "fine") == 0
    assert app.calls == [
        ("approve", {"run": RUN, "gate": "approve-build", "note": "fine", "by": "Ada"})
    ]
    assert f"podium resume {RUN}" in capsys.readouterr().out


def test_reject_goes_back_to_a_stage(podium: Podium, app: type[App]) -> None:
    podium("reject", "@", "--to", "Design", "--note", "too big")
    assert app.calls[-1] == (
        "reject",
        {"run": RUN, "gate": "", "note": "too big", "to": "Design", "by": "Ada"},
    )


def test_answer_needs_an_answer(podium: Podium, app: type[App]) -> None:
    assert podium("answer", "@") == 2
    assert podium("answer", "@", "--choice", "b") == 0
    assert app.calls[-1][1]["choice"] == "b"


def test_go_resumes_at_once_with_that_exit_code(podium: Podium, app: type[App]) -> None:
    assert podium("approve", "@", "--go") == 10
    assert [name for name, _ in app.calls] == ["approve", "resume"]


def test_a_decision_as_json_is_one_object(
    podium: Podium, app: type[App], capsys: pytest.CaptureFixture[str]
) -> None:
    podium("approve", "@", "--json")
    assert json.loads(capsys.readouterr().out)["run"] == RUN


def test_rewind_tells_what_is_stale(
    podium: Podium, app: type[App], capsys: pytest.CaptureFixture[str]
) -> None:
    assert podium("rewind", "@", "--to", "design", "--restore-code") == 0
    assert app.calls[-1] == (
        "rewind",
        {"run": RUN, "to": "design", "restore_code": True, "by": "Ada"},
    )
    assert "stale now: design, build/1" in capsys.readouterr().out


def test_rewind_names_the_step_as_people_type_it(
    podium: Podium, app: type[App], capsys: pytest.CaptureFixture[str]
) -> None:
    assert podium("rewind", "@", "--to", "ask_dirty") == 0
    assert "now at ask-dirty" in capsys.readouterr().out


def test_rewind_needs_a_key(podium: Podium, app: type[App]) -> None:
    assert podium("rewind", "@") == 2


def test_cancel_ends_the_run(
    podium: Podium, app: type[App], capsys: pytest.CaptureFixture[str]
) -> None:
    assert podium("cancel", "@", "--because", "not needed") == 0
    assert app.calls[-1] == ("cancel", {"run": RUN, "reason": "not needed", "by": "Ada"})


def test_the_person_is_gits_user_where_no_name_is_given(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PODIUM_USER")
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    subprocess.run(["git", "config", "user.name", "Grace"], cwd=project, check=True)
    assert person(project) == "Grace"
