"""Several runs of several workflows, three workers, and a seed that kills, hangs and heals whatever it likes."""

import os
import random
import signal
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.project import git
from tests.fleet.fleets import until
from tests.fleet.workers import Site

from podium.cli.demos import project as demo
from podium.core.history import History
from podium.fleet.postgres_server import PostgresServer
from podium.fleet.submitting import Submitting
from podium.wiring import App, Parts, RunOptions

pytestmark = [pytest.mark.fleet, pytest.mark.timeout(600)]
RUNS = tuple(os.environ.get("CHAOS_RUNS", "harness roadmap harness ticket").split())
SEED = int(os.environ.get("CHAOS_SEED", "20261116"))
PACE_S = 0.2
BLOWS = int(os.environ.get("CHAOS_BLOWS", "8"))


@pytest.fixture(params=["none", "procrastinate"])
def site(request: pytest.FixtureRequest, tmp_path: Path, database: str) -> Iterator[Site]:
    found = Site(tmp_path, database, engine=request.param)
    yield found
    found.close()
    print(found.logs())  # noqa: T201  # pytest shows it where a test failed


class Chaos:
    """One blow after another, each healed a little later."""

    def __init__(self, site: Site, server: PostgresServer) -> None:
        self.site, self.server, self.chance = site, server, random.Random(SEED)
        self.kills = 0
        self.said: list[str] = []

    def blow(self) -> None:
        what = self.chance.choice([self.kill, self.kill, self.hang, self.crash, self.hide])
        self.said.append(what.__name__)
        what()

    def kill(self) -> None:
        name = self.chance.choice(sorted(self.site.workers))
        self.kills += len(self.site.pids(name)) - 1
        self.site.workers[name].kill()
        self.site.workers[name].wait()
        self.site.worker(name)

    def hang(self) -> None:
        """Longer than a lease: its runs are taken over, and it comes back."""
        name = self.chance.choice(sorted(self.site.workers))
        self.kills += len(self.site.pids(name)) - 1
        self.site.freeze(name)
        time.sleep(4)
        self.site.freeze(name, signal.SIGCONT)

    def crash(self) -> None:
        self.kills += 3  # it may be away for so long that every worker gives up its step
        self.server.stop("immediate")
        self.server.start()

    def hide(self) -> None:
        away = self.site.remote.with_name("away.git")
        self.site.remote.rename(away)
        time.sleep(1.5)
        away.rename(self.site.remote)


def options(folder: Path, story: Any, run: str) -> RunOptions:
    return RunOptions(agent=f"scripted:{folder / demo.SCENARIO}", policy={**story.policy, "retry_backoff_s": 0.0}, run_id=run)


def alone(site: Site, workflow: str) -> App:
    folder = site.base / f"alone-{workflow}"
    story = demo.make(folder, workflow, 0)
    app = App(folder, parts=Parts(site.environ, cwd=folder))
    ended = app.start(workflow, story.inputs, options(folder, story, "R1"))
    while ended.status.value == "waiting":
        for gate in app.summary("R1").gates:
            app.approve("R1", gate=gate["key"], note="", by="Ada")
        ended = app.resume("R1", RunOptions())
    assert ended.status.value == "complete"
    return app


def approve_all(site: Site, run: str) -> None:
    for each in site.journal.family(run):
        for gate in History(site.journal.read(each)).open_gates():
            told = {"decision": "approved", "by": "Ada", "note": "", "subject": dict(gate.subject)}
            site.journal.post(run, f"{gate.key}@{gate.opening}", told)


def test_every_run_ends_as_it_would_have_alone(site: Site, server: PostgresServer) -> None:
    runs = {f"{workflow}-{number}": workflow for number, workflow in enumerate(RUNS)}
    for run, workflow in runs.items():
        folder = site.base / run
        story = demo.make(folder, workflow, PACE_S)
        app = Submitting(folder, parts=Parts(site.environ, cwd=folder))
        app.submit(workflow, story.inputs, options(folder, story, run), site.journal, str(site.remote))
    for name in ("w1", "w2", "w3"):
        site.worker(name)
    chaos = Chaos(site, server)
    for _ in range(BLOWS):
        time.sleep(chaos.chance.uniform(2, 6))
        chaos.blow()
        for run in runs:
            approve_all(site, run)

    def ended() -> bool:
        for run in runs:
            approve_all(site, run)
        return all(site.status(run) == "complete" for run in runs)

    until(ended, f"all runs end after {chaos.said}", 400)
    known = {workflow: alone(site, workflow) for workflow in set(RUNS)}
    for run, workflow in runs.items():
        there, here = site.events(run=run), list(known[workflow].events("R1"))
        finished = Counter(each["key"] for each in there if each["type"] == "step.finished")
        assert finished == Counter(each["key"] for each in here if each["type"] == "step.finished"), (run, chaos.said)
        until(lambda run=run: site.journal.holder(run) is None, "it is given back")
        code = [path for path in git(site.remote, "ls-tree", "-r", "--name-only", f"podium/{run}").split() if path.startswith(("textkit/", "tests/"))]
        assert {path: site.show(path, run) for path in code} == {path: (known[workflow].project / path).read_text() for path in code}
        started = Counter(each["key"] for each in there if each["type"] == "step.started")
        tried = Counter(each["key"] for each in here if each["type"] == "step.started")
        assert sum(started.values()) <= sum(tried.values()) + chaos.kills, (run, chaos.said)
