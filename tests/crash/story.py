"""One whole `harness` run as a list of commands, on a small project, with an oracle outside of it.

QA sends the task back once, both gates are decided, Build changes code in a real git repository and a real
test command proves it. Clock, ids and agents are deterministic, so two runs of the story differ in nothing.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from podium.agents.protocol import Agent, Answer, Job
from podium.agents.scenario_file import load as load_scenario
from podium.agents.scripted import ScriptedAgent
from podium.cli.commands.init import SAMPLE, set_up
from podium.cli.detect import Guess
from podium.engine.outcome import Ended
from podium.state.disk import Disk
from podium.wiring import App, Parts, RunOptions

RUN = "T001-story"
NOON = datetime(2026, 1, 15, 12, 0, tzinfo=UTC)
MET = {f"AC{number}": "Pass" for number in range(1, 7)}
FOUND = {
    "result": "Issues Found",
    "readiness": "Back to Build",
    "criteria": {**MET, "AC2": "Fail"},
    "issues": [{"description": "An empty text counts as one word", "severity": "High", "blocks": True}],
}


def _built(code: str, summary: str) -> dict[str, Any]:
    return {
        "write": {"src/words.py": code},
        "delete": ["src/old.py"],
        "verdict": {"status": "done", "summary": summary},
        "say": summary,
    }


SCENARIO: dict[str, Any] = {
    "agents": {
        "build": [
            _built("def count_words(text):\n    return len(text.split(' '))\n", "Added count_words"),
            _built("def count_words(text):\n    return len(text.split())\n", "Mended count_words"),
        ],
        "qa": [
            {"behave": "well", "write": {"@qa": {"template": "qa", **FOUND}}, "verdict": FOUND},
            {"behave": "well"},
        ],
    },
    "defaults": {"behave": "well"},
}


class Counted:
    """An agent that leaves a line in a file outside the project whenever it is asked."""

    def __init__(self, inner: Agent, oracle: Path) -> None:
        self.inner, self.oracle = inner, oracle
        self.name = inner.name

    async def perform(self, job: Job) -> Answer:
        handle = os.open(self.oracle, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        os.write(handle, f"{job.brief.key} attempt {job.attempt} call {job.call}\n".encode())
        os.close(handle)
        return await self.inner.perform(job)


@dataclass(frozen=True)
class Place:
    """Where one copy of the story happens. All copies of one place have the same paths, one after the other."""

    root: Path
    scenario: Mapping[str, Any] = field(default_factory=lambda: SCENARIO)

    @property
    def project(self) -> Path:
        return self.root / "here" / "project"

    @property
    def oracle(self) -> Path:
        return self.root / "here" / "oracle"

    @property
    def views(self) -> Path:
        return self.root / "here" / "state" / "podium" / "views"

    def make(self, test: str = "test -f src/words.py || test ! -f src/broken.py") -> None:
        (self.project / "src").mkdir(parents=True)
        (self.project / "src" / "old.py").write_text("OLD = 1\n")
        (self.project / "scenario.json").write_text(json.dumps(self.scenario))
        set_up(self.project, ["harness"], [], [Guess("test", test, "of the story")], force=False)
        who = ["-c", "user.name=T", "-c", "user.email=t@localhost", "-c", "commit.gpgsign=false"]
        env = {**os.environ, "GIT_AUTHOR_DATE": NOON.isoformat(), "GIT_COMMITTER_DATE": NOON.isoformat()}
        for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "A project"]):
            subprocess.run(["git", *who, *words], cwd=self.project, env=env, check=True)

    def keep(self, name: str) -> None:
        shutil.copytree(self.root / "here", self.root / name, symlinks=True)

    def bring_back(self, name: str) -> None:
        shutil.rmtree(self.root / "here", ignore_errors=True)
        shutil.copytree(self.root / name, self.root / "here", symlinks=True)

    def app(self, disk: Disk | None = None) -> App:
        agent = ScriptedAgent(load_scenario(self.project / "scenario.json"), self.project)
        environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.root / "here"),
            "XDG_STATE_HOME": str(self.root / "here" / "state"),
        }
        return App(
            self.project,
            None,
            Parts(
                environ,
                clock=lambda: NOON,
                disk=disk or Disk(),
                token=lambda: "story",
                agents=lambda _: Counted(agent, self.oracle),
                cwd=self.project,
            ),
        )

    def asked(self) -> list[str]:
        return self.oracle.read_text().splitlines() if self.oracle.exists() else []

    def journal(self) -> bytes:
        path = self.project / ".podium" / "runs" / RUN / "journal.jsonl"
        return path.read_bytes() if path.exists() else b""


def start(app: App) -> Ended:
    return app.start("harness", [SAMPLE], RunOptions(agent="scripted:scenario.json"))
