"""Dispatches through the gateway: what was counted is what the journal says, and a budget ends
them in the middle.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import socket
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.project import NO_GATES, QA, Project

from podium.agents.command import CommandAgent
from podium.agents.confine.levels import NAMES as NAMES_OF_LEVELS
from podium.agents.confine.levels import level
from podium.agents.gateway.budgets import Cap, Purse, Purses
from podium.agents.gateway.counting import Counted
from podium.agents.gateway.passes import Limit, Pass
from podium.agents.gateway.providers import Route
from podium.agents.protocol import Answer, Failure, Usage
from podium.agents.scenario import Scenario
from podium.agents.scenario_file import parse as scenario
from podium.agents.scripted_model.script import Refusal, Run, Script, Step, Tokens, Write
from podium.agents.scripted_model.server import ScriptedModel
from podium.engine.attempts import models
from podium.engine.outcome import Ended
from podium.wiring_values import RunOptions

CLIENT = Path(__file__).parents[1] / "fakes" / "model_client.py"
KEY = "real-key-0123456789abcdef"
NAMES = {
    "anthropic": ("ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"),
    "openai": ("OPENAI_BASE_URL", "OPENAI_API_KEY"),
}
LOOP = Script((Step(acts=(Run("true"),), tokens=Tokens(900, 100)),), loop=True)


def settled(
    project: Project,
    model: ScriptedModel,
    *,
    provider: str = "anthropic",
    agent: str = "",
    more: str = "",
    confine: str = "off",
) -> Project:
    """A project whose agent is our client, behind the gateway."""
    base, key = NAMES[provider]
    shape = "anthropic" if provider == "anthropic" else "chat"
    command = [sys.executable, "-I", str(CLIENT), shape, f"env:{base}", f"env:{key}", "stream"]
    upstream = model.url + ("/v1" if provider == "openai" else "")
    project.variables["REAL_KEY"] = KEY
    project.write(
        "podium.toml",
        'agent = "client"\n[commands]\ntest = "sh tests.sh"\n'
        f'[isolation]\nconfine = "{confine}"\n[agents.client]\ncommand = '
        f'{json.dumps(command)}\nprovider = "{provider}"\n'
        f'upstream = "{upstream}"\nkey_env = "REAL_KEY"\nenv = ["REAL_KEY"]\n{agent}\n{more}',
    )
    return project


def start(project: Project, **told: Any) -> Ended:
    options = RunOptions(policy={"retry_backoff_s": 0.0, **NO_GATES}, **told)
    return project.app.start("harness", ["harness/tasks/T001-sample.md"], options)


def usage(project: Project, key: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = project.event("step.finished", key=key)["usage"]
    return found


@pytest.mark.parametrize("provider", ["anthropic", "openai"])
def test_a_whole_run_through_the_gateway_is_counted_as_the_model_counts(
    tmp_path: Path, provider: str
) -> None:
    with ScriptedModel(Scenario()) as model:
        project = settled(
            Project.at(tmp_path),
            model,
            provider=provider,
            more='[prices."*"]\ninput = 3.0\noutput = 15.0\n',
        )
        assert start(project).status == "complete"
    used = [each["usage"] for each in project.events("step.finished") if "calls" in each["usage"]]
    assert len(used) == 5
    assert sum(each["calls"] for each in used) == len(model.calls)
    assert (sum(each["tokens_in"] for each in used), sum(each["tokens_out"] for each in used)) == (
        model.total.tokens_in,
        model.total.tokens_out,
    )
    assert used[0]["claimed"] == {"tokens_in": None, "tokens_out": None, "cost_usd": None}
    assert sum(each["cost_usd"] for each in used) == pytest.approx(
        (model.total.tokens_in * 3 + model.total.tokens_out * 15) / 1e6
    )
    assert {each.key for each in model.calls} == {KEY}
    assert project.holds(KEY.encode()) == []


HELD = [each for each in NAMES_OF_LEVELS if level(each, os.environ.get("PATH", os.defpath)).works]


@pytest.mark.parametrize("confine", HELD)
def test_a_confined_agent_reaches_its_model_and_nothing_else(tmp_path: Path, confine: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        try_it = (
            f"bash -c 'exec 3<>/dev/tcp/127.0.0.1/{other.getsockname()[1]}' && echo "
            "it-was-reached || echo it-was-not"
        )
        calls = {"po-spec": [{"behave": "well", "run": [try_it]}]}
        with ScriptedModel(scenario(json.dumps({"agents": calls}), "test")) as model:
            project = settled(Project.at(tmp_path), model, confine=confine)
            assert start(project, until="specification").status == "active"
    finished = project.event("step.finished", key="specification")
    assert finished["usage"]["calls"] == len(model.calls)
    assert finished["assurance"]["network"].startswith("model")
    assert "it-was-not\\n" in str(model.calls[-1].body)


@pytest.mark.parametrize("axis", ["tokens", "step_tokens", "day_tokens"])
def test_what_may_be_used_is_refused_in_the_middle_of_a_dispatch_and_goes_on_with_more(
    tmp_path: Path, axis: str
) -> None:
    with ScriptedModel(LOOP) as model:
        project = settled(Project.at(tmp_path), model, more=f"[budget]\n{axis} = 3500\n")
        ended = start(project)
        assert (ended.exit_code, ended.stop) == (21, "budget")
        assert len(model.calls) == 4, "the one that reached the cap was the last"
        assert (
            project.event("budget.reached")["axis"],
            project.event("budget.reached")["used"],
        ) == (axis, 4000)
        (again,) = project.events("retry.scheduled")
        assert (
            again["classification"],
            again["usage"]["tokens_in"],
            again["usage"]["refused"],
        ) == ("budget", 3600, 1)
        assert start_again(project).stop == "budget", "nothing changed"
        assert len(model.calls) == 4
    with ScriptedModel(Scenario()) as model:
        settled(project, model, more=f"[budget]\n{axis} = 1000000\n")
        assert start_again(project).status == "complete"
    assert len(project.done()) == 5


def start_again(project: Project) -> Ended:
    return project.app.resume("T001-0001", RunOptions())


def test_a_cap_on_cost_stops_a_run_whose_model_has_no_price_before_the_first_call(
    tmp_path: Path,
) -> None:
    with ScriptedModel(Scenario()) as model:
        project = settled(Project.at(tmp_path), model, more="[budget]\ncost_usd = 1.0\n")
        ended = start(project)
        assert ended.stop == "budget"
        assert "no price" in ended.reason
        assert model.calls == []
        settled(
            project,
            model,
            more='[budget]\ncost_usd = 1.0\n[prices."claude-*"]\ninput = 3.0\noutput = 15.0\n',
        )
        assert (
            project.app.resume("T001-0001", RunOptions(because="there is a price now")).status
            == "complete"
        )


def test_a_usage_limit_with_its_reset_is_a_durable_sleep_whatever_the_agent_says(
    tmp_path: Path,
) -> None:
    script = Script((Step("never", refuse=Refusal(429, 1_000_000, 3600.0)),))
    with ScriptedModel(script) as model:
        project = settled(Project.at(tmp_path), model)
        ended = start(project)
    assert (ended.exit_code, ended.status) == (11, "sleeping")
    (again,) = project.events("retry.scheduled")
    assert (again["classification"], again["delay_s"]) == ("rate_limit", 3600.0)


def test_a_key_that_is_not_taken_is_nothing_that_another_attempt_would_mend(tmp_path: Path) -> None:
    with ScriptedModel(Script((Step(refuse=Refusal(401, 99)),))) as model:
        project = settled(Project.at(tmp_path), model)
        ended = start(project)
    assert ended.stop == "not_dispatchable"
    assert "REAL_KEY" in ended.reason
    assert KEY not in ended.reason


def test_a_model_that_is_not_on_the_list_is_not_asked(tmp_path: Path) -> None:
    with ScriptedModel(Scenario()) as model:
        project = settled(Project.at(tmp_path), model, agent='models = ["claude-other"]')
        ended = start(project)
    assert ended.stop == "not_dispatchable"
    assert (
        "it asks for the model 'claude-scripted', and `models` allows claude-other" in ended.reason
    )
    assert model.calls == []


def test_the_real_key_is_in_no_environment_and_no_file_of_the_agent(tmp_path: Path) -> None:
    look = Run("env; cat /proc/self/environ; cat ~/.* * 2>/dev/null; ls -la ~ .")
    script = Script(
        (
            Step(acts=(look,)),
            Step(acts=(Write("harness/artifacts/specs/T001-feature-spec.md", "x"),)),
            Step("done"),
        )
    )
    with ScriptedModel(script) as model:
        project = settled(Project.at(tmp_path), model)
        start(project, until="specification")
    seen = str(model.calls[1].body)
    assert "ANTHROPIC_API_KEY=podium-" in seen
    assert "REAL_KEY" not in seen
    assert KEY not in seen
    assert project.holds(KEY.encode()) == []


def test_without_the_gateway_nothing_changes(tmp_path: Path) -> None:
    with ScriptedModel(Scenario()) as model:
        project = settled(Project.at(tmp_path), model, agent="gateway = false")
        project.variables |= {"ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "own-key"}
        project.edit(
            "podium.toml", 'env = ["REAL_KEY"]', 'env = ["ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"]'
        )
        assert start(project, until="specification").status == "active"
    assert "calls" not in usage(project, "specification")
    assert {each.key for each in model.calls} == {"own-key"}


def test_a_recorded_run_is_played_again_without_a_model_and_without_a_key(tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    kept: list[Any] = []
    shutil.copytree(Project.at(tmp_path).root, tmp_path / "kept")
    with ScriptedModel(Scenario()) as model:
        project = settled(
            Project(tmp_path / "project", tmp_path / "home"),
            model,
            more=f'[gateway]\nrecord = "{record}"\n',
        )
        assert start(project).status == "complete"
        kept.append(
            (
                project.text(QA),
                [each["usage"]["tokens_in"] for each in project.events("step.finished")],
            )
        )
    shutil.rmtree(project.root)
    shutil.copytree(tmp_path / "kept", project.root)
    again = settled(
        Project(tmp_path / "project", tmp_path / "home"),
        model,
        more=f'[gateway]\nreplay = "{record}"\n',
    )
    again.variables.clear()
    assert start(again).status == "complete"
    kept.append(
        (again.text(QA), [each["usage"]["tokens_in"] for each in again.events("step.finished")])
    )
    assert kept[0] == kept[1]


# -- the parts


def test_an_agent_that_goes_on_after_its_budget_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "LEAVE_S", 0.05)
    ended: list[str] = []

    async def stubborn() -> Answer:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("ended")
        raise AssertionError

    async def main() -> Answer:
        pass_ = Pass(
            "d", Route("anthropic", "u"), Purses((Purse(Cap(tokens=0), whose="the step"),))
        )
        assert pass_.over()
        return await models.bounded(stubborn(), models.Admitted(pass_, 1))

    answer = asyncio.run(main())
    assert answer.failure is not None
    assert "budget: the step has used 0 of 0 tokens" in answer.failure.detail
    assert ended == ["ended"]


@pytest.mark.parametrize(
    ("kind", "found"),
    [("crash", "rate_limit"), ("empty", "rate_limit"), ("parked", "parked"), (None, None)],
)
def test_a_limit_explains_the_end_of_an_agent_that_failed_and_of_no_other(
    kind: Any, found: str | None
) -> None:
    async def main() -> Answer:
        pass_ = Pass("d", Route("anthropic", "u"), Purses())
        pass_.limit = Limit(429, 60.0, "not now")
        return models.explained(Answer("x", failure=Failure(kind, "died") if kind else None), pass_)

    failure = asyncio.run(main()).failure
    assert (failure.kind if failure else None) == found


@pytest.mark.parametrize(
    ("counted", "claimed", "found"),
    [
        (None, Usage(5, 6, 0.7), {"tokens_in": 5, "tokens_out": 6, "cost_usd": 0.7}),
        (
            Counted(2, 0, 10, 20, 1, 2, 0.5, ("m",)),
            Usage(5, 6, 0.7),
            {"tokens_in": 11, "tokens_out": 22, "cost_usd": 0.5, "calls": 2, "guessed": 3},
        ),
        (
            Counted(1, 0, 10, 20, 0, 0, None, ("m",)),
            Usage(5, 6, 0.7),
            {"tokens_in": 10, "cost_usd": 0.7, "models": ["m"]},
        ),
        (Counted(1, 0, None, None), Usage(5, 6, 0.7), {"tokens_in": None, "tokens_out": None}),
    ],
)
def test_the_journal_has_what_was_counted_and_the_claim_beside_it(
    counted: Counted | None, claimed: Usage, found: dict[str, Any]
) -> None:
    made = models.usage(Answer(usage=claimed), counted, 1.0)
    assert {name: made[name] for name in found} == found
    assert ("claimed" in made) == (counted is not None)


def test_a_command_gets_the_address_and_the_token_in_place_of_the_key(tmp_path: Path) -> None:
    model = new_pass_model()
    env = model.told({"PATH": "/bin", "REAL_KEY": KEY, "ANTHROPIC_API_KEY": KEY, "OTHER": "kept"})
    assert env == {
        "PATH": "/bin",
        "OTHER": "kept",
        "ANTHROPIC_BASE_URL": "http://127.0.0.1:7",
        "ANTHROPIC_API_BASE": "http://127.0.0.1:7",
        "ANTHROPIC_API_KEY": model.token,
    }
    assert (model.origin, CommandAgent("x", ["y"]).name) == ("http://127.0.0.1:7", "x")


def new_pass_model() -> Any:
    async def main() -> Any:
        return Pass("d", Route("anthropic", "u", KEY, "REAL_KEY"), Purses()).model(7)

    return asyncio.run(main())
