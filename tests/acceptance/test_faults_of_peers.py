"""Faults that other engines for durable workflows were seen to have, as tests of this one.

Two processes that resume one run executed its steps twice; a step that had another name in a new
version was repeated or left out without a word; a crash lost finished work, because by default
nothing was synced.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.crash.driver import NO_GATES, Site
from tests.crash.flows import RUN, Flow, Player, chain, clustered
from tests.fakes.disk import CrashingDisk, PowerCut

import podium
from podium.agents.protocol import Job
from podium.core.errors import InputError
from podium.core.workflow import Workflow
from podium.state.disk import Disk

Make = Callable[[type[Workflow]], Flow]


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    return lambda workflow: Flow(tmp_path, workflow, Player()).install(monkeypatch)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    found = Site(tmp_path / "site")
    yield found
    found.clear()


# -- two processes on one run (more of it: tests/crash/test_two_processes.py)


def test_of_five_processes_that_resume_one_run_at_once_one_drives_it_and_no_step_runs_twice(
    site: Site,
) -> None:
    roles = ("po_spec", "feature_design", "tech_lead", "qa")
    site.scenario(
        **{role: {"run": [f"echo {role} >> {site.base}/calls; sleep 0.2"]} for role in roles}
    )
    site.start(*NO_GATES, "--until", "specification").communicate(timeout=60)
    rivals = [site.spawn("resume", "R1") for _ in range(5)]
    said = [each.communicate(timeout=90) for each in rivals]
    codes = Counter(each.returncode for each in rivals)
    assert codes[0] >= 1, said
    assert set(codes) <= {0, 40}, said
    assert Counter((site.base / "calls").read_text().split()) == Counter(roles)
    finished = Counter(each["key"] for each in site.events("step.finished"))
    assert set(finished.values()) == {1}
    assert site.status() == "complete"


# -- a step that has another name in a new version


def newer(flow: Flow, workflow: type[Workflow], monkeypatch: pytest.MonkeyPatch) -> None:
    """The same run under the next Podium, whose workflow is this one."""
    monkeypatch.setattr(podium, "__version__", f"{podium.__version__}+1")
    flow.workflow = workflow


def test_a_run_that_stands_at_a_renamed_step_says_so_and_nothing_is_asked(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    flow = make(chain("one", "two", "three"))
    flow.start(until="one")
    newer(flow, chain("one", "second", "three"), monkeypatch)
    with pytest.raises(InputError, match="step is 'two', which flow does not have"):
        flow.resume()
    assert flow.agent.asked == ["one"]


def test_a_finished_step_that_was_renamed_is_neither_repeated_nor_forgotten(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its inputs could not be compared any more: going on would trust what nobody looks at."""
    flow = make(chain("one", "two", "three"))
    flow.start(until="two")
    before = flow.folder.joinpath("journal.jsonl").read_bytes()
    newer(flow, chain("first", "two", "three"), monkeypatch)
    with pytest.raises(InputError) as told:
        flow.resume()
    assert "one was done as the step 'one', which flow does not have" in str(told.value)
    assert f"Podium {podium.__version__.removesuffix('+1')}" in str(told.value)
    assert flow.agent.asked == ["one", "two"]
    assert flow.folder.joinpath("journal.jsonl").read_bytes() == before
    flow.workflow = chain("one", "two", "three")
    assert flow.resume().exit_code == 0
    assert flow.agent.asked == ["one", "two", "three"]


def test_a_renamed_member_of_a_half_done_cluster_is_not_asked_beside_the_one_it_was(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    flow = make(clustered("a", "b", limit=1))
    flow.agent.at["review/1/b"] = _gone
    with pytest.raises(PowerCut):
        flow.start()
    flow.power_cut()
    assert flow.keys("step.finished") == ["review/1/a"]
    newer(flow, clustered("alpha", "b", limit=1), monkeypatch)
    with pytest.raises(InputError, match="review/1/a is not part of the step 'review' any more"):
        flow.go()
    assert "review/1/alpha" not in flow.agent.asked


def _gone(_: Job) -> None:
    raise PowerCut("the process is gone")


def test_the_same_version_with_other_settings_goes_on(make: Make) -> None:
    """A policy may take steps out of a workflow while a run is under way: that is a person's
    decision.
    """
    flow = make(chain("one", "two", "three"))
    flow.start(until="two")
    flow.workflow = chain("first", "two", "three")
    assert flow.resume().exit_code == 0
    assert flow.agent.asked == ["one", "two", "three"]


# -- a crash loses nothing, with the settings as they come (every write of every workflow:
# tests/crash)


class Watching(Disk):
    """Says in which order things reached the platters."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def append(self, fd: int, data: bytes) -> None:
        super().append(fd, data)
        self.told += [json.loads(line)["type"] for line in data.splitlines()]

    def sync(self, fd: int) -> None:
        super().sync(fd)
        self.told.append("sync")


def _said_and_made_durable(make: Make, pause: float) -> list[str]:
    disk, flow = Watching(), make(chain("one", "two"))
    flow.agent.pause = pause
    flow.start(disk)
    names = [
        each
        for each in disk.told
        if each in {"sync", "step.started", "step.finished", "run.completed"}
    ]
    return names[names.index("step.started") :]


def test_with_default_settings_what_has_ended_is_synced_before_anything_else_happens(
    make: Make,
) -> None:
    told = _said_and_made_durable(make, 0.0)
    # What the last step landed is safe before the run is called complete.
    landed = ["sync"]
    steps = ["step.started", "step.finished", "sync"] * 2
    assert told == [*steps, *landed, "run.completed", "sync"]


def test_with_default_settings_what_was_begun_is_synced_while_the_agent_works(make: Make) -> None:
    told = _said_and_made_durable(make, 0.05)
    assert told[:4] == ["step.started", "sync", "step.finished", "sync"]


def test_with_default_settings_a_run_killed_anywhere_loses_no_finished_step(make: Make) -> None:
    flow = make(chain("one", "two"))
    for number in range(1, 400):
        seen = len(flow.agent.asked)
        done = set(_finished(flow))
        try:
            flow.go(CrashingDisk(number % 17 + 1))
        except PowerCut:
            flow.power_cut()
            assert done <= set(_finished(flow))
            assert not done & set(flow.agent.asked[seen:])
            continue
        break
    flow.go()
    assert _finished(flow) == ["one", "two"]


def _finished(flow: Flow) -> list[Any]:
    return flow.keys("step.finished") if (flow.folder / "journal.jsonl").exists() else []


def test_the_run_has_a_name_that_these_tests_know(make: Make) -> None:
    assert make(chain("one")).start().run == RUN
