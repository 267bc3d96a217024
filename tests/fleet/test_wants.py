"""What a run counts for: agents, providers, programs."""

import pytest

from podium.fleet.line.wants import NONE, Wants, limit_of, limited, read, wants_of, written
from podium.settings.values import AgentSettings, Settings

SETTINGS = Settings(
    agents={
        "fast": AgentSettings(backend="claude", model="haiku"),
        "house": AgentSettings(command=("./agent.sh",)),
        "beta": AgentSettings(backend="codex", program="./tools/codex"),
        "proxied": AgentSettings(backend="opencode", provider="mistral"),
    }
)


@pytest.mark.parametrize(
    ("specs", "agents", "providers", "programs"),
    [
        (["claude"], ("claude",), ("anthropic",), ("claude",)),
        (["fast", "claude", "fast"], ("claude", "fast"), ("anthropic",), ("claude",)),
        (["codex", "gemini"], ("codex", "gemini"), ("gemini", "openai"), ("codex", "gemini")),
        (["opencode"], ("opencode",), ("opencode",), ("opencode",)),
        (["proxied"], ("proxied",), ("mistral",), ("opencode",)),
        (["house"], ("house",), ("house",), ()),
        (["beta"], ("beta",), ("openai",), ()),
        (
            ["scripted:/a/b.json", "command:my-agent --now"],
            ("command", "scripted"),
            ("command", "scripted"),
            (),
        ),
        (["human"], ("human",), ("human",), ()),
    ],
)
def test_a_run_counts_for_each_agent_its_roles_name_and_for_whose_models_they_ask(
    specs: list[str], agents: tuple[str, ...], providers: tuple[str, ...], programs: tuple[str, ...]
) -> None:
    assert wants_of(specs, SETTINGS) == Wants(agents, providers, programs)


def test_a_role_without_an_agent_is_played_by_the_one_that_is_usual_on_the_worker() -> None:
    usual = wants_of(["claude"], SETTINGS)
    wants = wants_of(["codex", ""], SETTINGS)
    assert wants.unset
    assert wants.settled(usual) == Wants(
        ("claude", "codex"), ("anthropic", "openai"), ("claude", "codex")
    )
    assert wants_of(["codex"], SETTINGS).settled(usual) == wants_of(["codex"], SETTINGS)
    assert wants.settled(NONE).agents == ("codex",)


LIMITS = {"agents": {"claude": 3}, "users": {"default": 2, "anna": 4, "guest": 0}}


@pytest.mark.parametrize(
    ("key", "limit"),
    [
        ("agents.claude", 3),
        ("agents.codex", None),
        ("providers.anthropic", None),
        ("users.anna", 4),
        ("users.ben", 2),
        ("users.", 2),
        ("users.guest", 0),
    ],
)
def test_a_limit_is_that_of_the_name_or_the_default_of_its_table(
    key: str, limit: int | None
) -> None:
    assert limit_of(LIMITS, key) == limit


def test_the_limits_of_a_run_are_those_of_its_agents_its_providers_and_its_user() -> None:
    keys = wants_of(["claude", "codex"], SETTINGS).keys("anna.b")
    assert keys == (
        "agents.claude",
        "agents.codex",
        "providers.anthropic",
        "providers.openai",
        "users.anna.b",
    )
    assert limited(LIMITS, keys) == {"agents.claude": 3, "users.anna.b": 2}


def test_wants_survive_their_way_into_a_request() -> None:
    wants = wants_of(["fast", ""], SETTINGS)
    assert read(written(wants)) == wants
    assert read({}) == NONE
