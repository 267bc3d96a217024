"""The contract's tries: they hold for an agent in its room, and they fail for one that is not."""

from __future__ import annotations

import os
import sys
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from tests.agents.contract.drivers import FAKE, FAKE_PROGRAM

from podium.agents.conformance.checks import CHECKS, Row, attack, verify
from podium.agents.conformance.finding import subject
from podium.agents.conformance.scripts import SCRIPTS
from podium.agents.conformance.world import NotPossible, World, why_not, world
from podium.core.errors import UsageError

pytestmark = pytest.mark.timeout(120)
TABLE = {"fake": {"backend": "acp", "command": [sys.executable, str(FAKE_PROGRAM)]}}
ENVIRON = {"PATH": os.environ["PATH"], "ANTHROPIC_API_KEY": "sk-real", "HOME": "/home/somebody"}


@pytest.fixture(autouse=True)
def possible() -> None:
    if why := why_not(FAKE):
        pytest.skip(why)


def test_an_agent_of_the_settings_holds_what_it_is_tried_with(tmp_path: Path) -> None:
    tried = subject("fake", TABLE, tmp_path, ENVIRON)
    rows = list(verify(lambda: world(tmp_path / "w", tmp_path / "s", tried, SCRIPTS), ("hello", "submit")))
    assert [(each.check, each.result, each.event) for each in rows] == [
        ("hello", "held", "ended end_turn"),
        ("submit by tool", "held", "ended end_turn, verdict done"),
    ]
    assert {each.assurance["by"] for each in rows} == {"bubblewrap"}


def test_nothing_of_the_persons_own_is_in_its_environment(tmp_path: Path) -> None:
    tried = subject("fake", TABLE, tmp_path, ENVIRON)
    with world(tmp_path / "w", tmp_path / "s", tried, SCRIPTS) as here:
        told = here.job("hello").environment
        assert "sk-real" not in str(told)
        assert told["HOME"].startswith(str(tmp_path))


def test_without_a_room_the_same_tries_fail(tmp_path: Path) -> None:
    with world(tmp_path / "w", tmp_path / "s", FAKE, SCRIPTS, confined=False) as here:
        (here.root / "escaped-shell.txt").write_text("as an agent without a room could\n")
        rows = {each.check: each for each in attack(here)}
    assert (rows["write outside by shell"].result, rows["write outside by shell"].good) == ("FAILED", False)
    assert rows["write outside by shell"].assurance == {"read": "asked", "write": "audited"}


def test_a_try_that_could_not_be_made_is_no_proof(tmp_path: Path) -> None:
    def broken() -> AbstractContextManager[World]:
        raise NotPossible("there is no room left")

    (row,) = verify(broken, ("hello",))
    assert (row.result, row.detail, row.good) == ("FAILED", "there is no room left", False)
    assert not Row("attack", "not reached", "").good


@pytest.mark.parametrize("name", ["human", "scripted"])
def test_an_agent_that_starts_no_program_has_no_contract_to_verify(tmp_path: Path, name: str) -> None:
    (tmp_path / "s.yaml").write_text("defaults: {behave: well}\n")
    table = {"scripted": {"backend": "scripted", "scenario": "s.yaml"}, "human": {"backend": "human"}}
    with pytest.raises(UsageError, match="starts no program"):
        subject(name, table, tmp_path, ENVIRON)


def test_the_command_names_every_try() -> None:
    from podium.cli.commands.verify_agent import TRIES  # noqa: PLC0415

    assert tuple(CHECKS) == TRIES
