"""The programs Podium knows by name."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from podium.agents.profiles import catalog
from podium.agents.profiles.catalog import PROFILES, Found, discover, untried, version
from podium.agents.profiles.profile import Endpoint, Start


def test_what_is_installed_is_found_in_the_order_of_the_table() -> None:
    there = {"gemini": "/opt/gemini", "claude": "/usr/bin/claude"}
    assert discover(there.get) == [
        Found("claude", "/usr/bin/claude"),
        Found("gemini", "/opt/gemini"),
    ]


@pytest.mark.parametrize("name", PROFILES)
def test_each_names_its_keys_the_versions_it_was_tried_with_and_how_to_install_it(
    name: str,
) -> None:
    profile = PROFILES[name]
    assert profile.name == name
    assert set(profile.secrets) <= set(profile.keys)
    assert profile.versions
    assert profile.install
    assert set(profile.always) <= set(profile.ambient)
    assert profile.login_hint or not profile.login


@pytest.mark.parametrize("name", PROFILES)
def test_behind_a_gateway_each_gets_its_address_and_none_of_the_keys(
    name: str, tmp_path: Path
) -> None:
    profile = PROFILES[name]
    keys = dict.fromkeys(profile.keys, "real-key")
    start = Start(
        tmp_path, tmp_path / "home", Endpoint("http://127.0.0.1:9", "token"), keys, model="m"
    )
    for launch in (profile.headless(start), *([profile.acp.launch(start)] if profile.acp else [])):
        said = " ".join([*launch.argv, *launch.env.values(), *launch.files.values()])
        assert "real-key" not in said
        assert "127.0.0.1:9" in said
        assert "token" in said


@pytest.mark.parametrize("name", PROFILES)
def test_without_one_each_gets_the_keys_that_are_set(name: str, tmp_path: Path) -> None:
    profile = PROFILES[name]
    secret = profile.secrets[0]
    launch = profile.headless(Start(tmp_path, tmp_path / "home", keys={secret: "real-key"}))
    assert launch.env[secret] == "real-key"


def script(path: Path, body: str) -> str:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return str(path)


def test_a_version_is_the_first_line_and_no_secret_is_passed(tmp_path: Path) -> None:
    program = script(tmp_path / "agent", 'echo "agent 1.2 $1 $SECRET"; echo more')
    assert version(program, {"SECRET": "s", "PATH": "/bin:/usr/bin"}) == "agent 1.2 --version"


def test_a_version_that_cannot_be_had_is_empty(tmp_path: Path) -> None:
    assert version(str(tmp_path / "gone")) == ""
    assert version(script(tmp_path / "bad", "echo x; exit 1")) == ""


def test_a_program_that_does_not_answer_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalog, "_VERSION_TIMEOUT_S", 0.2)
    started = time.monotonic()
    assert version(script(tmp_path / "slow", "sleep 60 & sleep 60")) == ""
    assert time.monotonic() - started < 5


@pytest.mark.parametrize(
    ("said", "other"),
    [("2.1.325 (Claude Code)", ""), ("2.2.0 (Claude Code)", "2.2.0"), ("no number", "")],
)
def test_a_version_that_was_never_tried_is_told(said: str, other: str) -> None:
    assert untried(PROFILES["claude"], said) == other
