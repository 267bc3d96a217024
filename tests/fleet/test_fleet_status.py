"""`podium fleet status` and `podium fleet metrics`, against real workers."""

import http.client
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.fleet.fleets import until
from tests.fleet.test_openmetrics import read
from tests.fleet.workers import Site

import podium
from podium.fleet.figures import standing_text
from podium.fleet.figures.census import census
from podium.fleet.figures.counts import figures

pytestmark = [pytest.mark.fleet, pytest.mark.timeout(240)]


@pytest.fixture
def site(in_memory: Path, database: str) -> Iterator[Site]:
    found = Site(in_memory, database)
    yield found
    found.close()


def said(site: Site, *words: str, code: int = 0) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "podium", "fleet", *words],
        cwd=site.project,
        env=site.environment(),
        text=True,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
    )
    assert done.returncode == code, done.stderr
    return done.stdout + done.stderr


def status(site: Site) -> dict[str, Any]:
    """What `podium fleet status --json` answers, without a process: it is asked for until it is
    so.
    """
    return standing_text.data(figures(census(site.journal.link, site.journal.lease_s, 3600.0)))


def worker(site: Site, name: str) -> dict[str, Any]:
    return next((each for each in status(site)["workers"] if each["name"] == name), {})


def test_a_worker_enters_itself_is_counted_and_says_when_it_leaves(site: Site) -> None:
    site.submitted("R1")
    before = site.podium("fleet", "status")
    assert (before["queued"], before["workers"], before["places"]) == (1, [], 0)
    assert before["workflows"][0]["name"] == "harness"
    assert "no worker is running" in said(site, "status")
    started = site.worker("w1", "--concurrency", "2", "--label", "gpu")
    until(lambda: site.status() == "complete", "the run's end")
    until(lambda: worker(site, "w1").get("ended") == 1, "the turn's end")
    now = worker(site, "w1")
    assert (now["state"], now["concurrency"], now["labels"], now["version"], now["pid"]) == (
        "alive",
        2,
        ["gpu"],
        podium.__version__,
        started.pid,
    )
    assert now["under_way"] == []
    assert now["steps"] == len(site.events("step.finished"))
    assert 0 < now["utilisation"] <= 1
    total = status(site)["total"]
    assert (total["queued"], total["ended"], total["failed"], total["lost"]) == (0, 1, 0, 0)
    assert 0 <= total["wait_p50_s"] <= total["wait_p95_s"]
    text = said(site, "status")
    assert re.search(r"w1 \(.*\) +alive +0/2", text), text
    started.terminate()
    assert started.wait(20) == 0
    assert worker(site, "w1")["state"] == "stopped"
    assert status(site)["places"] == 0


def test_a_worker_that_is_killed_is_lost_and_its_run_is_taken_over_and_counted(site: Site) -> None:
    site.submitted("R1", {"build": [{"behave": "well", "run": ["exec sleep 600"]}]})
    first = site.worker("w1")
    until(lambda: worker(site, "w1").get("under_way") == ["R1"], "the first turn")
    first.kill()
    site.worker("w2")
    until(lambda: worker(site, "w2").get("under_way") == ["R1"], "the takeover")
    until(lambda: worker(site, "w1").get("state") == "lost", "the silence")
    assert worker(site, "w1")["lost"] == 1
    found = read(said(site, "metrics"))
    assert found['podium_fleet_turns_total{worker="w1",workflow="harness",result="lost"}'] == 1
    assert found['podium_fleet_worker_places_busy{worker="w2"}'] == 1


def test_figures_are_served_to_a_scraper(site: Site) -> None:
    serving = subprocess.Popen(
        [sys.executable, "-m", "podium", "fleet", "metrics", "--serve", "0"],
        cwd=site.project,
        env=site.environment(),
        text=True,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
    )
    site.processes.append(serving)
    assert serving.stderr is not None
    port = int(re.search(r"127\.0\.0\.1:(\d+)/metrics", serving.stderr.readline())[1])  # type: ignore[index]
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    line.request("GET", "/metrics")
    answer = line.getresponse()
    assert answer.status == 200
    assert str(answer.getheader("content-type")).startswith("application/openmetrics-text")
    assert "podium_fleet_places" in read(answer.read().decode())
    line.request("GET", "/other")
    assert line.getresponse().status == 404
    line.close()
    serving.terminate()
    assert serving.wait(20) == 0


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (("status", "--window", "soon"), "a number and s, m, h or d"),
        (("status", "--window", "5s"), "from 10s to 31d"),
        (("metrics", "--serve", "here"), "a port, or HOST:PORT"),
    ],
)
def test_what_cannot_be_meant_is_told(site: Site, words: tuple[str, ...], fault: str) -> None:
    assert fault in said(site, *words, code=2)
