"""Whole runs whose agent speaks ACP: the fake one, a scripted model behind it, real processes
and real files.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.agents.confine.rooms import working
from tests.agents.jobs import until
from tests.fakes.project import QA, SPEC, TASK, Project

from podium.agents.scenario_file import parse
from podium.agents.scripted_model.script import Script, Step, Tool
from podium.agents.scripted_model.server import ScriptedModel
from podium.core.errors import Busy
from podium.core.run import Status

pytestmark = pytest.mark.beside

FAKE = Path(__file__).parents[1] / "fakes" / "acp_agent.py"
DISPATCHED = ["specification", "design", "implementation-planning", "build/1", "qa/1"]


class World:
    """A project whose every role is the fake agent, and the model that it asks."""

    def __init__(self, root: Path, model: ScriptedModel) -> None:
        self.project, self.model = Project.at(root), model
        self.project.variables |= {"MODEL_URL": model.url, "MODEL_KEY": "dummy-key"}

    def configure(
        self, *, words: str = "", confine: str = "off", permissions: str = "policy"
    ) -> None:
        command = json.dumps(["env", f"FAKE_ACP={words}", sys.executable, str(FAKE)])
        self.project.write(
            "podium.toml",
            'agent = "fake"\n[commands]\ntest = "sh tests.sh"\n[isolation]\nconfine = '
            f'"{confine}"\n'
            f'readable = ["{sys.prefix}", "{FAKE.parent}"]\n'
            f'[agents.fake]\nbackend = "acp"\ncommand = {command}\nenv = ["MODEL_URL", '
            f'"MODEL_KEY"]\npermissions = "{permissions}"\n',
        )

    def run(self, **policy: Any) -> Any:
        return self.project.through(agent="fake", policy=policy)

    def acts(self, key: str, kind: str) -> list[dict[str, Any]]:
        return self.project.transcript(key, kind)


@pytest.fixture
def world(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[World]:
    scenario = parse(getattr(request, "param", "{}"), "scenario.yaml")
    with ScriptedModel(scenario, home=tmp_path) as model:
        made = World(tmp_path, model)
        made.configure()
        yield made


REPORTS = """
defaults: {behave: well, verdict: {status: done, summary: all is there}}
agents: {qa: [{behave: well, verdict: {result: Pass, readiness: Awaiting Approval, criteria: {AC1: Pass}, issues: []}}]}
"""  # noqa: E501


@pytest.mark.parametrize("world", [REPORTS], indirect=True)
def test_a_whole_run_through_the_protocol_is_complete(world: World) -> None:
    ended = world.run()
    assert (ended.status, ended.reason) == (Status.COMPLETE, ""), ended
    assert world.project.started() == DISPATCHED
    assert world.project.path(SPEC).exists()
    assert world.project.path(QA).exists()
    for key in DISPATCHED:
        assert world.acts(key, "started")[0]["transport"] == "acp"
        assert world.acts(key, "verdict") == [{"kind": "verdict", "source": "tool"}]
        assert world.acts(key, "ended") == [{"kind": "ended", "reason": "end_turn"}]
        finished = world.project.event("step.finished", key=key)
        assert finished["usage"]["tokens_in"] > 0
    assert world.project.step("qa/1", "verdict.json").exists()
    assert not world.project.holds(b"dummy-key")


@pytest.mark.parametrize("level", ["bubblewrap", "landlock"])
def test_the_same_run_in_a_room_is_complete_and_confined(world: World, level: str) -> None:
    working(level)  # type: ignore[arg-type]
    world.configure(confine=level)
    ended = world.run()
    assert ended.status == Status.COMPLETE, ended
    held = {
        each["assurance"]["write"]
        for each in world.project.events("step.finished")
        if each["assurance"]
    }
    assert held == {"confined"}


ESCAPES = (
    "{agents: {build: [{behave: well, write: {../escaped.txt: x}, run: ['cat /etc/hostname > "
    "leak.txt']}]}}"
)


@pytest.mark.parametrize("world", [ESCAPES], indirect=True)
def test_what_an_agent_writes_outside_is_refused_and_told(world: World) -> None:
    world.run()
    refused = [
        each for each in world.acts("build/1", "permission") if each["decision"] == "refused"
    ]
    assert refused
    assert "outside the step's folder" in refused[0]["why"]
    assert list(world.project.root.parent.rglob("escaped.txt")) == []


ASKS = """
agents:
  po-spec:
    - ask: {prompt: Which of the two?, choices: [{id: a, description: one}, {id: b, description: two}], recommended: b}
    - behave: well
"""  # noqa: E501


@pytest.mark.parametrize("world", [ASKS], indirect=True)
def test_a_question_through_the_tool_is_a_gate_that_a_person_answers(world: World) -> None:
    ended = world.run()
    assert ended.status == Status.WAITING
    gate = world.project.event("gate.opened")
    assert gate["choices"] == ["a", "b"]
    assert "Which of the two?" in gate["prompt"]
    world.project.answer(choice="a")
    assert world.project.resume().status == Status.COMPLETE


def fetch_first(model: ScriptedModel) -> None:
    """In Build the model begins with a call that asks for a permission which the policy leaves
    to a person.
    """
    plan = model.dispatches.scene

    def scene(said: Any) -> Any:
        found = plan(said)
        if found is None or found.name != "build/1":
            return found
        ask = Tool(
            "permit", {"toolCall": {"toolCallId": "f", "title": "Get the page", "kind": "fetch"}}
        )
        return replace(found, script=Script((Step(acts=(ask,)), *found.script.steps)))

    model.dispatches.scene = scene  # type: ignore[method-assign]


def test_a_permission_left_to_a_person_is_parked_shown_and_answered(world: World) -> None:
    world.configure(permissions="ask")
    fetch_first(world.model)
    ended = world.run()
    assert ended.status == Status.WAITING
    gate = world.project.event("gate.opened")
    assert (gate["key"], gate["choices"]) == ("build/1/parked-1", ["allow", "reject"])
    assert "fetch: Get the page" in gate["prompt"]
    session = world.acts("build/1", "started")[0]["session"]
    world.project.answer(choice="allow", text="once is fine")
    assert world.project.resume().status == Status.COMPLETE
    again = world.acts("build/1", "started")
    assert {each["session"] for each in again} == {session}


def test_a_run_killed_in_a_room_goes_on_with_the_agent_s_session(world: World) -> None:
    working("bubblewrap")
    world.configure(confine="bubblewrap")
    project = world.project
    hang(world.model)
    driver = subprocess.Popen(
        [sys.executable, "-c", _DRIVER, str(project.root), TASK],
        env={**project.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert until(
            lambda: any(
                each.note == "" and each.step == 1 and each.script == "specification"
                for each in world.model.calls
            ),
            seconds=60,
        )
    finally:
        driver.send_signal(signal.SIGKILL)
        driver.wait()
    session = world.acts("specification", "started")[0]["session"]
    assert when_free(project).status == Status.COMPLETE
    assert world.acts("specification", "started")[0]["session"] == session
    assert "You were interrupted" in str(
        [each.body for each in world.model.calls if each.script == "specification"][-1]
    )


def when_free(project: Project) -> Any:
    """The lock is free when the last process of the killed run is gone."""
    while True:
        try:
            return project.resume()
        except Busy:
            time.sleep(0.1)


_DRIVER = """
import os, sys
from pathlib import Path
from podium.wiring import App, Parts
from podium.wiring_values import RunOptions
policy = {"require_approval_before_build": False, "require_approval_before_complete": False, "retry_backoff_s": 0.0}
parts = Parts(environ=os.environ, token=lambda: "0001", cwd=Path(sys.argv[1]))
App(Path(sys.argv[1]), parts=parts).start("harness", [sys.argv[2]], RunOptions(agent="fake", policy=policy))
"""  # noqa: E501


def hang(model: ScriptedModel) -> None:
    """The second answer to the specification is slow to come, the first time."""
    plan, seen = model.dispatches.scene, list[Mapping[str, Any]]()

    def scene(said: Any) -> Any:
        found = plan(said)
        if found is None or found.name != "specification" or found.step != 1 or seen:
            return found
        seen.append({})
        steps = list(found.script.steps)
        steps[1] = replace(steps[1], delay=120.0)
        return replace(found, script=Script(tuple(steps)))

    model.dispatches.scene = scene  # type: ignore[method-assign]
