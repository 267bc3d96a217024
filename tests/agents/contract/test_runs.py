"""A whole `harness` run by a real agent: in rooms, through the gateway, offline, by each transport."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.agents.confine.rooms import working
from tests.agents.contract.drivers import ACP, HEADLESS, Driver, model_of
from tests.agents.contract.worlds import REAL_KEY
from tests.fakes.project import QA, SPEC, Project

from podium.agents.scenario_file import parse
from podium.agents.scripted_model.server import ScriptedModel
from podium.core.run import Status

pytestmark = [pytest.mark.agents, pytest.mark.timeout(600)]
DISPATCHED = ["specification", "design", "implementation-planning", "build/1", "qa/1"]
UPSTREAM: Mapping[str, tuple[str, str]] = {
    "claude": ("anthropic", ""),
    "codex": ("openai", "/v1"),
    "gemini": ("gemini", ""),
    "opencode": ("openai", "/v1"),
    "copilot": ("openai", "/v1"),
    "qwen": ("openai", "/v1"),
    "kimi": ("openai", "/v1"),
}
GOOD = """
defaults: {behave: well, verdict: {status: done, summary: all is there}}
agents:
  build: [{behave: well, verdict: {status: done, summary: built}, run: [env]}]
  qa: [{behave: well, verdict: {result: Pass, readiness: Awaiting Approval, criteria: {AC1: Pass}, issues: []}}]
"""


class World:
    """A project whose every role one real agent plays, and the model behind Podium's gateway."""

    def __init__(self, root: Path, driver: Driver, model: ScriptedModel) -> None:
        name, _, transport = driver.name.partition("-")
        self.project, self.model, self.driver = Project.at(root), model, driver
        self.project.variables |= {"PATH": driver.path, "LANG": "C.UTF-8", "THE_REAL_KEY": REAL_KEY}
        provider, path = UPSTREAM[name]
        chosen = f'model = "{model_of(name)}"\n' if model_of(name) else ""
        self.project.write(
            "podium.toml",
            f'agent = "{name}"\n[commands]\ntest = "sh tests.sh"\n[isolation]\nminimum = "confined"\n'
            f'[agents.{name}]\ntransport = "{transport}"\n{chosen}provider = "{provider}"\n'
            f'upstream = "{model.url}{path}"\nkey_env = "THE_REAL_KEY"\n',
        )
        self.project.write("work/readme.txt", "Pieces of work.\n")  # not all editors make the folder of a new file
        self.name = name

    def run(self, **policy: Any) -> Any:
        return self.project.through(agent=self.name, policy={"step_timeout_s": 180.0, **policy})


@pytest.fixture(params=(*HEADLESS, *ACP), ids=lambda each: each.name)
def driver(request: pytest.FixtureRequest) -> Driver:
    found: Driver = request.param
    if found.missing:
        pytest.skip(found.missing)
    working("bubblewrap")
    return found


@pytest.fixture
def world(tmp_path: Path, driver: Driver, request: pytest.FixtureRequest) -> Iterator[World]:
    with ScriptedModel(parse(getattr(request, "param", GOOD), "scenario.yaml"), home=tmp_path) as model:
        yield World(tmp_path, driver, model)


def test_a_whole_run_is_complete_confined_and_counted(world: World) -> None:
    ended = world.run()
    project = world.project
    assert (ended.status, ended.reason) == (Status.COMPLETE, ""), ended
    assert project.started() == DISPATCHED
    assert project.path(SPEC).exists()
    assert project.path(QA).exists()
    transport = world.driver.name.partition("-")[2]
    counted, guessed = 0, 0
    for key in DISPATCHED:
        assert project.transcript(key, "started")[0]["transport"] == transport
        [told] = project.transcript(key, "verdict")
        assert told["source"] in (["tool"] if world.driver.tools else ["file", "line"])
        assert project.transcript(key, "ended")[-1]["reason"] == "end_turn"
        finished = project.event("step.finished", key=key)
        held = {name: finished["assurance"][name] for name in ("read", "write", "network", "by")}
        assert held == {"read": "confined", "write": "confined", "network": "model", "by": "bubblewrap"}
        counted += finished["usage"]["tokens_in"] + finished["usage"]["tokens_out"]
        guessed += finished["usage"].get("guessed", 0)
    truth = world.model.total.tokens_in + world.model.total.tokens_out
    # A call that was under way when the agent was ended is guessed, and never too low.
    assert counted == truth if not guessed else counted >= truth
    # The real key went to the provider with every call, and is nowhere else: not even where the agent looked for it.
    assert {each.key for each in world.model.calls if each.shape} == {REAL_KEY}
    assert project.holds(REAL_KEY.encode()) == []
    shown = [str(each.body) for each in world.model.calls]
    assert any("PODIUM_AGENT=1" in each for each in shown)
    assert not any(REAL_KEY in each for each in shown)


LIMITED = "{agents: {po-spec: [{fail: rate_limit, retry_after: 3600}]}}"


@pytest.mark.parametrize("world", [LIMITED], indirect=True, ids=["limited"])
def test_a_usage_limit_is_a_sleep_until_it_ends(world: World) -> None:
    ended = world.run()
    assert ended.status == Status.SLEEPING
    assert ended.until
    assert world.project.event("retry.scheduled", key="specification")["delay_s"] == pytest.approx(3600.0, abs=60.0)
    assert world.project.transcript("specification", "ended")[-1]["reason"] == "rate_limit"
