"""`podium simulate`: runs in virtual time, from the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from time import process_time

import pytest
from tests.cli.conftest import Podium
from tests.cli.test_own_workflow import BROKEN
from tests.cli.waiting import TESTED

from podium.workflows.harness.workflow import Harness

Capture = pytest.CaptureFixture[str]


def told(podium: Podium, capsys: Capture, *words: str) -> dict[str, object]:
    assert podium("simulate", *words, "--json", "--quiet") == 0
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.parametrize("name", ["harness", "feature", "roadmap", "ticket", "governed"])
def test_every_workflow_is_simulated_and_most_runs_end_well(
    podium: Podium, capsys: Capture, name: str
) -> None:
    found = told(podium, capsys, name, "-n", "60")
    ends = found["ends"]
    assert isinstance(ends, dict)
    assert sum(ends.values()) == found["runs"] == 60
    assert ends["complete"] > 35


def test_the_same_seed_gives_the_same_bytes_and_another_seed_does_not(
    podium: Podium, capsys: Capture
) -> None:
    said = []
    for seed in ("1", "1", "2"):
        podium("simulate", "harness", "-n", "200", "--seed", seed, "--json", "--quiet")
        said.append(capsys.readouterr().out)
    assert said[0] == said[1] != said[2]


@pytest.mark.parametrize("name", ["harness", "feature"])
def test_another_process_with_another_order_of_its_sets_gives_the_same_bytes_and_the_same_picture(
    podium: Podium, capsys: Capture, project: Path, name: str
) -> None:
    words = [
        "simulate",
        name,
        "-n",
        "25",
        "--seed",
        "7",
        "--against-set",
        "retry_backoff_s=1",
        "--json",
        "--quiet",
        "--svg",
    ]
    assert podium(*words, "here.svg") == 0
    here = capsys.readouterr().out
    there = subprocess.run(
        [sys.executable, "-m", "podium", *words, "there.svg"],
        cwd=project,
        env={**os.environ, "PYTHONHASHSEED": "4711"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert there.stdout == here
    assert (project / "there.svg").read_bytes() == (project / "here.svg").read_bytes()


def test_ten_thousand_runs_take_seconds(podium: Podium, capsys: Capture) -> None:
    began = process_time()
    assert told(podium, capsys, "harness", "-n", "10000")["runs"] == 10_000
    assert process_time() - began < 15


def test_a_policy_changes_what_is_simulated(podium: Podium, capsys: Capture) -> None:
    asked = told(podium, capsys, "harness", "-n", "100")
    alone = told(
        podium,
        capsys,
        "harness",
        "-n",
        "100",
        "--set",
        "require_approval_before_build=false",
        "--set",
        "require_approval_before_complete=false",
    )
    assert asked["people_s"]["p50"] > 0  # type: ignore[index]
    assert alone["people_s"]["most"] == 0  # type: ignore[index]


def test_two_policies_are_compared(podium: Podium, capsys: Capture, project: Path) -> None:
    found = told(
        podium,
        capsys,
        "harness",
        "-n",
        "300",
        "--against-set",
        "max_remediations=0",
        "--svg",
        "both.svg",
    )
    other = found["against"]
    assert isinstance(other, dict)
    assert other["ends"]["blocked: qa_limit"] > found["ends"].get("blocked: qa_limit", 0)  # type: ignore[attr-defined]
    assert (project / "both.svg").read_text().startswith("<svg")
    podium("simulate", "harness", "-n", "50", "--against-set", "max_remediations=0")
    said = capsys.readouterr().out
    assert "max_remediations=0" in said
    assert "points" in said


def test_a_budget_of_the_project_ends_runs(podium: Podium, capsys: Capture, project: Path) -> None:
    (project / "podium.toml").write_text("[budget]\ndispatches = 2\n")
    assert told(podium, capsys, "harness", "-n", "20")["ends"].get("blocked: budget", 0) > 15  # type: ignore[attr-defined]


def test_a_model_is_written_edited_and_used(podium: Podium, capsys: Capture, project: Path) -> None:
    assert podium("simulate", "harness", "--write-model", "mine.toml") == 0
    assert podium("simulate", "harness", "--write-model", "mine.toml") == 2, (
        "nothing of a person's is overwritten"
    )
    text = (project / "mine.toml").read_text()
    (project / "mine.toml").write_text(
        text.replace("{ ok = 0.75, revise = 0.25 }", "{ revise = 1 }")
    )
    capsys.readouterr()
    assert (
        "complete"
        not in told(podium, capsys, "harness", "-n", "50", "--model", "mine.toml")["ends"]
    )  # type: ignore[operator]


def test_a_wrong_model_is_refused_with_its_line_and_the_nearest_name(
    podium: Podium, capsys: Capture, project: Path
) -> None:
    (project / "mine.toml").write_text("[person]\nseconds = 5\n[step.qa.outcomes]\nrevize = 1\n")
    assert podium("simulate", "harness", "--model", "mine.toml") == 2
    assert (
        "mine.toml:4: step.qa.outcomes.revize is not known (did you mean revise?)"
        in capsys.readouterr().err
    )
    assert podium("simulate", "harness", "--model", "gone.toml") == 2
    assert "there is no such file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["harnes"], "did you mean harness?"),
        (["harness", "-n", "0"], "-n 0 is not a number of runs"),
        (["all"], "`all` is for --hostile"),
        (["harness", "--set", "max_remediation=1"], "did you mean max_remediations?"),
        (["harness", "--from-runs"], "no finished run of harness to learn from"),
        (["all", "--hostile", "--steps", "2"], "too few"),
    ],
)
def test_what_cannot_be_done_is_said_with_the_way_out(
    podium: Podium, capsys: Capture, words: list[str], said: str
) -> None:
    assert podium("simulate", *words) == 2
    assert said in capsys.readouterr().err


def test_a_report_shows_ends_and_plots(podium: Podium, capsys: Capture) -> None:
    assert podium("simulate", "harness", "-n", "100") == 0
    said = capsys.readouterr()
    assert "harness: 100 runs\n\nEnds\n  complete" in said.out
    assert "Duration, people included: half within" in said.out
    assert "100 runs in" in said.err, "what differs from time to time is no result"


def test_hostile_agents_change_nothing_and_the_figures_are_told(
    podium: Podium, capsys: Capture
) -> None:
    assert podium("simulate", "all", "--hostile", "--steps", "5000", "--json", "--quiet") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["skipped"], found["bypassed"]) == (0, 0)
    assert found["steps"] >= 5000
    assert set(found["workflows"]) == {"feature", "governed", "harness", "roadmap", "ticket"}
    assert podium("simulate", "harness", "--hostile", "--steps", "1000") == 0
    assert "bypassed gates" in capsys.readouterr().out


def test_a_hole_is_told_with_its_story_and_an_exit_code(
    podium: Podium, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = Harness._next
    monkeypatch.setattr(
        Harness,
        "_next",
        lambda self, run: found if (found := before(self, run)) != "approve_build" else "build",
    )
    assert podium("simulate", "harness", "--hostile", "--steps", "2000") == 20
    assert "BROKEN   harness: build without approve_build approved" in capsys.readouterr().out


def test_a_workflow_of_ones_own_can_be_simulated(
    podium: Podium, capsys: Capture, project: Path
) -> None:
    (project / "mine.py").write_text(BROKEN)
    assert told(podium, capsys, "mine.py", "-n", "50")["runs"] == 50
    (project / "mine.py").write_text(
        BROKEN.replace('lambda _: Contract("writer")', 'lambda _: {}["writer"]')
    )
    assert podium("simulate", "mine.py") == 2
    assert (
        "mine.py: cannot be walked: KeyError: 'writer' (podium check mine.py tells where)"
        in capsys.readouterr().err
    )
    assert podium("check", "mine.py") == 20
    assert (
        "broken contract: the contract of draft raises KeyError: 'writer'"
        in capsys.readouterr().out
    )


def test_a_model_is_learnt_from_the_projects_own_runs(
    podium: Podium, capsys: Capture, project: Path
) -> None:
    for words in (
        ["init", "-q"],
        ["config", "user.name", "Ada"],
        ["config", "user.email", "ada@example.org"],
    ):
        subprocess.run(["git", *words], cwd=project, check=True)
    for name, text in TESTED.items():
        (project / name).write_text(text)
    podium("init", "harness")
    (project / "good.yaml").write_text("defaults: {behave: well}\n")
    for words in (["add", "-A"], ["commit", "-qm", "start"]):
        subprocess.run(["git", *words], cwd=project, check=True)
    assert (
        podium(
            "run",
            "harness",
            "harness/tasks/T001-sample.md",
            "--agent",
            "scripted:good.yaml",
            "--yes-i-approve-all-gates",
        )
        == 0
    )
    capsys.readouterr()
    learnt = told(podium, capsys, "harness", "-n", "100", "--from-runs")
    guessed = told(podium, capsys, "harness", "-n", "100")
    assert learnt["agents_s"]["p50"] < 10 < guessed["agents_s"]["p50"]  # type: ignore[index]
    assert podium("simulate", "harness", "--from-runs", "--write-model", "learnt.toml") == 0
    capsys.readouterr()
    assert (
        told(podium, capsys, "harness", "-n", "100", "--model", "learnt.toml")["agents_s"]["p50"]
        < 10
    )  # type: ignore[index]
