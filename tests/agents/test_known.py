"""The programs Podium knows by name."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from podium.agents import known
from podium.agents.known import KNOWN, Found, discover, version


def test_what_is_installed_is_found_in_the_order_of_the_table() -> None:
    there = {"gemini": "/opt/gemini", "claude": "/usr/bin/claude"}
    assert discover(there.get) == [Found("claude", "/usr/bin/claude"), Found("gemini", "/opt/gemini")]


@pytest.mark.parametrize("name", KNOWN)
def test_each_takes_the_prompt_names_its_keys_and_says_how_to_install(name: str) -> None:
    each = KNOWN[name]
    assert each.argv[0] == each.program
    assert sum("{prompt}" in argument for argument in each.argv) == 1
    assert each.env
    assert each.install


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


def test_a_program_that_does_not_answer_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known, "_VERSION_TIMEOUT_S", 0.2)
    started = time.monotonic()
    assert version(script(tmp_path / "slow", "sleep 60 & sleep 60")) == ""
    assert time.monotonic() - started < 5
