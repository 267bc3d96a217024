"""`podium demo` shows a whole run: something failed and was mended, a gate was decided, real
tests ran, and it is complete.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from podium.__main__ import main
from podium.cli.demos.project import story_of
from podium.workflows.catalog import NAMES

Event = dict[str, Any]


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("podium.cli.demos.project.PACE_S", 0.0)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "demo"


def told(folder: Path) -> list[Event]:
    (journal,) = folder.glob(".podium/runs/*/journal.jsonl")
    return [json.loads(line) for line in journal.read_text(encoding="utf-8").splitlines()]


def of(events: list[Event], kind: str, **fields: object) -> list[Event]:
    return [each for each in events if each["type"] == kind and fields.items() <= each.items()]


def git(folder: Path, *words: str) -> str:
    return subprocess.run(
        ["git", *words], cwd=folder, capture_output=True, text=True, check=True
    ).stdout


def _left_whole(demo: Path) -> None:
    """Commits of work and documents, tests that hold, and the change that nobody had committed."""
    assert git(demo, "rev-list", "--count", "HEAD").strip() == "3"
    assert git(demo, "status", "--short") == " M textkit/cases.py\n"
    assert "+def whisper(text: str) -> str:" in git(demo, "diff")
    assert git(demo, "stash", "list") == ""
    done = subprocess.run(
        [sys.executable, "-m", "unittest", "discover", "-s", "tests", "-t", "."],
        cwd=demo,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert "Ran 10 tests" in done.stderr


def test_the_demo_decides_a_gate_mends_a_rejected_review_and_completes(
    demo: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["demo", "--keep", str(demo)]) == 0
    events, said = told(demo), capfd.readouterr()
    assert [each["key"] for each in of(events, "gate.opened")] == ["ask-dirty"]
    assert [(each["key"], each["decision"], each["by"]) for each in of(events, "gate.decided")] == [
        ("ask-dirty", "stash", "the demo")
    ]
    run = events[0]["run"]
    assert f"The demo answers as you would: podium answer {run} --choice stash --go\n" in said.err
    reviews = [
        each for each in of(events, "step.finished") if each["key"].startswith("iteration/0/review")
    ]
    assert [(each["key"], each["verdict"]) for each in reviews] == [
        ("iteration/0/review/TASK-4/1", "REJECTED"),
        ("iteration/0/review/TASK-4/2", "ACCEPTED"),
        ("iteration/0/review", "ACCEPTED"),
    ]
    validated = [
        each["outcome"]
        for each in of(events, "step.finished")
        if each["key"].startswith("validate/")
    ]
    assert validated == ["revise", "ok"]
    assert of(events, "run.completed")
    assert f"Everything is in {demo}. Look around:\n  cd {demo}\n" in said.err
    _left_whole(demo)


def test_the_demo_of_harness_completes_after_qa_sent_it_back_once(demo: Path) -> None:
    assert main(["demo", "harness", "--keep", str(demo), "--quiet"]) == 0
    events = told(demo)
    assert (
        {each["key"] for each in of(events, "gate.decided")}
        == {each["key"] for each in of(events, "gate.opened")}
        != set()
    )
    assert [
        each["outcome"] for each in of(events, "step.finished") if each["key"].startswith("qa/")
    ] == ["revise", "ok"]
    assert of(events, "run.completed")
    assert (demo / "harness" / "run-state.md").is_file()


@pytest.mark.parametrize("workflow", NAMES)
def test_nothing_in_a_demo_s_project_needs_podium(workflow: str) -> None:
    story = story_of(workflow, 0.0)
    written = json.dumps([dict(story.files), story.scenario, dict(story.unfinished)])
    assert not re.search(r"(?:import|from) podium\b", written)
