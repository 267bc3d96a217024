"""From a name to an agent, or to a sentence that says which names there are."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.agents.jobs import Stage, run

from podium.agents.acp.agent import AcpAgent
from podium.agents.command import CommandAgent
from podium.agents.headless.agent import HeadlessAgent
from podium.agents.human import HumanAgent
from podium.agents.profiles.catalog import PROFILES
from podium.agents.protocol import Agent
from podium.agents.registry import resolve
from podium.agents.scripted import ScriptedAgent
from podium.core.errors import InputError, UsageError


def find(spec: str, base: Path, configured: Mapping[str, Mapping[str, Any]] | None = None) -> Agent:
    return resolve(spec, configured or {}, base=base, environ={**os.environ, "MY_KEY": "k"})


def test_a_scenario_is_loaded_from_the_project(tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text("defaults: {say: hi}\n")
    agent = find("scripted:s.yaml", tmp_path)
    assert isinstance(agent, ScriptedAgent)
    assert agent.name == "scripted:s.yaml"
    assert run(agent.perform(Stage(tmp_path).job())).text == "hi"


def test_a_command_is_split_like_a_shell_does_and_its_path_is_the_projects(tmp_path: Path) -> None:
    agent = find("command:./tools/agent.sh --flag 'two words'", tmp_path)
    assert isinstance(agent, CommandAgent)
    assert agent.argv == (f"{tmp_path}/./tools/agent.sh", "--flag", "two words")
    other = find("command:agent", tmp_path)
    assert isinstance(other, CommandAgent)
    assert other.argv == ("agent",)


def test_a_configured_name_wins_over_a_known_one(tmp_path: Path) -> None:
    configured = {
        "claude": {"backend": "command", "command": ["sh", "-c", "echo $MY_KEY"], "env": ["MY_KEY"]}
    }
    agent = find("claude", tmp_path, configured)
    assert run(agent.perform(Stage(tmp_path).job())).text == "k\n"


def test_a_known_program_needs_no_configuration_and_takes_a_model(tmp_path: Path) -> None:
    plain, chosen = (
        find("claude", tmp_path),
        find(
            "fast",
            tmp_path,
            {"fast": {"backend": "claude", "model": "m1", "max_turns": 7, "ambient": True}},
        ),
    )
    assert isinstance(plain, HeadlessAgent)
    assert isinstance(chosen, HeadlessAgent)
    assert plain.profile is chosen.profile is PROFILES["claude"]
    assert chosen.name == "fast"
    assert (chosen.options.model, chosen.options.turns, chosen.options.ambient) == ("m1", 7, True)


def test_a_known_program_is_driven_as_its_table_says(tmp_path: Path) -> None:
    assert isinstance(find("codex", tmp_path, {"codex": {"transport": "acp"}}), AcpAgent)
    other = find("codex", tmp_path, {"codex": {"command": "mycodex --quiet", "env": ["MY_KEY"]}})
    assert isinstance(other, CommandAgent)
    assert other.argv == ("mycodex", "--quiet")


def test_any_program_can_be_one_of_the_protocol(tmp_path: Path) -> None:
    assert isinstance(
        find("mine", tmp_path, {"mine": {"command": "mine --acp", "transport": "acp"}}), AcpAgent
    )
    assert isinstance(
        find(
            "mine",
            tmp_path,
            {"mine": {"command": ["mine"], "backend": "acp", "permissions": "ask"}},
        ),
        AcpAgent,
    )


def test_a_command_takes_a_model_where_it_has_a_place_for_it(tmp_path: Path) -> None:
    agent = find("a", tmp_path, {"a": {"command": "run --model={model}", "model": "m1"}})
    assert isinstance(agent, CommandAgent)
    assert agent.argv == ("run", "--model=m1")
    with pytest.raises(InputError, match=r"no \{model\}"):
        find("a", tmp_path, {"a": {"command": "run", "model": "m1"}})


def test_a_person_is_always_there(tmp_path: Path) -> None:
    assert isinstance(find("human", tmp_path), HumanAgent)
    assert find("me", tmp_path, {"me": {"backend": "human"}}).name == "me"


def test_an_unknown_name_lists_what_is_configured(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        find("claud", tmp_path, {"mine": {"command": "x"}, "yours": {"command": "y"}})
    assert "did you mean 'claude'?" in str(caught.value)
    assert "Configured: mine, yours." in str(caught.value)


@pytest.mark.parametrize(
    ("spec", "settings", "said"),
    [
        ("scripted:gone.yaml", {}, "cannot be read"),
        ("command:", {}, "empty"),
        ("command:'open", {}, "cannot be split"),
        ("a", {"backend": "comand"}, "did you mean 'command'?"),
        ("a", {"backend": "command"}, "text or a list"),
        ("a", {"command": [1]}, "text or a list"),
        ("a", {"command": "x", "transport": "headless"}, "leave out command"),
        ("a", {"backend": "claude", "transport": "command"}, "needs a command"),
        ("a", {"backend": "aider", "transport": "acp"}, "does not speak the Agent Client Protocol"),
        ("a", {"backend": "claude", "permissions": "ask"}, 'add transport = "acp"'),
        ("a", {"backend": "claude", "permissions": "policy"}, 'add transport = "acp"'),
        ("a", {"backend": "acp"}, "text or a list"),
        ("a", {"backend": "gemini", "report": "schema"}, "has no schema output"),
        ("a", {"backend": "aider", "home": "user"}, "no login to lend"),
    ],
)
def test_what_is_badly_configured_is_refused_by_name(
    tmp_path: Path, spec: str, settings: Any, said: str
) -> None:
    with pytest.raises(InputError) as caught:
        find(spec, tmp_path, {"a": settings})
    assert said in str(caught.value)
