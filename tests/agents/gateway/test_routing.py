"""Which agents come through the gateway: by their settings, by their room, by the key that is
there.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from podium.agents.gateway.counting import Price
from podium.agents.gateway.providers import Route
from podium.agents.gateway.routing import routes
from podium.core.errors import InputError
from podium.settings.sources import load

KEYS = {"ANTHROPIC_API_KEY": "k-a", "OPENAI_API_KEY": "k-o", "MINE": "k-m"}


def found(
    tmp_path: Path, name: str, toml: str = "", *, confined: bool = False, **environ: str
) -> Route | None:
    (tmp_path / "podium.toml").write_text(toml)
    settings = load(tmp_path, {"HOME": str(tmp_path)})
    return routes(settings, {"HOME": str(tmp_path), **(environ or KEYS)}, tmp_path)(name, confined)


@pytest.mark.parametrize("name", ["claude", "codex", "qwen"])
def test_a_known_program_with_a_key_comes_through_the_gateway_where_it_is_confined(
    tmp_path: Path, name: str
) -> None:
    assert found(tmp_path, name) is None
    assert found(tmp_path, name, confined=True) is not None


@pytest.mark.parametrize("name", ["gemini", "opencode", "human", "scripted:x", "command:x"])
def test_without_a_key_or_a_known_provider_it_finds_its_model_by_itself(
    tmp_path: Path, name: str
) -> None:
    assert found(tmp_path, name, confined=True) is None


@pytest.mark.parametrize(
    "setting",
    [
        "gateway = true",
        'models = ["m"]',
        'upstream = "https://x.example"',
        'key_env = "MINE"',
        'provider = "anthropic"',
    ],
)
def test_whoever_sets_a_bound_wants_it_held_confined_or_not(tmp_path: Path, setting: str) -> None:
    route = found(tmp_path, "claude", f"[agents.claude]\n{setting}\n")
    assert route is not None
    assert route.provider == "anthropic"


def test_it_can_be_switched_off_whatever_else_is_set(tmp_path: Path) -> None:
    toml = '[agents.claude]\ngateway = false\nmodels = ["m"]\n'
    assert found(tmp_path, "claude", toml, confined=True) is None


@pytest.mark.parametrize(
    ("toml", "says"),
    [
        ("[agents.gemini]\ngateway = true\n", "GEMINI_API_KEY is not set"),
        ('[agents.gemini]\ncommand = "x"\ngateway = true\n', "whose models"),
        ('[agents.gemini]\nprovider = "mistral"\n', "set upstream"),
        ('[agents.gemini]\ngateway = true\nhome = "user"\n', "your login"),
    ],
)
def test_what_was_asked_for_and_cannot_be_is_refused(tmp_path: Path, toml: str, says: str) -> None:
    with pytest.raises(InputError) as caught:
        found(tmp_path, "gemini", toml)
    assert says in str(caught.value)


def test_a_login_that_is_lent_needs_no_gateway(tmp_path: Path) -> None:
    assert found(tmp_path, "claude", '[agents.claude]\nhome = "user"\n', confined=True) is None


def test_a_record_or_a_replay_takes_all_that_can_be_taken_and_a_replay_needs_no_key(
    tmp_path: Path,
) -> None:
    assert found(tmp_path, "claude", '[gateway]\nrecord = "r"\n') is not None
    route = found(tmp_path, "claude", '[gateway]\nreplay = "r"\n', NONE="x")
    assert route is not None
    assert route.key == ""
    assert found(tmp_path, "human", '[gateway]\nrecord = "r"\n') is None


def test_models_prices_address_and_key_are_those_of_the_settings(tmp_path: Path) -> None:
    toml = """
[agents.mine]
backend = "codex"
upstream = "https://router.example/v1"
key_env = "MINE"
models = ["gpt-*", "o9"]
[prices."gpt-*"]
input = 1
output = 2.5
"""
    route = found(tmp_path, "mine", toml)
    assert route == Route(
        "openai",
        "https://router.example/v1",
        "k-m",
        "MINE",
        ("gpt-*", "o9"),
        {"gpt-*": Price(1.0, 2.5)},
    )
    assert (route.allows("gpt-5"), route.allows("o9"), route.allows("o99")) == (True, True, False)


@pytest.mark.parametrize("toml", ["[prices.m]\ninput = 1\n", '[prices."m.1"]\noutput = 1\n'])
def test_a_price_has_two_sides(tmp_path: Path, toml: str) -> None:
    with pytest.raises(InputError, match="needs both input and output"):
        found(tmp_path, "claude", toml)


@pytest.mark.parametrize(
    "toml", ["[agents.x]\ngateway = 1\n", "[prices.m]\ninput = -1\n", "[gateway]\nrecrod = 1\n"]
)
def test_wrong_settings_are_faults_like_any_others(tmp_path: Path, toml: Any) -> None:
    with pytest.raises(InputError):
        found(tmp_path, "x", toml)
