"""What a fleet costs: a run alone and on a worker, several workers, and thousands of runs that wait.

python -m bench.fleet [--runs N] [--pace SECONDS] [--parked N]
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from podium.cli.demos import project as demo
from podium.core import events
from podium.engine.git.git import call
from podium.fleet.postgres_journal import PostgresJournal
from podium.fleet.postgres_server import PostgresServer, free_port
from podium.fleet.submitting import Submitting
from podium.wiring import App, Parts, RunOptions

NO_GATES = {"require_approval_before_build": False, "require_approval_before_complete": False, "retry_backoff_s": 0.0}


def options(folder: Path, run: str) -> RunOptions:
    return RunOptions(agent=f"scripted:{folder / demo.SCENARIO}", policy=NO_GATES, run_id=run)


def journal_of(url: str) -> PostgresJournal:
    return PostgresJournal(url, lambda: datetime.now(UTC), beat_s=5.0)


def alone(base: Path) -> tuple[float, int, int]:
    """Seconds, steps and events of a run without a fleet; agents take no time."""
    folder = base / "alone"
    story = demo.make(folder, "harness", 0)
    app = App(folder, parts=Parts(os.environ, cwd=folder))
    began = time.perf_counter()
    app.start("harness", story.inputs, options(folder, "R"))
    took = time.perf_counter() - began
    known = app.events("R")
    return took, sum(each["type"] == "step.finished" for each in known), len(known)


def fleet(base: Path, url: str, workers: int, runs: int, pace: float) -> float:
    """Seconds from the first submission to the last end."""
    remote, folder = base / f"remote-{workers}-{runs}.git", base / f"project-{workers}-{runs}"
    call(("init", "--quiet", "--bare", str(remote)), cwd=base)
    story = demo.make(folder, "harness", pace)
    journal = journal_of(url)
    app = Submitting(folder, parts=Parts(os.environ, cwd=folder))
    names = [f"R{workers}-{runs}-{number}" for number in range(runs)]
    environ = {
        **os.environ, "PODIUM_FLEET__DATABASE": url, "PODIUM_FLEET__REMOTE": str(remote), "PODIUM_FLEET__BEAT_S": "5",
        "PODIUM_FLEET__WORK": str(base / "work"),
    }  # fmt: skip
    started = [
        subprocess.Popen([sys.executable, "-m", "podium", "worker", "--name", f"w{each}", "--quiet"], cwd=folder, env=environ)
        for each in range(workers)
    ]
    time.sleep(3)
    began = time.perf_counter()
    for name in names:
        app.submit("harness", story.inputs, options(folder, name), journal, str(remote))
    while not all(_over(journal, name) for name in names):
        time.sleep(0.1)
    took = time.perf_counter() - began
    for each in started:
        each.terminate()
    for each in started:
        each.wait()
    journal.link.close()
    return took


def _over(journal: PostgresJournal, run: str) -> bool:
    return any(each["type"] == "run.completed" for each in journal.read(run)[-6:])


def parked(url: str, count: int) -> float:
    """Milliseconds that a sweep takes while so many runs wait for people."""
    journal = journal_of(url)
    state = {"step": "build", "status": "waiting"}
    fact = {**events.phase(True, "Build"), "type": "run.paused", "state": state}
    for number in range(count):
        journal.create(f"parked-{number}", [fact])
    took = []
    for _ in range(5):
        began = time.perf_counter()
        assert not journal.with_work()
        took.append(time.perf_counter() - began)
    journal.link.close()
    return sorted(took)[2] * 1000


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=6)
    parser.add_argument("--pace", type=float, default=2.0)
    parser.add_argument("--parked", type=int, default=10_000)
    told = parser.parse_args()
    base = Path(tempfile.mkdtemp(prefix="podium-bench-fleet-"))
    base.chmod(0o755)
    server = PostgresServer(base / "postgres", free_port())
    server.start()
    try:
        took, steps, count = alone(base)
        once = fleet(base, server.url, 1, 1, 0)
        print(f"alone            {took:6.2f} s   {steps} steps, {count} events")
        print(f"on one worker    {once:6.2f} s   {(once - took) / steps * 1000:.0f} ms more for a step, start and checkout included")
        for workers in (1, 2, 4):
            took = fleet(base, server.url, workers, told.runs, told.pace)
            print(f"{workers} worker(s)      {took:6.1f} s   for {told.runs} runs whose agents take {told.pace:g} s: {told.runs / took * 60:.1f} a minute")
        print(f"{told.parked} parked     {parked(server.url, told.parked):6.1f} ms  for one sweep")
    finally:
        server.stop("fast")
        shutil.rmtree(base, ignore_errors=True)


if __name__ == "__main__":
    main()
