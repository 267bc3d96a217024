"""A few commands whole, with the real facade, as a person types them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.waiting import make

SAMPLE = "harness/tasks/T001-sample.md"


def podium(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "podium", *words],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=100,
    )


@pytest.fixture
def ready(tmp_path: Path) -> Path:
    """A project with the harness, a test command, and agents that behave well."""
    return make(tmp_path / "real")


def test_a_task_goes_through_both_gates(ready: Path) -> None:
    assert (
        podium(
            "run", "harness", SAMPLE, "--agent", "scripted:good.yaml", "--run-id", "R1", cwd=ready
        ).returncode
        == 10
    )
    waiting = json.loads(podium("status", "--json", cwd=ready).stdout)
    assert (waiting["status"], [gate["key"] for gate in waiting["gates"]]) == (
        "waiting",
        ["approve-build"],
    )
    assert podium("approve", "R1", "--go", cwd=ready).returncode == 10
    assert podium("approve", "@", "--note", "good", cwd=ready).returncode == 0
    assert podium("resume", cwd=ready).returncode == 0
    assert json.loads(podium("list", "--json", cwd=ready).stdout)["runs"][0]["status"] == "complete"
    assert podium("log", "@", "--verify", cwd=ready).returncode == 0


def test_the_log_as_json_is_the_journal(ready: Path) -> None:
    podium("run", "harness", SAMPLE, "--agent", "scripted:good.yaml", "--run-id", "R1", cwd=ready)
    stored = (ready / ".podium" / "runs" / "R1" / "journal.jsonl").read_text()
    assert podium("log", "R1", "--json", cwd=ready).stdout == stored


def test_the_demo_finishes_and_leaves_a_project(tmp_path: Path) -> None:
    done = podium("demo", "harness", "--keep", str(tmp_path / "demo"), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "text.split()" in (tmp_path / "demo" / "textkit" / "words.py").read_text()
    assert "qa/1 revise" in done.stdout


def test_the_demo_does_not_touch_a_folder_with_something_in_it(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    done = podium("demo", "harness", "--keep", str(tmp_path), cwd=tmp_path)
    assert (done.returncode, [path.name for path in tmp_path.iterdir() if path.name != "home"]) == (
        2,
        ["mine.txt"],
    )
