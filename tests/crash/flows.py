"""Small workflows on the real engine: a cluster, child runs, checks, gates; an agent that
counts; an app around them.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest
from tests.fakes.project import Clock, by_hand

from podium import wiring, workflow_sources
from podium.agents.protocol import Answer, Job, Usage
from podium.core.contract import Contract, Output
from podium.core.effects import Check, Child, Cluster, FanOut, Gate, Member, Stage
from podium.core.run import DONE, Run
from podium.core.verdict import Judgement
from podium.core.workflow import Step, Workflow, step
from podium.engine.outcome import Ended, Silent
from podium.state.disk import Disk
from podium.wiring import App, Parts
from podium.wiring_values import RunOptions, Summary
from podium.workflows.entry import Entry, Start

RUN = "flow-1"


@contextlib.contextmanager
def quick_folder() -> Iterator[Path]:
    """A temporary folder in memory where there is one: a test that runs a run at every write
    syncs thousands of times.
    """
    memory = Path("/dev/shm")
    found = Path(tempfile.mkdtemp(prefix="podium-flow-", dir=memory if memory.is_dir() else None))
    try:
        yield found
    finally:
        shutil.rmtree(found, ignore_errors=True)


@dataclass(kw_only=True)
class Item(Run):
    ident: str = ""
    """Which item a child run is about."""


def contract(role: str, *paths: str) -> Contract:
    return Contract(
        role=role, outputs=tuple(Output(f"out{at}", path) for at, path in enumerate(paths))
    )


def stage(role: str, *paths: str) -> Stage:
    return Stage(role, lambda _: contract(role, *paths))


def own_stage(role: str) -> Stage:
    """A stage of a child run: its document has the item's name in it."""

    def made(run: Run) -> Contract:
        assert isinstance(run, Item)
        return contract(role, f"docs/{run.ident}-{role}.md")

    return Stage(role, made)


class ItemFlow(Workflow):
    """A child: develop, test."""

    name = "item"
    start = "develop"
    run_type = Item

    @step(own_stage("developer"))
    def develop(self, run: Item, outcome: Literal["ok"]) -> Literal["testing"]:
        return "testing"

    @step(own_stage("tester"), loops=True)
    def testing(self, run: Item, outcome: Literal["ok"]) -> Literal["done"]:
        return "done"


class GatedItem(Workflow):
    """A child with a person in the middle."""

    name = "gated-item"
    start = "develop"
    run_type = Item

    @step(own_stage("developer"), loops=True)
    def develop(self, run: Item, outcome: Literal["ok"]) -> Literal["agree"]:
        return "agree"

    @step(Gate("Ship it?", choices=("approved", "develop"), default_rejection="develop"))
    def agree(
        self, run: Item, outcome: Literal["approved", "develop"]
    ) -> Literal["ship", "develop"]:
        return "ship" if outcome == "approved" else "develop"

    @step(own_stage("shipper"))
    def ship(self, run: Item, outcome: Literal["ok"]) -> Literal["done"]:
        return "done"


def children(*names: str) -> Callable[[Run], Sequence[Child]]:
    return lambda _: [Child(name, {"ident": name}) for name in names]


@dataclass
class Decided:
    """A `decide` that remembers what it was asked."""

    asked: list[dict[str, Any]] = field(default_factory=list)

    def __call__(self, results: Mapping[str, Any]) -> Judgement:
        self.asked.append(dict(results))
        good = [
            each.status == "complete" if isinstance(each, Run) else each.outcome == "ok"
            for each in results.values()
        ]
        return (
            Judgement("ok")
            if all(good)
            else Judgement("fail", reason="not all are well", stop="children")
        )


def bare(child: type[Workflow], *names: str) -> type[Workflow]:
    """Child runs and nothing else."""

    class Bare(Workflow):
        name = "flow"
        start = "item"

        @step(FanOut(child, children(*names), Decided()))
        def item(self, run: Run, outcome: Literal["ok"]) -> Literal["done"]:
            return "done"

    return Bare


def fan(
    child: type[Workflow], *names: str, limit: int = 4, decide: Decided | None = None
) -> type[Workflow]:
    """plan, one child run per name, close."""

    class Fan(Workflow):
        name = "flow"
        start = "plan"

        @step(stage("planner", "docs/plan.md"))
        def plan(self, run: Run, outcome: Literal["ok"]) -> Literal["item"]:
            return "item"

        @step(FanOut(child, children(*names), decide or Decided(), limit=limit))
        def item(self, run: Run, outcome: Literal["ok"]) -> Literal["close"]:
            return "close"

        @step(stage("closer", "docs/close.md"))
        def close(self, run: Run, outcome: Literal["ok"]) -> Literal["done"]:
            return "done"

    return Fan


def clustered(*names: str, limit: int = 4, decide: Decided | None = None) -> type[Workflow]:
    """review by these members, close; members that want another look send it round again."""
    members = tuple(
        Member(name, lambda _, name=name: contract(f"r-{name}", f"docs/{name}.md"))  # type: ignore[misc]
        for name in names
    )

    class Clustered(Workflow):
        name = "flow"
        start = "review"

        @step(Cluster(lambda _: members, decide or Decided(), limit=limit), loops=True)
        def review(self, run: Run, outcome: Literal["ok", "revise"]) -> Literal["close", "review"]:
            return "close" if outcome == "ok" else "review"

        @step(stage("closer", "docs/close.md"))
        def close(self, run: Run, outcome: Literal["ok"]) -> Literal["done"]:
            return "done"

    return Clustered


def chain(*roles: str) -> type[Workflow]:
    """One stage after the other; each writes docs/<role>.md."""
    targets = [*roles[1:], DONE]
    made = {
        role: Step(role, stage(role, f"docs/{role}.md"), lambda *_, to=to: to, ("ok",), (to,))
        for role, to in zip(roles, targets, strict=True)
    }

    class Chain(Workflow):
        name = "flow"
        start = roles[0]
        steps = made

    return Chain


def checked(check: Check) -> type[Workflow]:
    """make, look, close or make again."""

    class Checked(Workflow):
        name = "flow"
        start = "make"

        @step(stage("maker", "docs/made.md"), loops=True)
        def make(self, run: Run, outcome: Literal["ok"]) -> Literal["look"]:
            return "look"

        @step(check, loops=True)
        def look(self, run: Run, outcome: Literal["pass", "revise"]) -> Literal["close", "make"]:
            return "close" if outcome == "pass" else "make"

        @step(stage("closer", "docs/close.md"))
        def close(self, run: Run, outcome: Literal["ok"]) -> Literal["done"]:
            return "done"

    return Checked


Behaviour = Callable[[Job], "Answer | Awaitable[Answer | None] | None"]


class Player:
    """The agent of every role: writes what the contract asks, counts, and does at a key what it
    was told.
    """

    name = "player"
    mounts = False

    def __init__(self, at: Mapping[str, Behaviour] | None = None, *, pause: float = 0.0) -> None:
        self.at = dict(at or {})
        self.pause = pause
        self.asked: list[str] = []
        self.live = 0
        self.most = 0

    async def perform(self, job: Job) -> Answer:
        self.asked.append(job.brief.key)
        self.live += 1
        self.most = max(self.most, self.live)
        try:
            await asyncio.sleep(self.pause)
            for each in job.outputs:
                (job.folder / each.path).write_text(f"{job.brief.key}\n")
            did = self.at[job.brief.key](job) if job.brief.key in self.at else None
            said = await did if isinstance(did, Awaitable) else did
            return said or Answer(text="DONE: written", usage=Usage(10, 5, 0.01))
        finally:
            self.live -= 1


@dataclass
class Flow:
    """One project, one workflow, one run of it."""

    root: Path
    workflow: type[Workflow]
    agent: Player = field(default_factory=Player)
    clock: Clock = field(default_factory=Clock)
    commands: Mapping[str, str] = field(default_factory=dict)
    budget: Mapping[str, Any] = field(default_factory=dict)
    backoff_s: float = 0.0
    apps: list[App] = field(default_factory=list)

    def install(self, patch: pytest.MonkeyPatch) -> Flow:
        """The app knows this workflow, and no other."""
        self.project.mkdir(parents=True, exist_ok=True)
        self.set_commands(**self.commands)
        patch.setattr(workflow_sources, "find", lambda *_: self._entry())
        patch.setattr(wiring, "workflow_entry", lambda _: self._entry())
        patch.setattr(workflow_sources, "entry", lambda _: self._entry())
        patch.setattr(wiring, "scaffold_text", lambda *_: "")
        return self

    def set_commands(self, **commands: str) -> None:
        """The settings, with these commands."""
        self.commands = commands
        lines = [
            "[commands]",
            *(f"{name} = {json.dumps(value)}" for name, value in self.commands.items()),
        ]
        lines += [
            "[budget]",
            *(f"{name} = {json.dumps(value)}" for name, value in self.budget.items()),
        ]
        if self.shared.is_dir():
            lines += ["[isolation]", f"writable = [{json.dumps(os.fspath(self.shared))}]"]
        (self.project / "podium.toml").write_text("\n".join(lines) + "\n")

    def _entry(self) -> Entry:
        def start(*_: Any) -> Start:
            return Start(self.workflow(), {}, {}, "flow", "flow", "docs/state.md")

        return Entry(
            "harness",
            "",
            "",
            start=start,
            sample=lambda *_: self.workflow(),
            remake=lambda *_: self.workflow(),
        )

    @property
    def project(self) -> Path:
        return self.root / "project"

    @property
    def shared(self) -> Path:
        """A folder outside the project that commands may use, once a test needs it."""
        return self.root / "shared"

    @property
    def folder(self) -> Path:
        return self.project / ".podium" / "runs" / RUN

    @property
    def views(self) -> list[str]:
        """What is left of agents' folders."""
        top = self.root / "state" / "podium" / "views"
        return sorted(each.relative_to(top).as_posix() for each in top.glob("*/*"))

    def app(self, disk: Disk | None = None) -> App:
        environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.root),
            "XDG_STATE_HOME": str(self.root / "state"),
            "XDG_CONFIG_HOME": str(self.root / "config"),
        }
        parts = Parts(
            environ,
            clock=self.clock,
            disk=disk or Disk(),
            token=lambda: "1",
            agents=lambda _: self.agent,
            cwd=self.project,
        )
        self.apps.append(App(self.project, Silent(), parts))
        return self.apps[-1]

    def power_cut(self) -> None:
        """The kernel frees the locks of a dead process; here the process lives on."""
        for app in self.apps:
            for held in list(app.journal._held.values()):
                app.journal.close(held.opened)
        self.apps.clear()

    def start(self, disk: Disk | None = None, **options: Any) -> Ended:
        policy = {"retry_backoff_s": self.backoff_s, "step_timeout_s": 60.0}
        return self.app(disk).start("harness", [], RunOptions(agent="x", policy=policy, **options))

    def resume(self, disk: Disk | None = None, **options: Any) -> Ended:
        return self.app(disk).resume(RUN, RunOptions(**options))

    def go(self, disk: Disk | None = None) -> Ended:
        """Start it, or go on with what a crash left."""
        self.power_cut()
        return self.resume(disk) if (self.folder / "journal.jsonl").exists() else self.start(disk)

    def approve(self, gate: str = "") -> Summary:
        return self.app().approve(RUN, gate=gate, note="", by="Ada")

    def by_hand(self, command: str) -> str:
        """What a command runs so that a person outside, at that moment, types this one; the
        settings have to be written afterwards.
        """
        self.shared.mkdir(exist_ok=True)
        return by_hand(self.project, command, self.shared)

    # -- looking

    def events(self, type: str = "", run: str = "") -> list[Mapping[str, Any]]:
        """The journal with those of the children; chains checked."""
        found = self.app().events(RUN)
        return [
            each
            for each in found
            if (not type or each["type"] == type) and (not run or each["run"] == f"{RUN}/{run}")
        ]

    def keys(self, type: str) -> list[str]:
        return [each["key"] for each in self.events(type)]

    def child(self, key: str) -> Path:
        return self.folder / "children" / key

    def state(self, child: str = "") -> dict[str, Any]:
        folder = self.child(child) if child else self.folder
        found: dict[str, Any] = json.loads((folder / "state.json").read_text())
        return found

    def edit_state(self, child: str = "", **members: Any) -> None:
        folder = self.child(child) if child else self.folder
        (folder / "state.json").write_text(json.dumps({**self.state(child), **members}))
