"""Real `podium` processes on a small real project, with agents that do not want to die."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.fakes.project import TASK, make

NO_GATES = (
    "--set",
    "require_approval_before_build=false",
    "--set",
    "require_approval_before_complete=false",
)
PATIENCE_S = 60.0

_STUBBORN = """\
if [ -e {base}/met ]; then
  before=$(wc -c < {base}/grows); sleep 0.5; after=$(wc -c < {base}/grows)
  echo $before $after > {base}/second
  exit 0
fi
writes='while :; do echo x >> {base}/grows; sleep 0.02; done'
sh -c "$writes" stubborn-{mark} &
setsid sh -c "$writes" stubborn-{mark} &
(setsid sh -c "$writes; :" stubborn-{mark} &) &
while [ ! -s {base}/grows ]; do sleep 0.01; done
sleep 0.1
touch {base}/met
exec sleep {seconds}
"""


def until(true: Callable[[], object], what: str, patience_s: float = PATIENCE_S) -> None:
    deadline = time.monotonic() + patience_s
    while not true():
        assert time.monotonic() < deadline, f"not within {patience_s:g} s: {what}"
        time.sleep(0.02)


def processes() -> Iterator[tuple[int, str, int]]:
    """(pid, command line, parent) of everything alive; a zombie is dead."""
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                facts = Path(f"/proc/{name}/stat").read_bytes().rpartition(b")")[2].split()
                words = (
                    Path(f"/proc/{name}/cmdline")
                    .read_bytes()
                    .replace(b"\0", b" ")
                    .decode(errors="replace")
                )
            except OSError:
                continue
            if facts[0] not in {b"Z", b"X"}:
                yield int(name), words, int(facts[1])


@dataclass
class Site:
    """A project, and the processes that work on it."""

    base: Path

    def __post_init__(self) -> None:
        self.project.mkdir(parents=True)
        make(self.project)
        (self.base / "home").mkdir()
        self.open.mkdir()

    @property
    def open(self) -> Path:
        """A folder beside the project, for what the tests must see of processes."""
        return self.base / "open"

    @property
    def project(self) -> Path:
        return self.base / "project"

    @property
    def mark(self) -> str:
        """Of this place alone: tests side by side have folders of the same name."""
        return hashlib.sha256(os.fsencode(self.base)).hexdigest()[:12]

    @property
    def environ(self) -> dict[str, str]:
        home = str(self.base / "home")
        return {
            "PATH": os.environ["PATH"],
            "HOME": home,
            "XDG_STATE_HOME": f"{home}/state",
            "LANG": "C.UTF-8",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "USER": "ada",
        }

    def stubborn(self, seconds: float = 600) -> str:
        return _STUBBORN.format(base=self.open, mark=self.mark, seconds=seconds)

    def scenario(self, **roles: Any) -> None:
        """Roles with underscores for dashes; everybody else behaves well."""
        agents = {
            role.replace("_", "-"): [{"behave": "well", **call}] for role, call in roles.items()
        }
        (self.project.parent / "scenario.json").write_text(json.dumps({"agents": agents}))

    def words(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "podium", *words]

    def spawn(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.words(*words),
            cwd=self.project,
            env=self.environ,
            text=True,
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def podium(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.words(*words),
            cwd=self.project,
            env=self.environ,
            text=True,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=PATIENCE_S,
        )

    def run_words(self, *more: str, task: str = TASK) -> tuple[str, ...]:
        return (
            "run",
            "harness",
            task,
            "--agent",
            "scripted:../scenario.json",
            "--set",
            "retry_backoff_s=0",
            *more,
        )

    def start(self, *more: str) -> subprocess.Popen[str]:
        return self.spawn(*self.run_words("--run-id", "R1", *more))

    def resumed(self) -> subprocess.CompletedProcess[str]:
        """As a person does: as long as the agents of the dead one are being ended, it says so."""
        deadline = time.monotonic() + PATIENCE_S
        while (
            done := self.podium("resume", "R1")
        ).returncode == 40 and time.monotonic() < deadline:
            time.sleep(0.1)
        return done

    # -- looking

    def met(self) -> bool:
        return (self.open / "met").exists()

    def alive(self) -> list[tuple[int, str, int]]:
        return [
            each
            for each in processes()
            if f"stubborn-{self.mark}" in each[1] and "shim.py" not in each[1]
        ]

    def grows(self) -> bool:
        before = (self.open / "grows").stat().st_size
        time.sleep(0.3)
        return (self.open / "grows").stat().st_size != before

    def shims(self, engine: int) -> list[int]:
        return [
            pid for pid, words, parent in processes() if parent == engine and "shim.py" in words
        ]

    def events(self, type: str = "", run: str = "R1") -> list[dict[str, Any]]:
        lines = (self.project / ".podium" / "runs" / run / "journal.jsonl").read_text().splitlines()
        return [each for line in lines if not type or (each := json.loads(line))["type"] == type]

    def status(self, run: str = "R1") -> str:
        said: str = json.loads(self.podium("status", run, "--json").stdout)["status"]
        return said

    def views(self) -> list[Path]:
        """What is left of agents' folders; the layers below them stay for the next run."""
        views = self.base / "home" / "state" / "podium" / "views"
        homes = [each for each in views.glob("*/*") if each.name != "frozen"]
        return [*homes, *views.glob("*/frozen/.new-*")]

    def clear(self) -> None:
        """Whatever a failed test left must not write on for ever."""
        for pid, _, _ in self.alive():
            os.kill(pid, signal.SIGKILL)
