"""Where an agent's calls may go, and what its settings must say for it."""

from __future__ import annotations

from typing import Any

import pytest

from podium.agents.gateway.providers import PROVIDERS, Route, beside_keys, is_loopback, route
from podium.core.errors import InputError

ENV = {
    "ANTHROPIC_API_KEY": "k-anthropic",
    "OPENAI_API_KEY": " k-openai\n",
    "MINE": "k-mine",
    "BAD": "two words",
}


@pytest.mark.parametrize(
    ("provider", "more", "found"),
    [
        ("anthropic", {}, ("https://api.anthropic.com", "k-anthropic", "ANTHROPIC_API_KEY")),
        ("openai", {}, ("https://api.openai.com/v1", "k-openai", "OPENAI_API_KEY")),
        (
            "openai",
            {"upstream": "https://router.example/api/v1", "key_env": "MINE"},
            ("https://router.example/api/v1", "k-mine", "MINE"),
        ),
        (
            "gemini",
            {"upstream": "http://127.0.0.1:11434"},
            ("http://127.0.0.1:11434", "", "GEMINI_API_KEY"),
        ),
        (
            "mistral",
            {"upstream": "https://api.mistral.ai/v1", "key_env": "MINE"},
            ("https://api.mistral.ai/v1", "k-mine", "MINE"),
        ),
    ],
)
def test_a_route_is_the_providers_own_unless_settings_say_otherwise(
    provider: str, more: dict[str, Any], found: tuple[str, str, str]
) -> None:
    made = route("x", provider, ENV, **more)
    assert (made.upstream, made.key, made.key_env) == found


@pytest.mark.parametrize(
    ("provider", "more", "says"),
    [
        ("gemini", {}, "GEMINI_API_KEY is not set"),
        ("mistral", {"key_env": "MINE"}, "set upstream"),
        ("openai", {"upstream": "ftp://x", "key_env": "MINE"}, "is not an address"),
        ("openai", {"upstream": "http://router.example", "key_env": "MINE"}, "unencrypted"),
        ("openai", {"upstream": "https://router.example", "key_env": "NONE"}, "NONE is not set"),
        ("openai", {"key_env": "BAD"}, "the value of BAD is not a usable key"),
    ],
)
def test_a_route_that_leads_nowhere_or_gives_the_key_away_is_refused(
    provider: str, more: dict[str, Any], says: str
) -> None:
    with pytest.raises(InputError, match=r"agents\.x") as caught:
        route("x", provider, ENV, **more)
    assert says in str(caught.value)
    assert not [value for value in ENV.values() if value.strip() in str(caught.value)]


@pytest.mark.parametrize(
    ("provider", "more"),
    [
        ("openai", {"key_env": "ANTHROPIC_API_KEY"}),
        ("anthropic", {"upstream": "https://api.openai.com/v1"}),
        ("anthropic", {"key_env": "OPENAI_API_KEY"}),
    ],
)
def test_one_vendors_key_is_not_sent_to_another(provider: str, more: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="set both upstream and key_env") as caught:
        route("x", provider, ENV, **more)
    assert "k-" not in str(caught.value)


def test_an_address_and_a_key_that_settings_name_together_belong_together() -> None:
    more = {"upstream": "https://api.anthropic.com/v1", "key_env": "OPENAI_API_KEY"}
    assert route("x", "openai", ENV, **more).key == "k-openai"


def test_two_addresses_of_one_provider_are_refused_unless_upstream_says_which() -> None:
    environ = {
        **ENV,
        "OPENAI_BASE_URL": "https://a.example",
        "OPENAI_API_BASE": "https://b.example",
    }
    with pytest.raises(InputError, match="your key belongs to one of them"):
        route("x", "openai", environ)
    assert route("x", "openai", environ, upstream="https://b.example").upstream.endswith(
        "b.example"
    )


def test_a_token_for_a_gateway_of_a_company_is_sent_as_its_clients_send_it() -> None:
    environ = {"ANTHROPIC_AUTH_TOKEN": "k-corp", "ANTHROPIC_BASE_URL": "https://corp.example/v1/"}
    made = route("x", "anthropic", environ)
    assert made.upstream == "https://corp.example"
    assert made.key_header == ("authorization", "Bearer k-corp")
    assert route("x", "anthropic", {**ENV, **environ}).key_header == ("x-api-key", "k-anthropic")


def test_a_program_that_gets_a_key_gets_the_address_that_it_belongs_to() -> None:
    assert {"OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE"} <= {
        *beside_keys(["OPENAI_API_KEY"])
    }
    assert beside_keys(["MINE"]) == ("MINE",)


def test_paths_go_below_the_upstream_and_nowhere_else() -> None:
    openai = Route("openai", "https://router.example/api/v1/")
    assert (
        openai.address("/v1/chat/completions") == "https://router.example/api/v1/chat/completions"
    )
    assert openai.address("/models") == "https://router.example/api/v1/models"
    assert (
        Route("anthropic", "https://a.example").address("/v1/messages")
        == "https://a.example/v1/messages"
    )


def test_keys_go_in_the_header_of_their_provider() -> None:
    assert Route("anthropic", "u", "k").key_header == ("x-api-key", "k")
    assert Route("openai", "u", "k").key_header == ("authorization", "Bearer k")
    assert Route("gemini", "u", "k").key_header == ("x-goog-api-key", "k")
    assert Route("other", "u", "").key_header is None


def test_only_what_must_be_this_machine_is_loopback() -> None:
    assert [
        is_loopback(each)
        for each in (
            "http://127.0.0.1:1/x",
            "http://[::1]/",
            "http://localhost:8",
            "http://127.evil.example",
            "https://10.0.0.1",
        )
    ] == [
        True,
        True,
        True,
        False,
        False,
    ]


def test_every_provider_tells_its_clients_address_and_key() -> None:
    assert all(
        each.base_names and each.key_names and each.key_env in each.key_names
        for each in PROVIDERS.values()
    )
