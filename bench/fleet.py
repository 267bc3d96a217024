"""What a fleet costs: runs alone and on a worker in turns, one to four workers, and thousands of
waiting runs.

python -m bench.fleet [--write] [--rounds N] [--runs N] [--pace SECONDS] [--most WORKERS] [--parked
N]
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

from bench import fleet_page

from podium.cli.demos import project as demo
from podium.core import events
from podium.engine.git.git import call
from podium.fleet.journal.postgres_journal import PostgresJournal
from podium.fleet.servers.postgres_server import PostgresServer, free_port
from podium.fleet.submitting import Submitting
from podium.wiring import App, Parts
from podium.wiring_values import RunOptions

NO_GATES = {"require_approval_before_build": False, "require_approval_before_complete": False}
WORKFLOWS = ("harness", "ticket")


@dataclass(frozen=True)
class Took:
    """One run: seconds from the beginning of its first step to its end, and seconds before that."""

    work: float
    before: float
    steps: int


def options(workflow: str, folder: Path, run: str) -> RunOptions:
    policy = {"retry_backoff_s": 0.0, **(NO_GATES if workflow == "harness" else {})}
    return RunOptions(agent=f"scripted:{folder / demo.SCENARIO}", policy=policy, run_id=run)


def journal_of(url: str) -> PostgresJournal:
    return PostgresJournal(url, lambda: datetime.now(UTC), beat_s=5.0)


def alone(base: Path, workflow: str, number: int) -> Took:
    """A run without a fleet; its agents take no time."""
    folder = base / f"alone-{workflow}-{number}"
    story = demo.make(folder, workflow, 0)
    app = App(folder, parts=Parts(os.environ, cwd=folder))
    began = time.time()
    app.start(workflow, story.inputs, options(workflow, folder, "R"))
    return took(app.events("R"), began)


def took(known: Sequence[Mapping[str, Any]], began: float) -> Took:
    first = next(each for each in known if each["type"] == "step.started")
    start, end = (datetime.fromisoformat(each["ts"]).timestamp() for each in (first, known[-1]))
    return Took(end - start, start - began, sum(each["type"] == "step.finished" for each in known))


class Site:
    """A remote, a project and workers."""

    def __init__(
        self, base: Path, url: str, name: str, workflow: str, pace: float, workers: int
    ) -> None:
        self.remote, self.folder, self.workflow = base / f"{name}.git", base / name, workflow
        call(("init", "--quiet", "--bare", str(self.remote)), cwd=base)
        self.story = demo.make(self.folder, workflow, pace)
        self.journal = journal_of(url)
        self.app = Submitting(self.folder, parts=Parts(os.environ, cwd=self.folder))
        environ = {
            **os.environ,
            "PODIUM_FLEET__DATABASE": url,
            "PODIUM_FLEET__REMOTE": str(self.remote),
            "PODIUM_FLEET__BEAT_S": "10",
            "PODIUM_FLEET__WORK": str(base / "work"),
        }
        words = [sys.executable, "-m", "podium", "worker", "--quiet", "--name"]
        self.workers = [
            subprocess.Popen(
                [*words, f"w{each}"], cwd=self.folder, env=environ, stderr=subprocess.DEVNULL
            )
            for each in range(workers)
        ]
        time.sleep(3)

    def submit(self, run: str) -> None:
        self.app.submit(
            self.workflow,
            self.story.inputs,
            options(self.workflow, self.folder, run),
            self.journal,
            str(self.remote),
        )

    def ended(self, run: str) -> bool:
        return (
            any(each["type"] == "run.completed" for each in self.journal.read(run)[-8:])
            and self.journal.holder(run) is None
        )

    def close(self) -> None:
        for each in self.workers:
            each.terminate()
        for each in self.workers:
            each.wait()
        self.journal.link.close()


def there(site: Site, run: str) -> Took:
    """A run on a worker that is already waiting; its agents take no time."""
    began = time.time()
    site.submit(run)
    while not site.ended(run):
        time.sleep(0.1)
    return took(site.journal.read(run), began)


def cost(base: Path, url: str, workflow: str, rounds: int) -> fleet_page.Cost:
    """Alone and on one worker, in turns."""
    here, far = [], []
    site = Site(base, url, f"cost-{workflow}", workflow, 0, 1)
    try:
        for number in range(rounds):
            here.append(alone(base, workflow, number))
            far.append(there(site, f"{workflow}-{number}"))
    finally:
        site.close()
    steps = here[0].steps
    per_step = [median(each.work / each.steps for each in found) for found in (here, far)]
    return fleet_page.Cost(
        workflow, steps, per_step[0], per_step[1], median(each.before for each in far)
    )


def rate(base: Path, url: str, workers: int, runs: int, pace: float) -> float:
    """Runs per minute, from the first submission to the end of the last run."""
    site = Site(base, url, f"rate-{workers}", "harness", pace, workers)
    names = [f"rate-{workers}-{number}" for number in range(runs)]
    try:
        began = time.perf_counter()
        for name in names:
            site.submit(name)
        while not all(site.ended(name) for name in names):
            time.sleep(0.1)
        return runs / (time.perf_counter() - began) * 60
    finally:
        site.close()


def parked(url: str, count: int) -> float:
    """Milliseconds that a sweep takes while this many runs wait for people."""
    journal = journal_of(url)
    state = {"step": "build", "status": "waiting"}
    fact = {**events.phase(True, "Build"), "type": "run.paused", "state": state}
    for number in range(count):
        journal.create(f"parked-{number}", [fact])
    seconds = []
    for _ in range(5):
        began = time.perf_counter()
        assert not journal.with_work()
        seconds.append(time.perf_counter() - began)
    journal.link.close()
    return median(seconds) * 1000


def measure(told: argparse.Namespace) -> fleet_page.Found:
    base = Path(tempfile.mkdtemp(prefix="podium-bench-fleet-"))
    base.chmod(0o755)
    server = PostgresServer(base / "postgres", free_port())
    server.start()
    try:
        costs = [cost(base, server.url, workflow, told.rounds) for workflow in WORKFLOWS]
        rates = {
            workers: rate(base, server.url, workers, told.runs, told.pace)
            for workers in range(1, told.most + 1)
        }
        return fleet_page.Found(
            costs,
            rates,
            told.runs,
            told.pace,
            told.rounds,
            told.parked,
            parked(server.url, told.parked),
        )
    finally:
        server.stop("fast")
        shutil.rmtree(base, ignore_errors=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "--write", action="store_true", help="docs/fleet-benchmarks.md and its picture"
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--runs", type=int, default=8)
    parser.add_argument("--pace", type=float, default=2.0)
    parser.add_argument("--most", type=int, default=4)
    parser.add_argument("--parked", type=int, default=10_000)
    told = parser.parse_args()
    found = measure(told)
    print(fleet_page.tables(found))
    if told.write:
        fleet_page.write(Path(__file__).parents[1] / "docs", found)


if __name__ == "__main__":
    main()
