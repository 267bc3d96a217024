"""One whole `harness` run as a list of commands, on a small project, with an oracle outside of it.

QA sends the task back once, both gates are decided, Build changes and deletes code in a real git
repository and a command proves it. Clock, ids and agents are deterministic: two tellings of the
story differ in nothing.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import re
import shutil
import stat
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from podium.agents.protocol import Agent, Answer, Job
from podium.agents.scenario_file import load as load_scenario
from podium.agents.scripted import ScriptedAgent
from podium.cli.detect import Guess
from podium.cli.scaffold import set_up
from podium.core.errors import UsageError
from podium.engine import commands
from podium.engine.attempts import attempt
from podium.engine.scribe import Scribe
from podium.engine.views.layers import OPAQUE, is_opaque, is_whiteout
from podium.state.disk import Disk
from podium.wiring import App, Parts
from podium.wiring_values import RunOptions
from podium.workflows.harness.entry import ENTRY

RUN = "T001-story"
NOON = datetime(2026, 1, 15, 12, 0, tzinfo=UTC)
MET = {f"AC{number}": "Pass" for number in range(1, 7)}
FOUND = {
    "result": "Issues Found",
    "readiness": "Back to Build",
    "criteria": {**MET, "AC2": "Fail"},
    "issues": [
        {"description": "An empty text counts as one word", "severity": "High", "blocks": True}
    ],
}


def built(code: str, summary: str) -> dict[str, Any]:
    return {
        "write": {"src/words.py": code},
        "delete": ["src/old.py"],
        "verdict": {"status": "done", "summary": summary},
        "say": summary,
    }


SCENARIO: dict[str, Any] = {
    "agents": {
        "build": [
            built("def count_words(text):\n    return len(text.split(' '))\n", "Added count_words"),
            built("def count_words(text):\n    return len(text.split())\n", "Mended count_words"),
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

    actor = ScriptedAgent.actor

    def __init__(self, inner: Agent, oracle: Path) -> None:
        self.inner, self.oracle = inner, oracle
        self.name = inner.name

    async def perform(self, job: Job) -> Answer:
        handle = os.open(self.oracle, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        os.write(handle, f"{job.brief.key} attempt {job.attempt} call {job.call}\n".encode())
        os.close(handle)
        return await self.inner.perform(job)


@lru_cache
def _agent(scenario: str, project: Path) -> ScriptedAgent:
    """Read once: it has no memory, and reading a scenario takes longer than many a command."""
    assert (project / "scenario.json").read_text() == scenario
    return ScriptedAgent(load_scenario(project / "scenario.json"), project)


@dataclass(frozen=True)
class Place:
    """Where the story happens, again and again under the same paths."""

    root: Path
    scenario: Mapping[str, Any] = field(default_factory=lambda: SCENARIO)
    test: str = "test -f src/words.py"

    @property
    def here(self) -> Path:
        return self.root / "here"

    @property
    def project(self) -> Path:
        return self.here / "project"

    @property
    def oracle(self) -> Path:
        return self.here / "oracle"

    @property
    def views(self) -> Path:
        return self.here / "state" / "podium" / "views"

    @property
    def left(self) -> list[Path]:
        """What is left of views, or unfinished of the layers that are kept for later ones."""
        homes = [each for each in self.views.glob("*/*") if each.name not in {"frozen", "brought"}]
        return [*homes, *self.views.glob("*/*/**/.new-*")]

    @property
    def run(self) -> Path:
        return self.project / ".podium" / "runs" / RUN

    def make(self) -> None:
        (self.project / "src").mkdir(parents=True)
        (self.project / "src" / "old.py").write_text("OLD = 1\n")
        (self.project / "scenario.json").write_text(json.dumps(self.scenario))
        set_up(
            self.project, ["harness"], [], [Guess("test", self.test, "of the story")], force=False
        )
        shutil.rmtree(self.project / ".podium")  # the first run makes it, and may die while it does
        for words in (
            ["init", "-q", "-b", "main", "--template="],
            ["add", "-A"],
            ["commit", "-q", "-m", "A project"],
        ):
            self.git(*words)

    def git(self, *words: str) -> str:
        who = ["-c", "user.name=T", "-c", "user.email=t@localhost", "-c", "commit.gpgsign=false"]
        dates = {"GIT_AUTHOR_DATE": NOON.isoformat(), "GIT_COMMITTER_DATE": NOON.isoformat()}
        return subprocess.run(
            ["git", *who, *words],
            cwd=self.project,
            env={**os.environ, **dates},
            check=True,
            capture_output=True,
            text=True,
        ).stdout

    def kept(self, shared: dict[bytes, bytes]) -> Snapshot:
        """Everything here, in memory; the same content is kept once.

        A git at work outlives a killed engine and ends what it began: its locks are waited for. A
        program in a view may take away a file that was just listed: it is looked again.
        """
        for _ in range(2000):
            with suppress(FileNotFoundError):
                found = tree(self.here, ())
                if not any(
                    name.startswith("project/.git/") and name.endswith(".lock") for name, _ in found
                ):
                    return tuple((name, shared.setdefault(data, data)) for name, data in found)
            time.sleep(0.002)
        raise AssertionError("git left a lock")

    def bring_back(self, snapshot: Snapshot) -> None:
        """Only what differs is made anew."""
        there = dict(tree(self.here, ())) if self.here.is_dir() else {}
        wanted = dict(snapshot)
        # From the inside outwards: a folder that has to go is empty by then.
        for name in sorted(
            (name for name, data in there.items() if wanted.get(name) != data), reverse=True
        ):
            path = os.path.join(self.here, name)
            if name.endswith(_OVERLAYS_OWN):
                shutil.rmtree(path)
            elif not name.endswith("/"):
                os.unlink(path)
            elif name not in wanted:
                os.rmdir(path)
            elif there[name] == _OPAQUE:
                os.removexattr(path, OPAQUE)
        for name, data in snapshot:
            if there.get(name) == data:
                continue
            path = os.path.join(self.here, name)
            os.makedirs(path if name.endswith("/") else os.path.dirname(path), exist_ok=True)
            if data.startswith(b"-> "):
                os.symlink(os.fsdecode(data[3:]), path)
            elif data == _WHITEOUT:
                os.mknod(path, stat.S_IFCHR)
            elif data == _OPAQUE:
                os.setxattr(path, OPAQUE, b"y")
            elif not name.endswith("/"):
                mode, _, content = data.partition(b"\n")
                with open(path, "wb") as file:
                    file.write(content)
                os.chmod(path, int(mode, 8))

    def app(self, disk: Disk | None = None) -> App:
        agent = _agent(json.dumps(self.scenario), self.project)
        environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.here),
            "XDG_STATE_HOME": str(self.here / "state"),
        }
        parts = Parts(
            environ,
            clock=lambda: NOON,
            disk=disk or Disk(),
            token=lambda: "story",
            agents=lambda _: Counted(agent, self.oracle),
            cwd=self.project,
        )
        return App(self.project, None, parts)

    # -- what is to be seen from outside

    def asked(self) -> list[str]:
        return self.oracle.read_text().splitlines() if self.oracle.exists() else []

    def journal(self) -> bytes:
        path = self.run / "journal.jsonl"
        return path.read_bytes() if path.exists() else b""

    def finished(self) -> list[str]:
        """Keys of the steps whose end is whole in the journal."""
        lines = self.journal().split(b"\n")[:-1]
        events = [json.loads(line) for line in lines]
        return [each["key"] for each in events if each["type"] == "step.finished"]

    def state(self) -> dict[str, Any]:
        path = self.run / "state.json"
        found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
        found.pop("seq", None)
        return found

    def files(self) -> dict[str, bytes]:
        """The project without its git and Podium folders."""
        return dict(tree(self.project, (".git", ".podium")))

    def repository(self) -> dict[str, Any]:
        """What a person sees of git. Nothing here packs refs: each is a file."""
        assert not (self.project / ".git" / "packed-refs").exists()
        return {
            "refs": {
                name: data
                for name, data in tree(self.project / ".git" / "refs", ())
                if not name.endswith("/")
            },
            "head": (self.project / ".git" / "HEAD").read_text(),
            "index": self.git("ls-files", "--stage"),
        }

    def visible(self) -> dict[str, Any]:
        """Where the run stands, every file of the project, and what a person sees of git."""
        return {**self.state(), **self.files(), **self.repository()}


Snapshot = tuple[tuple[str, bytes], ...]


_OVERLAYS_OWN = "/work/work/"
"""Where the kernel prepares what it writes into a layer: nothing is in it that anybody reads."""
_WHITEOUT, _OPAQUE = b"whiteout", b"opaque"
_NUMBERED = re.compile(r"(tmp|new)-\d+-\d+\0")


def fingerprint(snapshot: Snapshot) -> str:
    """Which bytes are there. What differs by process number or wall clock only does not count."""
    whole = hashlib.sha256()
    for name, data in snapshot:
        if name.startswith(("project/.git/logs/", "project/.git/index")) or name.endswith("/lock"):
            continue
        shown = name if name.endswith("/index") else f"{name}\0{_digest(data)}"
        whole.update(_NUMBERED.sub(r"\1\0", shown).encode() + b"\n")
    return whole.hexdigest()


@lru_cache(maxsize=20_000)
def _digest(data: bytes) -> str:
    """Most files are the same from one look to the next."""
    return hashlib.sha256(data).hexdigest()


def tree(top: Path, without: Iterable[str]) -> list[tuple[str, bytes]]:
    """Every file below, by its path: mode, then content or link."""
    found: list[tuple[str, bytes]] = []
    _gather(str(top), "", frozenset(without), found)
    return sorted(found)


def _gather(
    folder: str, inner: str, without: frozenset[str], found: list[tuple[str, bytes]]
) -> None:
    """Read plainly, because this is done at every operation of a run."""
    with os.scandir(folder) as entries:
        listed = [
            (entry.name, entry.is_symlink(), entry.is_dir(follow_symlinks=False), entry.path)
            for entry in entries
        ]
    for name, link, is_folder, path in listed:
        if is_folder and name in without:
            continue
        if is_folder:
            shown = f"{inner}{name}/"
            found.append((shown, _OPAQUE if is_opaque(path) else b""))
            if not shown.endswith(_OVERLAYS_OWN):
                _gather(path, shown, frozenset(), found)
        elif link:
            found.append((f"{inner}{name}", b"-> " + os.fsencode(os.readlink(path))))
        elif inner[:-3].endswith(".git/objects/"):
            # Its name says what is in it: looked at, but for the first time not read.
            seen = (name, os.stat(path).st_size)
            found.append(
                (f"{inner}{name}", _objects.get(seen) or _objects.setdefault(seen, _read(path)))
            )
        elif is_whiteout(os.lstat(path)):
            found.append((f"{inner}{name}", _WHITEOUT))
        else:
            found.append((f"{inner}{name}", _read(path)))


_objects: dict[tuple[str, int], bytes] = {}


def _read(path: str) -> bytes:
    file = os.open(path, os.O_RDONLY)
    facts = os.fstat(file)
    data = os.read(file, facts.st_size + 1)
    os.close(file)
    return b"%o\n" % (facts.st_mode & 0o777) + data


# -- the story


def begin(app: App) -> None:
    app.start("harness", [ENTRY.example], RunOptions(agent="scripted:scenario.json"))


def approve(app: App) -> None:
    app.approve(RUN, gate="", note="seen", by="me")


def reject(app: App) -> None:
    app.reject(RUN, gate="", to="Design", note="not like this", by="me")


def resume(app: App) -> None:
    app.resume(RUN, RunOptions())


def rewind(app: App) -> None:
    app.rewind(RUN, "build", restore_code=True, by="me")


def cancel(app: App) -> None:
    app.cancel(RUN, "no longer wanted", "me")


Command = Callable[[App], object]


@dataclass(frozen=True)
class Tale:
    name: str
    commands: tuple[Command, ...]
    deadly_from: int = 0
    """The first command that is killed."""
    scenario: Mapping[str, Any] = field(default_factory=lambda: SCENARIO)
    rests: bool = False
    """Whether it ends with a run that has not ended."""
    lazy: bool = True
    """Whether what is written beside the loop is written as late as possible, or at once."""


STORY = Tale("story", (begin, approve, resume, approve, resume))
REWOUND = Tale("rewound", (begin, approve, resume, rewind, resume, approve, resume), 3, lazy=False)
REJECTED = Tale("rejected", (begin, approve, resume, reject, resume), 3, rests=True, lazy=False)
CANCELLED = Tale("cancelled", (begin, approve, cancel), 2, lazy=False)
BLOCKED = Tale(
    "blocked",
    (begin,),
    scenario={"agents": {"po-spec": [{"say": "DONE: written"}]}, "defaults": {"behave": "well"}},
    rests=True,
)


def again(place: Place, command: Command) -> bool:
    """What a person does after a death: look, and give the command again; False where it was
    done already.
    """
    app = place.app()
    if command is begin and (place.run / "journal.jsonl").exists():
        resume(app)
        return True
    if command is rewind and app.summary(RUN).step == "build":
        return False
    try:
        command(app)
    except UsageError as fault:
        done: dict[Command, tuple[str, ...]] = {
            approve: ("already been decided", "no open gate"),
            reject: ("already been decided", "no open gate"),
            cancel: ("has already ended",),
        }
        if not any(words in str(fault) for words in done.get(command, ())):
            raise
    return True


async def _here(work: Callable[..., Any], *given: Any, **named: Any) -> Any:
    return work(*given, **named)


@contextmanager
def in_turn() -> Iterator[None]:
    """No clock of the machine's: how long something took goes into the journal, and here everything
    takes no time. And no threads: a look at the folder from beside one would find what no death
    leaves.
    """
    with pytest.MonkeyPatch.context() as patch:
        for module in (attempt, commands):
            patch.setattr(module, "time", SimpleNamespace(monotonic=lambda: 0.0))
        patch.setattr(asyncio, "to_thread", _here)
        yield


@contextmanager
def scribes(*, lazy: bool) -> Iterator[None]:
    """The thread that writes beside the loop is as slow, or as fast, as it can be; either way
    the same each time.
    """
    todo: list[Callable[[], None]] = []

    def flush(_: Scribe) -> None:
        while todo:
            todo.pop(0)()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Scribe, "do", lambda _, work: todo.append(work) if lazy else work())
        patch.setattr(Scribe, "flush", flush)
        yield
