"""`podium watch`: runs of other processes, read without touching them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.conftest import Podium, Terminals
from tests.cli.waiting import RUN, decisions, journal, make, podium
from tests.fakes.app import App
from tests.fakes.pseudo_terminal import environment

SLOW = "defaults: {behave: well, sleep: 1.2}\n"
STUCK = "defaults: {behave: well}\nagents:\n  feature-design: [{say: Thinking hard, fail: hang}]\n"
KEYS = r"a approve   r reject   v read it   d diff   l later"


class Driver:
    """A run that another process drives."""

    def __init__(self, project: Path, *words: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "podium", *(words or RUN)],
            cwd=project,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
            env=environment(),
        )
        self.project = project

    def begun(self, word: str, run: str = "R1") -> None:
        """Wait until its journal says so."""
        path = self.project / ".podium/runs" / run / "journal.jsonl"
        end = time.monotonic() + 30
        while not (path.exists() and word in path.read_text()):
            assert time.monotonic() < end
            time.sleep(0.05)


@pytest.fixture
def drive() -> Iterator[object]:
    made: list[Driver] = []

    def start(*words: object) -> Driver:
        made.append(Driver(*words))  # type: ignore[arg-type]
        return made[-1]

    yield start
    for each in made:
        each.process.kill()
        each.process.wait(10)


def test_as_lines_it_tells_what_happens_from_now_on_and_ends_as_the_run_does(
    tmp_path: Path, drive
) -> None:
    project = make(tmp_path / "project", SLOW)
    drive(project).begun("run.started")
    done = podium("watch", "R1", cwd=project)
    assert done.returncode == 10
    lines = done.stdout.splitlines()
    assert re.match(r"\d\d:\d\d:\d\d R1 is at (specification|design)", lines[0])
    assert any(re.match(r"\d\d:\d\d:\d\d implementation-planning started", line) for line in lines)
    assert " next  podium approve R1 --go" in lines
    assert all(line.isprintable() for line in lines)


def test_as_json_it_is_the_journal(tmp_path: Path, drive) -> None:
    project = make(tmp_path / "project", SLOW)
    drive(project).begun("run.started")
    done = podium("watch", "--json", cwd=project)
    assert done.returncode == 10
    assert [json.loads(line) for line in done.stdout.splitlines()] == journal(project)


@pytest.mark.terminal
def test_a_driver_that_is_killed_is_missed_and_the_way_on_is_said(
    tmp_path: Path, drive, terminal: Terminals
) -> None:
    project = make(tmp_path / "project", STUCK)
    driver = drive(project)
    driver.begun('"key":"design"')
    term = terminal(["watch"], project)
    term.see(r"[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] design")
    driver.process.kill()
    driver.process.wait(10)
    term.see(rf"process {driver.process.pid} on \S+ that drove it is gone")
    term.see("next  podium resume R1")
    assert term.ends() == 130
    assert "it was at design, and can be resumed from there" in re.sub(r"\s+", " ", term.text)


@pytest.mark.terminal
def test_a_gate_is_decided_while_watching_and_the_run_is_taken_up_here(
    tmp_path: Path, drive, terminal: Terminals
) -> None:
    project = make(tmp_path / "project", SLOW)
    driver = drive(project)
    driver.begun('"key":"design"')
    term = terminal(["watch"], project)
    term.see(r"R1: Your turn: approve-build")
    term.see(KEYS)
    assert driver.process.wait(10) == 10
    term.press("a", "approve, note: ")
    term.press("seen from here\r", r"R1 can continue\. Nobody is driving it\.")
    term.insist("\r", r"[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] build")
    term.see("Your turn: approve-completion")
    term.see(KEYS)
    term.press("l", "Paused for your decision")
    assert term.ends() == 10
    assert decisions(project) == [("approve-build", "approved", "Ada", "seen from here")]


@pytest.mark.terminal
def test_a_run_that_is_decided_and_left_says_how_to_go_on(
    tmp_path: Path, terminal: Terminals
) -> None:
    project = make(tmp_path / "project")
    assert podium(*RUN, cwd=project).returncode == 10
    term = terminal(["watch", "R1"], project)
    term.see(KEYS)
    term.press("a", "approve, note: ")
    term.press("\r", "Nobody is driving the run")
    term.press("l", "next  podium resume R1")
    assert term.ends() == 10


@pytest.mark.terminal
def test_ctrl_c_leaves_the_run_alone(tmp_path: Path, drive, terminal: Terminals) -> None:
    project = make(tmp_path / "project", STUCK)
    driver = drive(project)
    driver.begun('"key":"design"')
    term = terminal(["watch", "@"], project)
    term.see("Thinking hard|design")
    term.press("\x03", "R1 continues without you; `podium watch R1` shows it again")
    assert term.ends() == 130
    assert driver.process.poll() is None


@pytest.mark.terminal
def test_several_runs_stand_one_below_the_other(tmp_path: Path, drive, terminal: Terminals) -> None:
    project = make(tmp_path / "project", STUCK)
    drive(project).begun('"key":"design"')
    again = [
        *RUN[:2],
        "harness/tasks/T002.md",
        *RUN[3:-1],
        "R2",
        "--state",
        "harness/other-state.md",
    ]
    task = (project / RUN[2]).read_text().replace("T001", "T002")
    (project / "harness/tasks/T002.md").write_text(task)
    drive(project, *again).begun('"key":"design"', "R2")
    term = terminal(["watch"], project, width=80, height=24)
    text = term.see(r"(?s)R1 .*running.*R2 .*running")
    assert text.count("design") >= 2
    assert text.count("━") > 2
    once = podium("watch", "--once", cwd=project)
    assert once.returncode == 0
    heads = [line for line in once.stdout.splitlines() if line.startswith(" harness  T00")]
    assert [re.search(r"R[12]", line)[0] for line in heads] == ["R1", "R2"]
    assert "\x1b" not in once.stdout
    told = json.loads(podium("watch", "--once", "--json", cwd=project).stdout)
    assert sorted(each["run"] for each in told["runs"]) == ["R1", "R2"]


def test_without_a_run_under_way_it_says_so(
    podium: Podium, app: type[App], monkeypatch, capsys
) -> None:
    monkeypatch.setattr(app, "list", lambda _: [])
    assert podium("watch") == 0
    assert "No run is in progress here" in capsys.readouterr().out


def test_an_unknown_run_is_refused(podium: Podium, app: type[App], capsys) -> None:
    assert podium("watch", "nobody") == 2
    assert "there is no run 'nobody'" in capsys.readouterr().err
