"""A run started from a chat: a separate process that continues when the chat ends, with a log of
its own.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from podium.core.errors import UsageError
from podium.state import own_process
from podium.state.run_folder import RunFolder
from podium.views import safe

PATIENCE_S = 8.0
"""How long to wait for a sign of life, so that wrong input is reported at once."""
FOLDER = ".podium/cache/starts"
_SHOWN = 3000


@dataclass(frozen=True)
class Started:
    log: str
    """Relative to the project's folder."""
    running: bool
    said: str
    """The end of what it printed, if it has already ended."""


@dataclass
class Starter:
    """Starts `podium run` and `podium resume` for one project, and collects the processes when
    they end.
    """

    project: Path
    environ: Mapping[str, str]
    patience_s: float = PATIENCE_S
    children: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(
        self, run: str, workflow: str, inputs: Sequence[str], agent: str = "", issue: str = ""
    ) -> Started:
        """`run`: the id that the new run will have."""
        for each in (*inputs, agent, issue):
            if each.startswith("-") or "\0" in each:
                raise UsageError(
                    f"{safe.line(each, 60)!r} cannot be given: it would be read as an option"
                )
        options = [
            f"--run-id={run}",
            *([f"--agent={agent}"] if agent else []),
            *([f"--issue={issue}"] if issue else []),
        ]
        there = RunFolder(self.project, run).journal.exists
        found = self._spawn(run, ["run", *options, workflow, *inputs], there)
        if not found.running and not there():
            raise UsageError(f"the run did not start:\n{found.said}")
        return found

    def resume(self, run: str) -> Started:
        journal = RunFolder(self.project, run).journal
        before = journal.stat().st_size
        return self._spawn(run, ["resume", run], lambda: journal.stat().st_size > before)

    def _spawn(self, run: str, words: Sequence[str], alive: Callable[[], bool]) -> Started:
        self.children = [each for each in self.children if each.poll() is None]
        name = f"{FOLDER}/{run.replace('/', '~')}.log"
        log = self.project / name
        log.parent.mkdir(parents=True, exist_ok=True)
        begun = log.stat().st_size if log.exists() else 0
        started = own_process.start(self.project, words, self.environ, log)
        self.children.append(started)
        deadline = time.monotonic() + self.patience_s
        while started.poll() is None and not alive() and time.monotonic() < deadline:
            time.sleep(0.05)
        over = started.poll() is not None
        return Started(name, not over, _tail(log, begun) if over else "")


def _tail(log: Path, begun: int) -> str:
    with log.open("rb") as file:
        file.seek(max(begun, log.stat().st_size - _SHOWN))
        return "\n".join(safe.block(file.read(_SHOWN).decode(errors="replace"), lines=40))
