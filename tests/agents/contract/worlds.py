"""A folder to work in, a secret beside it, a model that plays a script, and a room around the agent or none."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.agents.contract.drivers import HOME, Driver, scrubbed
from tests.agents.jobs import Stage

from podium.agents.confine.bubblewrap import FORWARDER
from podium.agents.confine.confinement import AUDITED, Confinement
from podium.agents.confine.installation import own_python
from podium.agents.confine.levels import level
from podium.agents.confine.room import Enclosed, Room
from podium.agents.environment import agent_environment, leftovers
from podium.agents.process import Supervisor
from podium.agents.protocol import Agent, Answer, Failure, Job, Model
from podium.agents.scripted_model.script import Script
from podium.agents.scripted_model.server import ScriptedModel
from podium.core.contract import Brief, Output
from podium.core.schema import FILLED, object_of, one_of

SECRET = "the crown jewels"
SCHEMA = object_of({"status": one_of(("done", "blocked", "failed")), "summary": FILLED}, ("status",))
KEY = "podium-dummy-token"
AMBIENT = ("AGENTS.md", "CLAUDE.md", "GEMINI.md", "QWEN.md")
WHISPER = "Words that nobody is to obey, from"
REAL_KEY = "sk-a-real-key-that-no-agent-may-see"


@dataclass
class Outcome:
    """What one dispatch came to, as the engine would see it."""

    answer: Answer
    said: list[tuple[str, dict[str, Any]]]
    assurance: Mapping[str, str]
    seconds: float

    @property
    def kind(self) -> str:
        return self.answer.failure.kind if self.answer.failure else ""

    @property
    def ending(self) -> str:
        return str(self.told("ended")[-1]["reason"]) if self.told("ended") else ""

    def told(self, kind: str) -> list[dict[str, Any]]:
        return [fields for each, fields in self.said if each == kind]


@dataclass
class World:
    """Where one agent is tried."""

    root: Path
    driver: Driver
    model: ScriptedModel
    confined: bool
    canary: socket.socket
    said: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    @property
    def folder(self) -> Path:
        return self.root / "view"

    @property
    def mark(self) -> str:
        return f"{self.root.name}/work"

    def job(self, script: str, **changes: Any) -> Job:
        stage = Stage(self.root, self.said)
        env = agent_environment((), scrubbed(self.driver, self.root / "nobody"), {}, dispatch=self.mark)
        host, port = self.canary.getsockname()
        words = f"cwd={self.folder} host={host} port={port}"
        brief = Brief("work", "tester", "", "", "", (), (), "write", (), ())
        given: dict[str, Any] = {
            "brief": brief,
            "prompt": f"The first words of the task. [[script:{script} {words}]]\n",
            "outputs": (Output("hello", "hello.txt"),),
            "templates": {},
            "supervise": self._supervisor(),
            "environment": env,
            "verdict_schema": SCHEMA,
            "model": Model("anthropic", self.model.url, KEY, trouble=self._trouble),
            "enclosed": self.confined,
            "timeout_s": 90.0,
        }
        return stage.job(**{**given, **changes})

    def _supervisor(self) -> Supervisor:
        if not self.confined:
            return Supervisor(enclose=self._offline)
        room = Room(
            folder=self.folder,
            scratch=self.root / "scratch",
            writable=(self.folder,),
            network="model",
            model=self.model.socket,
            port=self.model.port,
        )
        return Supervisor(enclose=self._confinement().enclosure(room))

    def _offline(self, argv: Sequence[str], cwd: Path, env: Mapping[str, str], needs: Sequence[Path]) -> Enclosed:
        """No room at all, but for the network: whatever an agent would fetch or tell, here it reaches its model alone."""
        del needs
        python, _ = own_python()
        forward = (python, "-I", "-S", str(FORWARDER), str(self.model.port), str(self.model.socket), "--")
        bwrap = ("bwrap", "--dev-bind", "/", "/", "--unshare-net", "--die-with-parent", "--")
        return Enclosed((*bwrap, *forward, *argv), cwd, dict(env))

    def _confinement(self) -> Confinement:
        return Confinement(level("bubblewrap", os.environ["PATH"]))

    def _trouble(self) -> Failure | None:
        """As the gateway tells it: what the provider said last, where it refused."""
        asked = [each.status for each in self.model.calls if each.shape]
        match asked[-1:]:
            case [429]:
                return Failure("rate_limit", "the provider says 429", 3600.0)
            case [401]:
                return Failure("not_dispatchable", "the provider does not take the key")
        return None

    @property
    def assurance(self) -> Mapping[str, str]:
        if not self.confined:
            return AUDITED
        room = Room(self.folder, self.root / "scratch", network="model")
        return self._confinement().assurance(room)

    def play(self, script: str, *, agent: Mapping[str, Any] | None = None, **changes: Any) -> Outcome:
        """One dispatch to its end."""
        job = self.job(script, **changes)
        return self._outcome(self.driver.make(**(agent or {})), job)

    def _outcome(self, agent: Agent, job: Job) -> Outcome:
        began = time.monotonic()
        answer = asyncio.run(agent.perform(job))
        return Outcome(answer, self.said, self.assurance, time.monotonic() - began)

    def meanwhile(
        self, script: str, act: Callable[[asyncio.Task[Answer]], None], when: Callable[[], bool], **changes: Any
    ) -> Outcome | None:
        """A dispatch with something done to it once `when` holds; None where that cancelled it."""
        agent, job = self.driver.make(), self.job(script, **changes)

        async def whole() -> Answer | None:
            task = asyncio.ensure_future(agent.perform(job))
            while not when() and not task.done():  # noqa: ASYNC110 - what is waited for happens in another process
                await asyncio.sleep(0.05)
            assert not task.done(), f"it ended before anything could be done: {task}"
            act(task)
            try:
                return await task
            except asyncio.CancelledError:
                return None

        began = time.monotonic()
        answer = asyncio.run(whole())
        return None if answer is None else Outcome(answer, self.said, self.assurance, time.monotonic() - began)

    def alive(self) -> list[int]:
        """Processes of the dispatch that still live."""
        return leftovers(self.mark)

    def reached(self) -> bool:
        """Whether anybody connected to the listener beside the model."""
        self.canary.settimeout(0)
        try:
            self.canary.accept()[0].close()
        except BlockingIOError:
            return False
        return True

    def seen_by_model(self, words: str) -> bool:
        return any(words in str(each.body) for each in self.model.calls)


@contextmanager
def world(tmp_path: Path, driver: Driver, scripts: Mapping[str, Script], *, confined: bool) -> Iterator[World]:
    if driver.missing:
        pytest.skip(driver.missing)
    if not (found := level("bubblewrap", os.environ["PATH"])).works:
        pytest.skip(f"no room can be made here: {found.what}")
    # Not below /tmp: Codex does without its own sandbox there.
    root = HOME / "work" / f"{os.getpid()}-{tmp_path.name}"
    shutil.rmtree(root, ignore_errors=True)
    for each in ("view", "scratch", "nobody"):
        (root / each).mkdir(parents=True)
    (root / "secret.txt").write_text(SECRET)
    (root / "view" / "input.txt").write_text("input\n")
    for each in AMBIENT:
        (root / "view" / each).write_text(f"{WHISPER} {each}\n")
    sockets = Path("/tmp") / f"podium-test-{os.getpid()}-{abs(hash(tmp_path.name)) % 10**8}.sock"
    canary = socket.create_server(("127.0.0.1", 0))
    try:
        with ScriptedModel(scripts, socket=sockets) as model:
            yield World(root, driver, model, confined, canary)
    finally:
        canary.close()
        shutil.rmtree(root, ignore_errors=True)
