"""The engine's surroundings as one value; and the small world in which the tests of the engine's
modules happen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from tests.fakes.project import Clock

from podium.agents.process import Supervisor
from podium.agents.protocol import Answer, Job, Usage
from podium.core.budget import Caps
from podium.core.contract import Contract, Input, Output
from podium.core.effects import Gate, Stage
from podium.core.retry import Policy
from podium.core.run import Run
from podium.core.verdict import NONE
from podium.core.workflow import About, Workflow, step
from podium.engine import runs
from podium.engine.outcome import Ended, Silent
from podium.engine.services import Definition, Services
from podium.engine.session import Session
from podium.engine.workspace import Workspace
from podium.state.disk import Disk
from podium.state.local_journal import LocalJournal

RUN = "r1"
PLAN = Contract(
    "planner",
    (Input("task", "task.md", material=True), Input("style", "style.md")),
    (Output("plan", "docs/plan.md"),),
)
REPORT = Contract(
    "writer",
    (Input("plan", "docs/plan.md", material=True), Input("hint", "hint.md", required=False)),
    (Output("report", "docs/report.md"),),
)


class Papers(Workflow):
    """A plan from a task, a person's approval of it, a report from the plan."""

    name = "papers"
    start = "plan"

    @step(Stage("planner", lambda _: PLAN), phase="Planning")
    def plan(self, run: Run, outcome: Literal["ok"]) -> Literal["approve"]:
        return "approve"

    @step(
        Gate(
            "Write the report?",
            choices=("approved", "plan"),
            subject=lambda _: ["docs/plan.md"],
            default_rejection="plan",
        )
    )
    def approve(self, run: Run, outcome: Literal["approved", "plan"]) -> Literal["report", "plan"]:
        return "report" if outcome == "approved" else "plan"

    @step(Stage("writer", lambda _: REPORT, approved_by=lambda _: "approve"), phase="Writing")
    def report(self, run: Run, outcome: Literal["ok"]) -> Literal["done"]:
        return "done"

    def about(self, run: Run, history: object, today: str) -> About:
        return About("Write well.", {"Date": today}, (run.note,) if run.note else ())


Act = Callable[[Job], Answer | None]


@dataclass
class Fake:
    """An agent that writes each output from its first input, after doing what the test told it
    for this call.
    """

    name: str = "fake"
    mounts = False
    acts: dict[str, list[Act]] = field(default_factory=dict)
    """Key to what is done at each dispatch of it, in turn; an answer given back is the agent's."""
    jobs: list[Job] = field(default_factory=list)

    async def perform(self, job: Job) -> Answer:
        self.jobs.append(job)
        left = self.acts.get(job.brief.key, [])
        said = left.pop(0)(job) if left else None
        if said is not None:
            return said
        for output in job.outputs:
            seen = (job.folder / job.brief.inputs[0][1]).read_text()
            (job.folder / output.path).write_text(f"{job.brief.key} #{len(self.jobs)} from: {seen}")
        return Answer("written", usage=Usage(100, 10, 0.5))


@dataclass
class World:
    """A plain folder as a project, one run in it, one agent for all roles."""

    root: Path
    workflow: Workflow = field(default_factory=Papers)
    agent: Fake = field(default_factory=Fake)
    clock: Clock = field(default_factory=Clock)
    changes: dict[str, Any] = field(default_factory=dict)
    """Members of the services that this test wants otherwise."""
    run: str = RUN

    @classmethod
    def at(cls, folder: Path, workflow: Workflow | None = None, **changes: Any) -> World:
        root = folder / "project"
        root.mkdir()
        (root / "task.md").write_text("count words")
        (root / "style.md").write_text("short")
        return cls(root, workflow or Papers(), changes=changes)

    @property
    def services(self) -> Services:
        views = self.changes.get("views", self.root.parent / "views")
        made = Services(
            project=self.root,
            journal=LocalJournal(self.root, Disk(), self.clock),
            disk=Disk(),
            clock=self.clock,
            observer=Silent(),
            version="test",
            agent_for=lambda _: self.agent,
            define=lambda role, path: Definition(f"You are the {role}.", path or "built-in"),
            workspace=lambda: Workspace.find(self.root, self.root / ".podium", views),
            supervisor=Supervisor,
            environment={"PATH": "/usr/bin:/bin"},
            dialects={"none": NONE},
            commands={},
            retry=Policy(backoff_s=0.0),
            timeout_s=30.0,
            views=views,
            request={"inputs": [], "commands": {}},
        )
        return replace(made, **self.changes)

    def create(self, **members: Any) -> bool:
        return runs.create(
            self.services, self.workflow, self.run, self.workflow.first(**members), {"inputs": []}
        )

    def go(self, **told: Any) -> Ended:
        """Drive the run until it rests; it is made first if there is none."""
        self.create()
        return runs.go(self.services, self.workflow, self.run, **told)

    @contextmanager
    def session(self) -> Iterator[Session]:
        """The run as a new owner finds it."""
        self.create()
        services = self.services
        session, _ = runs.open_session(services, self.workflow, self.run)
        try:
            yield session
        finally:
            services.journal.close(session.opened)

    def events(self, type: str = "") -> list[Mapping[str, Any]]:
        return [
            each
            for each in self.services.journal.read(self.run)
            if not type or each["type"] == type
        ]

    def decide(self, decision: str = "approved", note: str = "", gate: str = "approve") -> None:
        """A person's decision of the gate's last opening, left in the inbox."""
        opening = [each["seq"] for each in self.events("gate.opened") if each["key"] == gate][-1]
        assert self.services.journal.post(
            self.run, f"{gate}@{opening}", {"decision": decision, "by": "Ada", "note": note}
        )

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def text(self, path: str) -> str:
        return (self.root / path).read_text()


def test_no_cap_is_set_unless_it_is_named() -> None:
    assert Caps() == Caps(dispatches=None, tokens=None, cost_usd=None, wall_clock_s=None)


def test_nobody_has_approved_beforehand_and_nobody_asked_to_stop(tmp_path: Path) -> None:
    services = World.at(tmp_path).services
    assert (services.approve_all, services.until, services.stopping()) == ("", "", False)


def test_the_day_is_the_clocks_own_and_in_utc(tmp_path: Path) -> None:
    late = datetime(2026, 12, 31, 23, 59, tzinfo=UTC)
    services = World.at(tmp_path, clock=lambda: late).services
    assert (services.today(), services.now()) == ("2026-12-31", late)


def test_redaction_knows_no_secret_unless_told(tmp_path: Path) -> None:
    assert World.at(tmp_path).services.redact("nothing to hide") == "nothing to hide"


def test_a_run_in_the_small_world_goes_from_task_to_gate_to_end(tmp_path: Path) -> None:
    world = World.at(tmp_path)
    assert world.go().gates == ("approve",)
    world.decide()
    assert world.go().exit_code == 0
    assert world.text("docs/report.md") == "report #2 from: plan #1 from: count words"
