"""A whole `harness` run by real agents: in rooms, through the gateway, offline, by each
transport.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.agents.confine.rooms import working
from tests.agents.contract.casting import CASTS, ROLES, TOLD_A_LIMIT, Cast, alone
from tests.agents.contract.drivers import Driver, model_of
from tests.agents.contract.worlds import REAL_KEY
from tests.fakes.project import QA, SPEC, Project

from podium.agents.scenario_file import parse
from podium.agents.scripted_model.server import ScriptedModel
from podium.core.run import Status

pytestmark = [pytest.mark.agents, pytest.mark.timeout(600)]
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
  qa: [{behave: well, verdict: {result: Pass, readiness: Awaiting Approval, criteria: {AC1: Pass}, issues: []}, run: [env]}]
"""  # noqa: E501
"""Builds and tests may run commands."""


class World:
    """A project whose roles real agents play, and the model behind Podium's gateway."""

    def __init__(self, root: Path, cast: Cast, model: ScriptedModel) -> None:
        self.project, self.model, self.cast = Project.at(root), model, cast
        players = {each.name: each for each in cast.players.values()}
        [path] = {each.path for each in players.values()}
        self.project.variables |= {"PATH": path, "LANG": "C.UTF-8", "THE_REAL_KEY": REAL_KEY}
        tables = "".join(_table(each, model) for each in players.values())
        # What acts without a model does so inside Podium, and no room holds it.
        minimum = '[isolation]\nminimum = "confined"\n' if len(cast.players) == len(ROLES) else ""
        self.project.write("podium.toml", f'[commands]\ntest = "sh tests.sh"\n{minimum}{tables}')
        self.project.write(
            "work/readme.txt", "Pieces of work.\n"
        )  # not all editors make the folder of a new file

    def run(self, **policy: Any) -> Any:
        roles = {role: each.name for role, each in self.cast.players.items()}
        return self.project.through(roles=roles, policy={"step_timeout_s": 180.0, **policy})


def _table(driver: Driver, model: ScriptedModel) -> str:
    name, _, transport = driver.name.partition("-")
    provider, path = UPSTREAM[name]
    chosen = f'model = "{model_of(name)}"\n' if model_of(name) else ""
    return (
        f'[agents.{driver.name}]\nbackend = "{name}"\ntransport = "{transport}"\n'
        f'{chosen}provider = "{provider}"\n'
        f'upstream = "{model.url}{path}"\nkey_env = "THE_REAL_KEY"\n'
    )


@contextmanager
def world(root: Path, cast: Cast, scenario: str) -> Iterator[World]:
    if cast.missing:
        pytest.skip(cast.missing)
    working("bubblewrap")
    with ScriptedModel(parse(scenario, "scenario.yaml"), home=root) as model:
        yield World(root, cast, model)


@pytest.mark.parametrize("cast", CASTS, ids=lambda each: each.name)
def test_a_whole_run_is_complete_confined_and_counted(cast: Cast, tmp_path: Path) -> None:
    with world(tmp_path, cast, GOOD) as here:
        ended = here.run()
        assert (ended.status, ended.reason) == (Status.COMPLETE, ""), ended
        assert here.project.started() == list(ROLES.values())
        assert here.project.path(SPEC).exists()
        assert here.project.path(QA).exists()
        usages = [played(here, ROLES[role], player) for role, player in cast.players.items()]
        counted = sum(each["tokens_in"] + each["tokens_out"] for each in usages)
        truth = here.model.total.tokens_in + here.model.total.tokens_out
        # A call that was under way when the agent was ended is guessed, and never too low.
        assert (
            counted == truth
            if not any(each.get("guessed") for each in usages)
            else counted >= truth
        )
        no_key_was_seen(here)


def played(here: World, key: str, player: Driver) -> Mapping[str, Any]:
    """One step as its agent should have played it; what it used."""
    project = here.project
    assert project.transcript(key, "started")[0]["transport"] == player.name.partition("-")[2]
    [told] = project.transcript(key, "verdict")
    assert told["source"] in (["tool"] if player.tools else ["file", "line"])
    assert project.transcript(key, "ended")[-1]["reason"] == "end_turn"
    finished = project.event("step.finished", key=key)
    held = {name: finished["assurance"][name] for name in ("read", "write", "network", "by")}
    assert held == {"read": "confined", "write": "confined", "network": "model", "by": "bubblewrap"}
    usage: Mapping[str, Any] = finished["usage"]
    assert usage["tokens_in"] > 0
    return usage


def no_key_was_seen(here: World) -> None:
    """The real key went to the provider with every call, and is nowhere else: not even where the
    agents looked for it.
    """
    assert {each.key for each in here.model.calls if each.shape} == {REAL_KEY}
    assert here.project.holds(REAL_KEY.encode()) == []
    shown = [str(each.body) for each in here.model.calls]
    assert {ROLES["build"], ROLES["qa"]} <= {
        each.script for each in here.model.calls if "PODIUM_AGENT=1" in str(each.body)
    }
    assert not any(REAL_KEY in each for each in shown)


LIMITED = "{agents: {po-spec: [{fail: rate_limit, retry_after: 3600}]}}"


@pytest.mark.parametrize("driver", TOLD_A_LIMIT)
def test_a_usage_limit_is_a_sleep_until_it_ends(driver: Driver, tmp_path: Path) -> None:
    with world(tmp_path, alone(driver), LIMITED) as here:
        ended = here.run()
        assert ended.status == Status.SLEEPING
        assert ended.until
        assert here.project.event("retry.scheduled", key="specification")[
            "delay_s"
        ] == pytest.approx(3600.0, abs=60.0)
        assert here.project.transcript("specification", "ended")[-1]["reason"] == "rate_limit"
