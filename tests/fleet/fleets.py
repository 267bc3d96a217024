"""A project, a remote on disk and workers of a fleet, as real processes."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.fakes.project import NO_GATES, TASK, make
from tests.fakes.repository import git

from podium.fleet.journal.postgres_journal import PostgresJournal
from podium.fleet.orders import Order, Result, result_of
from podium.fleet.submitting import Submitting
from podium.wiring import App, Parts
from podium.wiring_values import RunOptions

BEAT_S = 2.0
CALM_S = 30.0
"""For tests in which nobody dies: a busy machine must not look like a dead one."""
ROOT = Path(__file__).parents[2]


def until(true: Callable[[], object], what: str, patience_s: float = 60.0) -> float:
    """Waits; how long it took."""
    began = time.monotonic()
    while not true():
        assert time.monotonic() < began + patience_s, f"not within {patience_s:g} s: {what}"
        time.sleep(0.05)
    return time.monotonic() - began


@dataclass
class Fleet:
    base: Path
    database: str
    beat_s: float = BEAT_S
    settings: dict[str, str] = field(default_factory=dict)
    """More variables for everybody: of a store, for example."""

    def __post_init__(self) -> None:
        self.project.mkdir(parents=True)
        make(self.project)
        (self.base / "home").mkdir()
        git(self.base, "init", "-q", "--bare", "-b", "main", str(self.remote))
        self.journal = PostgresJournal(self.database, lambda: datetime.now(UTC), beat_s=BEAT_S)
        self.processes: list[subprocess.Popen[str]] = []

    def close(self) -> None:
        for each in self.processes:
            if each.poll() is None:
                each.kill()
            each.wait()
            for pipe in (each.stdin, each.stderr):
                if pipe is not None:
                    with contextlib.suppress(OSError):
                        pipe.close()
        self.journal.link.close()

    @property
    def project(self) -> Path:
        return self.base / "project"

    @property
    def remote(self) -> Path:
        return self.base / "remote.git"

    @property
    def address(self) -> str:
        """Where workers find the remote."""
        return str(self.remote)

    @property
    def environ(self) -> dict[str, str]:
        home = str(self.base / "home")
        return {
            "PATH": os.environ["PATH"],
            "HOME": home,
            "XDG_STATE_HOME": f"{home}/state",
            "LANG": "C.UTF-8",
            "USER": "ada",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "PYTHONPATH": str(ROOT / "src"),
            **self.settings,
        }

    def scenario(self, agents: dict[str, Any] | None = None) -> str:
        file = self.base / "scenario.json"
        file.write_text(json.dumps({"agents": agents or {}}))
        return f"scripted:{file}"

    def options(
        self, agents: dict[str, Any] | None = None, *, gates: bool = False, run_id: str = "R1"
    ) -> RunOptions:
        policy = {"retry_backoff_s": 0.0, **({} if gates else NO_GATES)}
        return RunOptions(agent=self.scenario(agents), policy=policy, run_id=run_id)

    def submit(
        self, agents: dict[str, Any] | None = None, *, gates: bool = False, run_id: str = "R1"
    ) -> str:
        app = Submitting(self.project, parts=Parts(self.environ, cwd=self.project))
        return app.submit(
            "harness",
            [TASK],
            self.options(agents, gates=gates, run_id=run_id),
            self.journal,
            self.address,
        )

    def alone(self, agents: dict[str, Any] | None = None, run_id: str = "R1") -> App:
        """The same run without a fleet, in a project of its own."""
        project = self.base / "alone"
        project.mkdir()
        make(project)
        app = App(project, parts=Parts(self.environ, cwd=project))
        app.start("harness", [TASK], self.options(agents, run_id=run_id))
        return app

    def driver(
        self,
        run: str = "R1",
        worker: str = "w1",
        steps: int = 0,
        die_at: int = 0,
        die_after: str = "",
        database: str = "",
        remote: str = "",
    ) -> subprocess.Popen[str]:
        """Killed at the boundary `die_at` between remote, database and disk, or when the database
        has an event `die_after`.

        `database`, `remote`: by another way.
        """
        module = [
            "-m",
            "tests.fleet.dying_driver" if die_at or die_after else "podium.fleet.driver",
        ]
        order = Order(
            run,
            database or self.database,
            remote or self.address,
            str(self.base / worker),
            worker,
            self.beat_s,
            steps,
        )
        order = replace(
            order,
            store=self.settings.get("PODIUM_FLEET__STORE", ""),
            store_endpoint=self.settings.get("PODIUM_FLEET__STORE_ENDPOINT", ""),
        )
        started = subprocess.Popen(
            [sys.executable, *module],
            env={**self.environ, "DIE_AT": str(die_at), "DIE_AFTER": die_after},
            text=True,
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        assert started.stdin is not None
        started.stdin.write(order.line())
        started.stdin.flush()
        self.processes.append(started)
        return started

    def drive(self, run: str = "R1", worker: str = "w1", steps: int = 0) -> Result:
        started = self.driver(run, worker, steps)
        code = started.wait(timeout=110)
        assert started.stderr is not None
        sys.stderr.write(started.stderr.read())
        return result_of(code)

    def events(self, type: str = "", run: str = "R1") -> list[dict[str, Any]]:
        found = [event for each in self.journal.family(run) for event in self.journal.read(each)]
        return [each for each in found if not type or each["type"] == type]

    def show(self, path: str, run: str = "R1") -> str:
        return git(self.remote, "show", f"podium/{run}:{path}")
