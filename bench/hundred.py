"""A workflow of many document stages on the real engine, with an agent that costs almost
nothing.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

from podium.agents.protocol import Agent, Answer, Job, Usage
from podium.core.contract import Contract, Input, Output
from podium.core.effects import Check, Cluster, Member, Stage
from podium.core.run import DONE, Run
from podium.core.verdict import Judgement
from podium.core.workflow import About, Step, Workflow
from podium.engine.services import Services
from podium.wiring import App, Parts
from podium.wiring_services import build
from podium.wiring_values import RunOptions
from podium.workflows.entry import Entry, Start

FIRST_INPUT = "input.md"
OLDER_S = 0.1
"""Wait before a run starts, since no real repository is made at the same moment. A folder that was
changed just now is read again at every look, because file times are too coarse to tell two changes
apart.
"""


class Chain(Workflow):
    """Each stage reads the document of the one before it and writes its own."""

    name = "bench"

    def __init__(self, size: int) -> None:
        names = [f"stage_{number:03d}" for number in range(1, size + 1)]
        self.start = names[0]
        self.steps = {
            name: _stage(name, *pair) for name, pair in zip(names, _pairs(names), strict=True)
        }

    # as the engine calls it
    def about(self, run: Run, history: object, today: str) -> About:  # noqa: ARG002
        return About(task="Write the next document.", facts={"Date": today})


def _pairs(names: list[str]) -> list[tuple[str, str]]:
    """(input path, next step) of every stage."""
    inputs = [FIRST_INPUT, *(_document(name) for name in names[:-1])]
    return list(zip(inputs, [*names[1:], DONE], strict=True))


def _document(name: str) -> str:
    return f"docs/{name}.md"


def _stage(name: str, reads: str, then: str) -> Step:
    contract = Contract(
        role="writer",
        inputs=(Input("before", reads, material=True),),
        outputs=(Output("document", _document(name)),),
    )
    return Step(name, Stage("writer", lambda _: contract), lambda *_: then, ("ok",), (then,))


class Decisions(Chain):
    """Each step is a function of the program itself, as the steps of other engines are."""

    def __init__(self, size: int, work: Callable[[int], None]) -> None:
        super().__init__(size)
        self.steps = {
            name: Step(
                name,
                Check("its own work", decide=_doing(work, number)),
                each.route,
                each.outcomes,
                each.exits,
            )
            for number, (name, each) in enumerate(self.steps.items())
        }


def _doing(work: Callable[[int], None], number: int) -> Callable[..., Judgement]:
    def decide(*_: object) -> Judgement:
        work(number)
        return Judgement("ok")

    return decide


class Fan(Chain):
    """All at once: as many agents as wanted, each with its own document."""

    def __init__(self, count: int) -> None:
        super().__init__(1)
        members = [_member(number) for number in range(1, count + 1)]
        effect = Cluster(lambda _: members, _all_well, limit=count, most=count)
        self.start = "fan"
        self.steps = {"fan": Step("fan", effect, lambda *_: DONE, ("ok",), (DONE,))}


def _member(number: int) -> Member:
    reads, makes = (
        Input("before", FIRST_INPUT, material=True),
        Output("document", f"docs/{number}.md"),
    )
    contract = Contract(role="writer", inputs=(reads,), outputs=(makes,))
    return Member(str(number), lambda _: contract)


def _all_well(results: Mapping[str, Judgement]) -> Judgement:
    return Judgement("ok" if all(each.outcome == "ok" for each in results.values()) else "fail")


class Writer:
    """The agent: copies its input and measures its own time."""

    name = "bench"
    actor = "engine"
    """Like the scripted agent, it starts no program that would need a room."""

    def __init__(self) -> None:
        self.seconds = 0.0

    async def perform(self, job: Job) -> Answer:
        began = perf_counter()
        text = (job.folder / job.brief.inputs[0][1]).read_text(encoding="utf-8")
        where = job.folder / job.outputs[0].path
        where.parent.mkdir(exist_ok=True)
        where.write_text(f"# {job.brief.key}\n\n{text[-200:]}", encoding="utf-8")
        self.seconds += perf_counter() - began
        return Answer(text="DONE: written", usage=Usage(100, 20, 0.001))


class Watch:
    """An observer that records how long each step took without its agent."""

    def __init__(self, agent: Writer, between: Callable[[int], bool] = lambda _: False) -> None:
        """`between` is called after each step with the number of steps so far; it returns
        whether it used the disk.
        """
        self.agent, self.between = agent, between
        self.steps: list[float] = []
        self._count = 0
        self._mark: float | None = None

    def event(self, event: Mapping[str, Any]) -> None:
        if event["type"] not in {"run.started", "run.advanced"}:
            return
        now = self._spent()
        if self._mark is not None:
            self.steps.append(now - self._mark)
        self._count += event["type"] == "run.advanced"
        # The next step would pay for what was left in the disk's queue, so it is not counted.
        self._mark = None if self.between(self._count) else self._spent()

    def _spent(self) -> float:
        """Seconds so far without the agent's."""
        return perf_counter() - self.agent.seconds

    def activity(self, key: str, kind: str, fields: Mapping[str, Any]) -> None: ...


def project(folder: Path) -> Path:
    """A git repository with a role and the first input, like any project."""
    made = folder / "project"
    (made / ".podium" / "roles").mkdir(parents=True)
    (made / ".podium" / "roles" / "writer.md").write_text(
        "You write small documents.\n", encoding="utf-8"
    )
    (made / FIRST_INPUT).write_text("A small text to start from.\n" * 8, encoding="utf-8")
    subprocess.run(["git", "init", "-q", made], check=True)
    sleep(OLDER_S)
    return made


def services(
    made: Path, workflow: Workflow, watch: Watch, agent: Agent | None = None
) -> tuple[Services, dict[str, Any]]:
    """The services that `podium run` uses; only the agent is different."""
    environ = {
        **os.environ,
        "XDG_STATE_HOME": str(made.parent / "state"),
        "XDG_CONFIG_HOME": str(made.parent),
    }
    app = App(made, watch, Parts(environ, agents=lambda _: agent or watch.agent))
    entry = Entry(
        "bench", "", "", start=_never, sample=lambda *_: workflow, remake=lambda *_: workflow
    )
    request: dict[str, Any] = {
        "workflow": "bench",
        "inputs": [],
        "title": "bench",
        "definition": {},
        "agent": "",
        "roles": {},
        "policy": {"retry_backoff_s": 0.0, "step_timeout_s": 60.0},
        "commands": {},
    }
    return build(app, entry, request, RunOptions()), request


def _never(*_: object) -> Start:
    raise AssertionError("the bench starts its runs itself")
