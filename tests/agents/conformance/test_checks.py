"""The contract's tries: they hold for an agent in its room, and each fails for an agent that
breaks it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from tests.agents.contract.drivers import FAKE, FAKE_PROGRAM, fake

from podium.agents.conformance.checks import CHECKS, Row, attack, slow, verify
from podium.agents.conformance.finding import subject
from podium.agents.conformance.scripts import SCRIPTS
from podium.agents.conformance.world import SECRET, NotPossible, World, why_not, world
from podium.agents.environment import MARK
from podium.agents.process import Supervisor
from podium.core.errors import UsageError

pytestmark = pytest.mark.timeout(120)
TABLE = {"fake": {"backend": "acp", "command": [sys.executable, str(FAKE_PROGRAM)]}}
ENVIRON = {"PATH": os.environ["PATH"], "ANTHROPIC_API_KEY": "sk-real", "HOME": "/home/somebody"}


@pytest.fixture(autouse=True)
def possible() -> None:
    if why := why_not(FAKE):
        pytest.skip(why)


def test_nothing_of_the_persons_own_is_in_its_environment(tmp_path: Path) -> None:
    tried = subject("fake", TABLE, tmp_path, ENVIRON)
    with world(tmp_path / "w", tmp_path / "s", tried, SCRIPTS) as here:
        told = here.job("hello").environment
        assert "sk-real" not in str(told)
        assert told["HOME"].startswith(str(tmp_path))


BROKEN = {
    "hello": (("lies",), "hello.txt is not what the model wrote"),
    "retry": (("gives-up",), "it failed: rate_limit"),
    "cut": (("gives-up", "swallows"), "hello.txt is not what the model wrote"),
    "slow": (
        ("alone",),
        "it ended before anything could be done: it ended, but gave no message and no verdict",
    ),
    "loop": (("alone",), "no limit ended it"),
    "badjson": (("forges",), "words were taken for the verdict"),
    "submit": (("silent",), "the verdict is None, not the one of the tool"),
    "limited": (("swallows",), "ended end_turn, retry after None"),
    "locked": (("swallows",), "ended end_turn"),
    "killed": (("forgetful",), "its session did not continue"),
}
"""Each try: how an agent breaks it, and what is told then."""


def test_every_try_has_an_agent_that_breaks_it() -> None:
    assert {*BROKEN, "attack"} == set(CHECKS)


@pytest.mark.parametrize("name", BROKEN)
def test_an_agent_that_breaks_its_contract_is_told(tmp_path: Path, name: str) -> None:
    words, why = BROKEN[name]
    (row,) = verify(lambda: world(tmp_path / "w", tmp_path / "s", fake(*words), SCRIPTS), (name,))
    assert (row.result, row.good) == ("FAILED", False)
    assert why in row.detail


@contextmanager
def stray(here: World) -> Iterator[None]:
    """A process of the dispatch that is left. The shim ends whatever an agent starts, so it is
    one the shim knows nothing of.
    """
    with subprocess.Popen(["sleep", "60"], env={MARK: here.mark}) as left:
        yield
        left.kill()


class Open(World):
    """No room at all, not even for the network."""

    def _supervisor(self) -> Supervisor:
        return Supervisor()


def test_without_a_room_an_agent_that_asks_nobody_reaches_everything_and_each_row_says_so(
    tmp_path: Path,
) -> None:
    tried = fake("unasking", "obliging")
    with world(tmp_path / "w", tmp_path / "s", tried, SCRIPTS, confined=False) as made:
        here = Open(made.root, made.driver, made.model, made.confined, made.canary)
        with stray(here):
            rows = attack(here)
    assert [(each.check, each.result, each.detail) for each in rows] == [
        ("read outside, by tool and shell", "FAILED", f"the model was told {SECRET!r}"),
        ("write outside by tool", "FAILED", "the file is there"),
        ("write outside by shell", "FAILED", "the file is there"),
        ("network beside the model", "FAILED", "it connected"),
        ("tools nobody declared", "FAILED", "one of them wrote"),
        ("detached daemon", "FAILED", "a process is still running"),
    ]
    assert rows[0].assurance == {"read": "asked", "write": "audited"}


def test_a_process_that_is_left_after_a_cancellation_is_told(tmp_path: Path) -> None:
    with world(tmp_path / "w", tmp_path / "s", FAKE, SCRIPTS) as here, stray(here):
        (row,) = slow(here)
    assert (row.result, row.event, row.detail) == (
        "FAILED",
        "cancelled",
        "a process is still running",
    )


def test_what_the_model_never_came_to_is_not_held(tmp_path: Path) -> None:
    rows = list(
        verify(lambda: world(tmp_path / "w", tmp_path / "s", fake("alone"), SCRIPTS), ("attack",))
    )
    assert {each.result for each in rows} == {"not reached"}
    assert len(rows) == 6


def test_a_try_that_could_not_be_made_is_no_proof(tmp_path: Path) -> None:
    def broken() -> AbstractContextManager[World]:
        raise NotPossible("there is no room left")

    (row,) = verify(broken, ("hello",))
    assert (row.result, row.detail, row.good) == ("FAILED", "there is no room left", False)
    assert not Row("attack", "not reached", "").good


@pytest.mark.parametrize("name", ["human", "scripted"])
def test_an_agent_that_starts_no_program_has_no_contract_to_verify(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / "s.yaml").write_text("defaults: {behave: well}\n")
    table = {
        "scripted": {"backend": "scripted", "scenario": "s.yaml"},
        "human": {"backend": "human"},
    }
    with pytest.raises(UsageError, match="starts no program"):
        subject(name, table, tmp_path, ENVIRON)


def test_the_command_names_every_try() -> None:
    from podium.cli.commands.verify_agent import TRIES  # noqa: PLC0415

    assert tuple(CHECKS) == TRIES
