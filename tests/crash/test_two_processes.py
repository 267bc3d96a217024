"""Two processes and one run: one drives, the other is told who does."""

from __future__ import annotations

import fcntl
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.crash.driver import NO_GATES, Site, until
from tests.fakes.project import TASK, Project

from podium.wiring import App, Parts
from podium.wiring_values import RunOptions


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    found = Site(tmp_path)
    yield found
    found.clear()


def held(site: Site) -> dict[str, object]:
    """An agent that is at work until it is let go: on a slow machine a sleep of any length would
    be over too early.
    """
    return {
        "run": [f"echo x >> {site.base}/calls; until [ -e {site.base}/go ]; do sleep 0.02; done"]
    }


def let_go(site: Site) -> None:
    (site.base / "go").touch()


def calls(site: Site) -> int:
    path = site.base / "calls"
    return len(path.read_text().split()) if path.exists() else 0


def other_task(site: Site) -> str:
    task = site.project / "harness" / "tasks" / "T002-other.md"
    task.write_text((site.project / TASK).read_text().replace("T001", "T002"))
    return "harness/tasks/T002-other.md"


def test_the_second_run_of_a_task_is_told_who_drives_the_first(site: Site) -> None:
    site.scenario(po_spec=held(site))
    first = site.start(*NO_GATES)
    until(lambda: calls(site), "the first at work")
    second = site.podium(*site.run_words())
    let_go(site)
    assert second.returncode == 40, second.stdout + second.stderr
    assert str(first.pid) in second.stderr + second.stdout
    assert "R1" in second.stderr + second.stdout
    out, errors = first.communicate(timeout=60)
    assert first.returncode == 0, out + errors
    assert calls(site) == 1


def test_nobody_else_can_start_a_run_between_looking_for_a_live_one_and_owning_the_new_one(
    tmp_path: Path,
) -> None:
    project = Project.at(tmp_path)
    options = RunOptions(agent=project.scenario(), policy={"retry_backoff_s": 0.0})
    refused: list[bool] = []

    def token() -> str:
        """Asked for after the look and before the run exists: the worst moment."""
        folder = os.open(project.root, os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            refused.append(True)
        finally:
            os.close(folder)
        return "0002"

    parts = Parts(project.environ, clock=project.clock, token=token, cwd=project.root)
    assert App(project.root, parts=parts).start("harness", [TASK], options).exit_code == 10
    assert refused == [True]


def test_of_two_resumes_at_once_one_drives_and_one_is_told_by_whom(site: Site) -> None:
    site.scenario(feature_design=held(site))
    site.start(*NO_GATES, "--until", "specification").communicate(timeout=60)
    pair = [site.spawn("resume", "R1") for _ in range(2)]
    until(lambda: any(each.poll() is not None for each in pair), "one of them refused")
    let_go(site)
    said = [each.communicate(timeout=60) for each in pair]
    assert sorted(each.returncode for each in pair) == [0, 40], said
    loser = next(at for at, each in enumerate(pair) if each.returncode == 40)
    assert str(pair[1 - loser].pid) in "".join(said[loser])
    assert calls(site) == 1
    assert site.podium("log", "R1", "--verify").returncode == 0


def test_a_decision_while_a_process_drives_the_run_is_refused_or_taken_but_never_lost(
    site: Site,
) -> None:
    """The gate is not open yet while the step before it is under way."""
    site.scenario(tech_lead=held(site))
    driver = site.start()
    until(lambda: calls(site), "the planner at work")
    early = site.podium("approve", "R1")
    let_go(site)
    assert early.returncode == 2
    assert "no open gate" in early.stderr + early.stdout
    driver.communicate(timeout=60)
    assert driver.returncode == 10
    assert site.podium("approve", "R1").returncode == 0
    assert site.podium("approve", "R1").returncode == 2


def test_looking_while_a_process_drives_the_run_disturbs_nobody(site: Site) -> None:
    site.scenario(po_spec=held(site))
    driver = site.start(*NO_GATES)
    until(lambda: calls(site), "the first at work")
    while driver.poll() is None:
        found = site.podium("status", "R1", "--json")
        assert found.returncode == 0, found.stderr
        assert json.loads(found.stdout)["run"] == "R1"
        let_go(site)  # and looked at while it goes on
    driver.communicate()
    assert driver.returncode == 0


def test_another_task_on_the_same_state_file_is_refused_and_with_its_own_it_runs(
    site: Site,
) -> None:
    site.scenario()
    site.start().communicate(timeout=60)
    assert site.status() == "waiting"
    task = other_task(site)
    before = sorted(os.listdir(site.project / ".podium" / "runs"))
    refused = site.podium(*site.run_words(task=task))
    assert refused.returncode == 2, refused.stdout + refused.stderr
    assert re.search(r"R1", refused.stderr)
    assert "--state" in refused.stderr
    assert sorted(os.listdir(site.project / ".podium" / "runs")) == before
    allowed = site.podium(
        *site.run_words("--state", "harness/other-state.md", "--run-id", "R2", task=task)
    )
    assert allowed.returncode == 10, allowed.stdout + allowed.stderr
    assert (site.status("R1"), site.status("R2")) == ("waiting", "waiting")
    assert (site.project / "harness" / "other-state.md").is_file()


def test_two_tasks_with_their_own_state_files_may_be_driven_at_once(site: Site) -> None:
    site.scenario(po_spec=held(site))
    task = other_task(site)
    first = site.start(*NO_GATES)
    second = site.spawn(
        *site.run_words("--state", "harness/other-state.md", "--run-id", "R2", *NO_GATES, task=task)
    )
    until(lambda: calls(site) == 2, "both at work")
    let_go(site)
    said = [each.communicate(timeout=60) for each in (first, second)]
    assert (first.returncode, second.returncode) == (0, 0), said
    assert {site.status("R1"), site.status("R2")} == {"complete"}
