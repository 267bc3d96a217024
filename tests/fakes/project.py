"""A scaffolded project in a temporary folder, driven in process: quick to make, real files, real
git.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.fakes.repository import Kind, begin, copied, made

from podium.cli.scaffold import Written, copy
from podium.engine.outcome import Ended
from podium.formats.markdown_fields import read_field
from podium.wiring import App, Parts
from podium.wiring_values import RunOptions, Summary

TASK = "harness/tasks/T001-sample.md"
STATE = "harness/run-state.md"
REPORT = "harness/runs/T001-run-report.md"
SPEC = "harness/artifacts/specs/T001-feature-spec.md"
DESIGN = "harness/artifacts/design/T001-design-note.md"
PLAN = "harness/artifacts/plans/T001-implementation-plan.md"
QA = "harness/artifacts/qa/T001-qa-review.md"
WELL: dict[str, Any] = {"behave": "well"}
NO_GATES = {"require_approval_before_build": False, "require_approval_before_complete": False}

_FILES = {
    "src/app.py": "VALUE = 1\n",
    "src/old.py": "OLD = True\n",
    ".gitignore": "*.log\nbuild/\n",
    "tests.sh": "if grep -q broken src/*.py; then echo 'FAILED src: broken'; exit 1; fi\n",
    "podium.toml": '[commands]\ntest = "sh tests.sh"\n',
}


@dataclass
class Clock:
    """Every look is one second later; `skip` lets time pass."""

    now: datetime = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now

    def skip(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


def make(folder: Path, kind: Kind = "repository") -> Path:
    """The files of a small project with a harness in it."""

    def begun(root: Path) -> None:
        made(root, _FILES, "plain")
        copy("harness", root, Written(), force=False)
        begin(root, kind)

    return copied(folder, f"harness, {kind}", begun)


def by_hand(root: Path, command: str, pipes: Path | None = None) -> str:
    """What runs so that a person, at that moment, types the command in this project. `pipes`: a
    folder that whoever runs it may use, if not the one around the project.
    """
    pipes = pipes or root.parent
    name = f"hand-{sum(1 for _ in pipes.glob('hand-*.ask'))}"
    ask, answer = (pipes / f"{name}.{end}" for end in ("ask", "answer"))
    for pipe in (ask, answer):
        os.mkfifo(pipe)

    def person() -> None:
        with suppress(FileNotFoundError):  # the test is over
            while ask.read_bytes():
                subprocess.run(["/bin/sh", "-c", command], cwd=root, check=False)
                answer.write_bytes(b"done")

    threading.Thread(target=person, daemon=True).start()
    return f"echo > {shlex.quote(str(ask))}; cat {shlex.quote(str(answer))}"


@dataclass
class Project:
    """One project and the one run in it."""

    root: Path
    home: Path
    clock: Clock = field(default_factory=Clock)
    run_id: str = "T001-0001"
    ask: Any = None
    variables: dict[str, str] = field(default_factory=dict)
    """More of the person's environment."""

    @classmethod
    def at(cls, tmp_path: Path, kind: Kind = "repository") -> Project:
        home = tmp_path / "home"
        home.mkdir(exist_ok=True)
        return cls(make(tmp_path / "project", kind), home)

    @property
    def environ(self) -> dict[str, str]:
        own = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "XDG_STATE_HOME": str(self.home / "state"),
        }
        return {**own, **self.variables}

    @property
    def app(self) -> App:
        """A new process, as it were."""
        parts = Parts(
            environ=self.environ,
            clock=self.clock,
            token=lambda: "0001",
            cwd=self.root,
            ask=self.ask,
        )
        return App(self.root, parts=parts)

    # -- driving

    def scenario(self, agents: Mapping[str, Any] | None = None, **more: Any) -> str:
        """The `--agent` of a scenario with these calls; everybody else behaves well."""
        file = self.root.parent / "scenario.yaml"
        file.write_text(json.dumps({"agents": agents or {}, **more}))
        return f"scripted:{file}"

    def run(
        self,
        agents: Mapping[str, Any] | None = None,
        *,
        policy: Mapping[str, Any] | None = None,
        more: Mapping[str, Any] | None = None,
        task: str = TASK,
        **options: Any,
    ) -> Ended:
        told = {"retry_backoff_s": 0.0, **(policy or {})}
        agent = options.pop("agent", None) or self.scenario(agents, **(more or {}))
        ended = self.app.start("harness", [task], RunOptions(agent=agent, policy=told, **options))
        self.run_id = ended.run
        return ended

    def through(self, agents: Mapping[str, Any] | None = None, **options: Any) -> Ended:
        """A run in which no person is asked."""
        policy = {**NO_GATES, **options.pop("policy", {})}
        return self.run(agents, policy=policy, **options)

    def resume(self, **options: Any) -> Ended:
        return self.app.resume(self.run_id, RunOptions(**options))

    def approve(self, gate: str = "", note: str = "", by: str = "Ada") -> Summary:
        return self.app.approve(self.run_id, gate=gate, note=note, by=by)

    def reject(self, to: str = "", note: str = "", gate: str = "") -> Summary:
        return self.app.reject(self.run_id, gate=gate, note=note, to=to, by="Ada")

    def answer(self, *, choice: str = "", text: str = "", gate: str = "") -> Summary:
        return self.app.answer(self.run_id, gate=gate, choice=choice, text=text, note="", by="Ada")

    def rewind(self, to: str, *, restore_code: bool = False) -> list[str]:
        return self.app.rewind(self.run_id, to, restore_code=restore_code, by="Ada")[1]

    def by_hand(self, command: str) -> str:
        """What an agent runs so that a person, at that moment, types the command: an agent's own
        commands see only its view.
        """
        return by_hand(self.root, command)

    # -- looking

    @property
    def folder(self) -> Path:
        return self.root / ".podium" / "runs" / self.run_id

    def events(self, type: str = "", **fields: Any) -> list[Mapping[str, Any]]:
        """The journal's events of that type with these values; the chain is checked on the way."""
        found = [each for each in self.app.events(self.run_id) if not type or each["type"] == type]
        return [
            each for each in found if all(each.get(name) == value for name, value in fields.items())
        ]

    def event(self, type: str, **fields: Any) -> Mapping[str, Any]:
        found = self.events(type, **fields)
        assert len(found) == 1, f"{len(found)} events {type} {fields} in {self.types()}"
        return found[0]

    def types(self) -> list[str]:
        return [each["type"] for each in self.events()]

    def started(self, type: str = "step.started") -> list[str]:
        return [each["key"] for each in self.events(type)]

    def done(self) -> list[str]:
        """Keys of steps that finished well."""
        return [each["key"] for each in self.events("step.finished", outcome="ok")]

    def path(self, path: str) -> Path:
        return self.root / path

    def text(self, path: str) -> str:
        return (self.root / path).read_text(encoding="utf-8")

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")

    def edit(self, path: str, old: str, new: str) -> None:
        text = self.text(path)
        assert old in text, f"{path} does not hold {old!r}"
        self.write(path, text.replace(old, new, 1))

    def state(self, key: str) -> str | None:
        """A value of run-state.md."""
        for section in ("Task", "Execution State", "Artifact Paths", "Approval Mode"):
            if (found := read_field(self.text(STATE), section, key)) is not None:
                return found
        return None

    def report(self, key: str) -> str | None:
        for section in ("Task", "Run", "Stop / Pause State"):
            if (found := read_field(self.text(REPORT), section, key)) is not None:
                return found
        return None

    def step(self, key: str, name: str) -> Path:
        return self.folder / "steps" / key / name

    def prompt(self, key: str) -> str:
        return self.step(key, "prompt.md").read_text(encoding="utf-8")

    def said(self, key: str) -> str:
        return self.step(key, "output.md").read_text(encoding="utf-8")

    def transcript(self, key: str, kind: str = "") -> list[dict[str, Any]]:
        lines = self.step(key, "transcript.jsonl").read_text(encoding="utf-8").splitlines()
        return [each for line in lines if not kind or (each := json.loads(line))["kind"] == kind]

    def printed(self, key: str) -> list[str]:
        """The lines of the first command that the agent of that step ran."""
        return str(self.transcript(key, "run")[0]["output"]).splitlines()

    def snapshot(self, *outside: str) -> dict[str, bytes]:
        """Every file of the project but git's and the run's own, byte for byte."""
        left_out = (".git/objects", ".git/logs", ".git/index", ".podium", *outside)
        found: dict[str, bytes] = {}
        for path in sorted(self.root.rglob("*")):
            name = path.relative_to(self.root).as_posix()
            if path.is_file() and not path.is_symlink() and not name.startswith(left_out):
                found[name] = path.read_bytes()
        return found

    def holds(self, secret: bytes) -> list[str]:
        """Files below the project, the run's own included, that hold these bytes."""
        every = [each for each in self.root.rglob("*") if each.is_file() and not each.is_symlink()]
        return [str(each) for each in every if secret in each.read_bytes()]


def sequence(*calls: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    return list(calls)


Make = Callable[..., Project]
