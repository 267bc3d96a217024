"""`make chaos`: many runs of all workflows on three workers, while a seed kills, stops and heals
whatever there is.

Every run must end as it does alone. A seed that fails is printed as the command that repeats it.
"""

from __future__ import annotations

import argparse
import contextlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
from tests.fleet.blows import BEAT_S, WORKERS, Blow, drawn
from tests.fleet.comparing import difference, to_the_end
from tests.fleet.grounds import Ground, roomy
from tests.fleet.processes import descendants, tell

from podium.cli.demos import project as demo
from podium.core.history import History
from podium.fleet.journal.postgres_journal import PostgresJournal
from podium.fleet.servers.postgres_server import PostgresServer, free_port
from podium.fleet.submitting import Submitting
from podium.wiring import App, Parts
from podium.wiring_values import RunOptions

ENGINES = ("none", "procrastinate", "temporal")
MIXED = (
    "harness",
    "roadmap",
    "ticket",
    "harness",
    "feature",
    "governed",
    "harness",
    "roadmap",
    "harness",
    "ticket",
    "harness",
    "feature",
    "harness",
    "governed",
    "roadmap",
    "harness",
    "ticket",
    "harness",
    "roadmap",
    "harness",
)
PACE_S = 0.2


def choice(gate: Any, answers: list[str]) -> str:
    if gate.kind in {"question", "drift"}:
        return answers.pop(0) if answers else (gate.choices[0] if gate.choices else "answered")
    return "approved"


def options(folder: Path, story: Any, run: str) -> RunOptions:
    return RunOptions(
        agent=f"scripted:{folder / demo.SCENARIO}",
        policy={**story.policy, "retry_backoff_s": 0.0},
        run_id=run,
    )


def alone(base: Path, environ: dict[str, str], workflow: str) -> App:
    folder = base / f"alone-{workflow}"
    story = demo.make(folder, workflow, PACE_S)
    app = App(folder, parts=Parts(environ, cwd=folder))
    ended = app.start(workflow, story.inputs, options(folder, story, "R1"))
    to_the_end(app, ended, story.answers)
    return app


class Decider(threading.Thread):
    """A person who approves whatever waits, as soon as the database lets them."""

    def __init__(self, database: str, answers: dict[str, list[str]]) -> None:
        super().__init__(daemon=True)
        self.database, self.answers = database, answers
        self.over = threading.Event()
        self.statuses: dict[str, str] = {}
        self._said: dict[tuple[str, str], str] = {}

    def run(self) -> None:
        while not self.over.is_set():
            # The database may be away, or go away between any two words.
            with contextlib.suppress(Exception):
                journal = PostgresJournal(
                    self.database, lambda: datetime.now(UTC), beat_s=BEAT_S, patience_s=1
                )
                with contextlib.closing(journal.link):
                    while not self.over.wait(0.5):
                        self._look(journal)
            self.over.wait(0.5)

    def _look(self, journal: PostgresJournal) -> None:
        query = "select id, status from podium_run where id = root"
        self.statuses = dict(
            journal.link.do(lambda connection: connection.execute(query).fetchall())
        )
        for run in (run for run, status in self.statuses.items() if status == "waiting"):
            for each in journal.family(run):
                for gate in History(journal.read(each)).open_gates():
                    key = f"{gate.key}@{gate.opening}"
                    said = self._said.setdefault((run, key), choice(gate, self.answers[run]))
                    journal.post(
                        run,
                        key,
                        {"decision": said, "by": "Ada", "note": "", "subject": dict(gate.subject)},
                    )


@dataclass
class Chaos:
    ground: Ground
    blows: Sequence[Blow]
    kills: int = 0
    """How many executions may have been in vain."""
    said: list[str] = field(default_factory=list)
    _heals: list[tuple[float, Blow]] = field(default_factory=list)

    def rage(self) -> None:
        began = time.monotonic()
        for blow in self.blows:
            self._heal(began, blow.at_s)
            self._wait(began, blow.at_s)
            self._strike(blow)
            self.said.append(f"{time.monotonic() - began:.1f} s: {blow.kind} {blow.whom}")
            self._heals.append((blow.at_s + blow.for_s, blow))
        self._heal(began, float("inf"))

    def _wait(self, began: float, at_s: float) -> None:
        time.sleep(max(0.0, began + at_s - time.monotonic()))

    def _heal(self, began: float, before_s: float) -> None:
        for at_s, blow in sorted(self._heals, key=lambda each: each[0]):
            if at_s <= before_s:
                self._wait(began, at_s)
                self._mend(blow)
                self._heals.remove((at_s, blow))

    def _strike(self, blow: Blow) -> None:
        ground, at = self.ground, blow.whom
        if at in WORKERS:
            self._strike_worker(blow)
            return
        # Whatever is away for long makes every worker give up the steps under way.
        self.kills += 3 * (blow.kind != "forget")
        assert ground.postgres is not None
        match blow.kind:
            case "crash":
                ground.postgres.stop("immediate")
            case "stop":
                ground.tell_database(signal.SIGSTOP)
            case "forget" if at in ground.servers:
                ground.lose_engine()
            case "forget":
                # Aside: where the engine is the database, and that is down, it would never be
                # healed.
                threading.Thread(target=_lost, args=(ground,), daemon=True).start()
            case "kill remote" | "kill engine":
                ground.servers[at].kill()
            case _:
                ground.servers[at].tell(signal.SIGSTOP)

    def _strike_worker(self, blow: Blow) -> None:
        ground, worker = self.ground, self.ground.workers[blow.whom]
        top, *drivers = ground.pids(blow.whom)
        self.kills += max(1, len(drivers))
        match blow.kind:
            case "kill":
                worker.kill()
                worker.wait()
            case "kill driver":
                tell(drivers, signal.SIGKILL)
            case "hang":
                tell([top, *drivers], signal.SIGSTOP)
            case "sleep":
                tell([top, *descendants(top)], signal.SIGSTOP)
            case "drain":
                worker.terminate()

    def _drained(self, worker: subprocess.Popen[str]) -> None:
        """After its step; on a machine that is busy with all of this, a person's patience may
        end before it.
        """
        for patience_s in (60, 30):
            try:
                worker.wait(timeout=patience_s)
            except subprocess.TimeoutExpired:
                worker.terminate()
        if worker.poll() is None:
            worker.kill()
            worker.wait()

    def _mend(self, blow: Blow) -> None:
        ground, at = self.ground, blow.whom
        if at in WORKERS:
            top = ground.workers[at].pid
            if blow.kind == "drain":
                self._drained(ground.workers[at])
            if ground.workers[at].poll() is not None:
                ground.worker(at)
            else:
                tell([top, *descendants(top)], signal.SIGCONT)
        elif at == "database":
            assert ground.postgres is not None
            if blow.kind == "crash":
                ground.postgres.start()
            else:
                ground.tell_database(signal.SIGCONT)
        elif at in ground.servers:
            ground.servers[at].tell(signal.SIGCONT)
            ground.servers[at].start()


def _lost(ground: Ground) -> None:
    with contextlib.suppress(Exception):
        ground.lose_engine()


@dataclass
class Trial:
    """What is tried: enough to try it again."""

    engine: str
    seed: int
    workflows: Sequence[str]
    blows: int
    within_s: float
    patience_s: float = 900.0

    def __str__(self) -> str:
        return (
            f'make chaos ARGS="--engine {self.engine} --seed {self.seed} --runs '
            f'{len(self.workflows)} --blows {self.blows} --within {self.within_s:g}"'
        )


def tried(trial: Trial, ground: Ground) -> list[str]:
    """What went otherwise than alone; empty where all is well."""
    runs = {f"{workflow}-{number}": workflow for number, workflow in enumerate(trial.workflows)}
    known = {
        workflow: alone(ground.base, ground.environ, workflow)
        for workflow in sorted(set(trial.workflows))
    }
    answers: dict[str, list[str]] = {}
    for run, workflow in runs.items():
        folder = ground.base / run
        story = demo.make(folder, workflow, PACE_S)
        answers[run] = list(story.answers)
        app = Submitting(folder, parts=Parts(ground.environ, cwd=folder))
        app.submit(
            workflow, story.inputs, options(folder, story, run), ground.journal, ground.address
        )
    for name in WORKERS:
        ground.worker(name)
    decider = Decider(ground.database, answers)
    decider.start()
    chaos = Chaos(ground, drawn(trial.seed, trial.blows, trial.engine, trial.within_s))
    try:
        chaos.rage()
        wrong = _ended(decider, runs, trial.patience_s)
        wrong += [
            f"worker {name} ended by itself"
            for name in WORKERS
            if ground.workers[name].poll() is not None
        ]
    finally:
        decider.over.set()
        decider.join(timeout=10)
    for run, workflow in runs.items() if not wrong else ():
        wrong += [
            f"{run}: {each}" for each in difference(ground, run, known[workflow], chaos.kills)
        ]
    return [*wrong, *(f"  {each}" for each in chaos.said)] if wrong else []


def _ended(decider: Decider, runs: dict[str, str], patience_s: float) -> list[str]:
    deadline = time.monotonic() + patience_s
    while any(decider.statuses.get(run) != "complete" for run in runs):
        if time.monotonic() > deadline or "blocked" in decider.statuses.values():
            return [
                f"{run} is {decider.statuses.get(run)}"
                for run in runs
                if decider.statuses.get(run) != "complete"
            ]
        time.sleep(0.5)
    return []


@contextlib.contextmanager
def grounds(engine: str, postgres: PostgresServer, base: Path) -> Iterator[Ground]:
    name = f"chaos{time.time_ns()}"
    with psycopg.connect(postgres.url, autocommit=True) as connection:
        connection.execute(f"create database {name}")
    ground = Ground(
        base, postgres.url.removesuffix("/postgres") + f"/{name}", engine=engine, postgres=postgres
    )
    try:
        yield ground
    finally:
        ground.close()


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="make chaos", description=__doc__)
    parser.add_argument("--engine", choices=ENGINES, help="only this one")
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="0 = one that nobody chose"
    )
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--blows", type=int, default=60)
    parser.add_argument(
        "--within",
        type=float,
        default=240.0,
        metavar="SECONDS",
        help="the time in which the blows fall",
    )
    told = parser.parse_args(words)
    workflows = tuple(MIXED[number % len(MIXED)] for number in range(told.runs))
    failed = 0
    for engine in [told.engine] if told.engine else ENGINES:
        trial = Trial(
            engine, told.seed or time.time_ns() % 1_000_000, workflows, told.blows, told.within
        )
        folder = Path(tempfile.mkdtemp(prefix="podium-chaos-", dir=roomy()))
        folder.chmod(0o755)
        postgres = PostgresServer(folder / "cluster", free_port(), durable=False)
        postgres.start()
        began = time.monotonic()
        try:
            with grounds(engine, postgres, folder / "site") as ground:
                wrong = tried(trial, ground)
                kept = _kept(ground, trial) if wrong else ""
        finally:
            postgres.stop("immediate")
            shutil.rmtree(folder, ignore_errors=True)
        lines = [*wrong, f"logs: {kept}", f"again: {trial}"] if wrong else []
        print(
            f"{'FAILED' if wrong else 'ok':7} {trial} {time.monotonic() - began:.0f} s",
            *lines,
            sep="\n  ",
            flush=True,
        )
        failed += bool(wrong)
    return 1 if failed else 0


def _kept(ground: Ground, trial: Trial) -> str:
    """The workers' logs and the journals, for whoever looks for the cause."""
    folder = Path(tempfile.mkdtemp(prefix=f"podium-chaos-{trial.engine}-{trial.seed}-"))
    (folder / "workers.log").write_text(ground.logs())
    with contextlib.suppress(Exception):
        for run in ground.journal.runs():
            (folder / f"{run}.txt").write_text(
                "\n".join(str(each) for each in ground.events(run=run))
            )
    return str(folder)


if __name__ == "__main__":
    sys.exit(main())
