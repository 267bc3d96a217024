"""Nothing that an agent started outlives its dispatch: not a crash of the engine, a timeout,
Ctrl-C or `podium cancel`.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.crash.driver import NO_GATES, Site, until

pytestmark = [
    pytest.mark.crash,
    pytest.mark.skipif(sys.platform != "linux", reason="orphans are found by /proc"),
]
Kill = Callable[[Site, "subprocess.Popen[str]"], None]


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    found = Site(tmp_path)
    yield found
    found.clear()


def engine(site: Site, driver: subprocess.Popen[str]) -> None:
    os.kill(driver.pid, signal.SIGKILL)


def group(site: Site, driver: subprocess.Popen[str]) -> None:
    os.killpg(driver.pid, signal.SIGKILL)


def engine_and_shim(site: Site, driver: subprocess.Popen[str]) -> None:
    (shim,) = site.shims(driver.pid)
    os.kill(driver.pid, signal.SIGSTOP)  # so that it cannot see the shim die
    os.kill(shim, signal.SIGKILL)
    os.kill(driver.pid, signal.SIGKILL)


def at_work(site: Site, *more: str) -> subprocess.Popen[str]:
    """A driver whose first agent has started everything that it wants to leave behind."""
    driver = site.start(*NO_GATES, *more)
    until(site.met, f"the agent at work; {driver.poll()}")
    assert len(site.alive()) >= 3
    assert site.grows()
    return driver


@pytest.mark.parametrize("kill", [engine, group, engine_and_shim])
def test_a_killed_engine_leaves_nothing_that_writes_into_the_next_attempt(
    site: Site, kill: Kill
) -> None:
    site.scenario(po_spec={"run": [site.stubborn()]})
    driver = at_work(site)
    kill(site, driver)
    driver.wait(10)
    driver.communicate()
    done = site.resumed()
    assert done.returncode == 0, done.stdout + done.stderr
    before, after = (site.open / "second").read_text().split()
    assert before == after, "something of the first attempt wrote during the second"
    assert site.alive() == []
    assert [each["key"] for each in site.events("step.interrupted")] == ["specification"]
    assert site.events("run.completed")
    assert site.views() == []


def test_a_command_of_the_engine_leaves_nothing_either(site: Site) -> None:
    """The engine's own test command under way, engine and shim killed together."""
    site.scenario()
    (site.project / "tests.sh").write_text(site.stubborn())
    with (site.project / "podium.toml").open("a") as settings:
        settings.write(f"[isolation]\nwritable = [{json.dumps(str(site.open))}]\n")
    driver = at_work(site)
    engine_and_shim(site, driver)
    driver.wait(10)
    driver.communicate()
    done = site.resumed()
    assert done.returncode == 0, done.stdout + done.stderr
    before, after = (site.open / "second").read_text().split()
    assert before == after
    assert site.alive() == []


def test_a_step_that_hangs_is_ended_with_all_it_started(site: Site) -> None:
    site.scenario(po_spec={"run": [site.stubborn()], "fail": "hang"})
    driver = site.start(*NO_GATES, "--set", "step_timeout_s=3")
    out, errors = driver.communicate(timeout=60)
    assert driver.returncode == 20, out + errors
    assert site.alive() == []
    assert not site.grows()


def test_ctrl_c_once_finishes_the_step_and_pauses(site: Site) -> None:
    site.scenario(po_spec={"run": [site.stubborn(seconds=1.5)]})
    driver = at_work(site)
    os.kill(driver.pid, signal.SIGINT)
    driver.communicate(timeout=30)
    assert driver.returncode == 130
    assert [each["key"] for each in site.events("step.finished")] == ["specification"]
    assert site.alive() == []
    assert site.status() == "active"
    assert site.resumed().returncode == 0
    assert site.events("step.interrupted") == []


def test_ctrl_c_twice_stops_the_agent_at_once(site: Site) -> None:
    site.scenario(po_spec={"run": [site.stubborn()]})
    driver = at_work(site)
    os.kill(driver.pid, signal.SIGINT)
    time.sleep(0.3)
    assert driver.poll() is None, "once is not enough"
    began = time.monotonic()
    os.kill(driver.pid, signal.SIGINT)
    driver.communicate(timeout=30)
    assert driver.returncode == 130
    assert time.monotonic() - began < 10
    assert site.alive() == []
    done = site.resumed()
    assert done.returncode == 0, done.stdout + done.stderr
    assert [each["key"] for each in site.events("step.interrupted")] == ["specification"]


def test_cancel_from_another_process_ends_agent_and_driver(site: Site) -> None:
    site.scenario(po_spec={"run": [site.stubborn()]})
    driver = at_work(site)
    began = time.monotonic()
    said = site.podium("cancel", "R1")
    assert said.returncode == 0, said.stderr
    driver.communicate(timeout=30)
    assert driver.returncode == 30
    assert time.monotonic() - began < 10
    assert site.alive() == []
    assert site.status() == "cancelled"
    assert site.views() == []
    assert len(site.events("run.cancelled")) == 1


def test_cancel_of_a_run_whose_driver_was_killed_ends_its_agents_too(site: Site) -> None:
    site.scenario(po_spec={"run": [site.stubborn()]})
    driver = at_work(site)
    engine_and_shim(site, driver)
    driver.wait(10)
    driver.communicate()
    assert site.podium("cancel", "R1").returncode == 0
    assert site.status() == "cancelled"
    assert site.alive() == []
    assert site.views() == []
