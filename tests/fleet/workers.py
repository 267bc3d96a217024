"""`podium worker` processes and the commands of people, over a fleet of one of the engines."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from tests.fakes.project import TASK
from tests.fleet.fleets import Fleet
from tests.fleet.processes import descendants, tell, words_of

from podium.fleet.app import FleetApp
from podium.fleet.waiting import waits
from podium.wiring import Parts

NO_GATES = (
    "--set",
    "require_approval_before_build=false",
    "--set",
    "require_approval_before_complete=false",
)
_Found = TypeVar("_Found")


@dataclass
class Site(Fleet):
    """A fleet as people use it."""

    engine: str = "none"
    temporal: str = ""
    workers: dict[str, subprocess.Popen[str]] = field(default_factory=dict)

    def environment(self) -> dict[str, str]:
        told = {
            "PODIUM_FLEET__DATABASE": self.database,
            "PODIUM_FLEET__ENGINE": self.engine,
            "PODIUM_FLEET__BEAT_S": str(self.beat_s),
            "PODIUM_FLEET__REMOTE": self.address,
            "PODIUM_USER": "Ada",
        }
        return {
            **self.environ,
            **told,
            **({"PODIUM_FLEET__TEMPORAL": self.temporal} if self.temporal else {}),
        }

    def worker(
        self,
        name: str,
        *more: str,
        inside: tuple[str, ...] = (),
        told: dict[str, str] | None = None,
    ) -> subprocess.Popen[str]:
        """`inside`: words before the command; `told`: settings of this worker alone."""
        log = open(self.base / f"{name}.log", "a")  # noqa: SIM115
        started = subprocess.Popen(
            [*inside, sys.executable, "-m", "podium", "worker", "--name", name, *more],
            cwd=self.project,
            env={**self.environment(), **(told or {})},
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        log.close()
        self.processes.append(started)
        self.workers[name] = started
        return started

    def podium(self, *words: str, told: dict[str, str] | None = None) -> Any:
        done = subprocess.run(
            [sys.executable, "-m", "podium", *words, "--json"],
            cwd=self.project,
            env={**self.environment(), **(told or {})},
            text=True,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=90,
        )
        assert done.returncode == 0, (
            f"podium {' '.join(words)}: {done.returncode}\n{done.stdout}{done.stderr}"
        )
        return json.loads(done.stdout)

    def said(self, *words: str) -> str:
        """What people read."""
        return subprocess.run(
            [sys.executable, "-m", "podium", *words],
            cwd=self.project,
            env=self.environment(),
            text=True,
            check=True,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=90,
        ).stdout

    def submitted(
        self,
        run: str,
        agents: dict[str, Any] | None = None,
        *,
        gates: bool = False,
        needs: tuple[str, ...] = (),
    ) -> None:
        options = replace(
            self.options(agents, gates=gates, run_id=run), by=self.environment()["PODIUM_USER"]
        )
        self.asked(lambda app: app.give("harness", [TASK], options, needs))

    def approve(self, run: str) -> None:
        self.asked(lambda app: app.approve(run, gate="", note="", by="Ada"))

    def cancel(self, run: str) -> None:
        self.asked(lambda app: app.cancel(run, "not needed", "Ada"))

    def asked(self, do: Callable[[FleetApp], _Found]) -> _Found:
        """What a command of people does, in this process: to start one takes ten times as long.
        `podium` starts them.

        The engine is told by the next sweep, where to load its client takes as long as a process.
        """
        engine = "none" if self.engine == "temporal" else self.engine
        environ = {**self.environment(), "PODIUM_FLEET__ENGINE": engine}

        def whole() -> _Found:
            app = FleetApp(self.project, parts=Parts(environ, cwd=self.project))
            try:
                return do(app)
            finally:
                app.truth.link.close()

        with ThreadPoolExecutor(1) as elsewhere:  # a browser's driver has the loop of this thread
            return elsewhere.submit(whole).result(90)

    def waits(self, run: str) -> str:
        """What it waits for in line, as every command and page says it."""
        return waits(self.journal).get(run, "")

    def status(self, run: str = "R1") -> str:
        """As the database has it beside the events: to read and check them all for one word
        takes its time.
        """
        query = "select status from podium_run where id = %s"
        return str(
            self.journal.link.do(lambda connection: connection.execute(query, (run,)).fetchone()[0])
        )

    def forget(self) -> None:
        """The engine loses all it knew."""
        if self.engine == "procrastinate":
            self.journal.link.do(
                lambda connection: connection.execute("truncate procrastinate_jobs cascade")
            )
        if self.engine == "temporal":
            words = [
                temporal_program(),
                "workflow",
                "delete",
                "--address",
                self.temporal,
                "--query",
                "WorkflowType='podium-drive'",
                "--yes",
                "--reason",
                "test",
            ]
            subprocess.run(words, capture_output=True, check=True, timeout=60)

    def logs(self) -> str:
        return "\n".join(
            f"== {each.name}\n{each.read_text()}" for each in sorted(self.base.glob("*.log"))
        )

    def freeze(self, name: str, number: int = signal.SIGSTOP) -> None:
        """The worker and its drivers, but neither what watches over them nor their agents."""
        tell(self.pids(name), number)

    def sleep(self, name: str, number: int = signal.SIGSTOP) -> None:
        """All of it, as a machine that falls asleep and wakes up."""
        top = self.workers[name].pid
        tell([top, *descendants(top)], number)

    def pids(self, name: str) -> list[int]:
        """The worker and its drivers."""
        top = self.workers[name].pid
        return [
            top,
            *(each for each in descendants(top) if "podium.fleet.driver" in words_of(each)),
        ]


def temporal_program() -> str:
    beside = Path(sys.executable).with_name("temporal")
    return shutil.which("temporal") or (str(beside) if beside.exists() else "")
