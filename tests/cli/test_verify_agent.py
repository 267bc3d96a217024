"""`podium verify-agent`: a table, one object with --json, and no cost that was not asked for."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.agents.contract.drivers import FAKE, FAKE_PROGRAM

from podium.agents.conformance.world import why_not

pytestmark = pytest.mark.timeout(120)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    agents = {
        "fake": [sys.executable, str(FAKE_PROGRAM)],
        "liar": [sys.executable, str(FAKE_PROGRAM), "lies"],
    }
    tables = [
        f'[agents.{name}]\nbackend = "acp"\ncommand = {json.dumps(command)}\n'
        for name, command in agents.items()
    ]
    (tmp_path / "podium.toml").write_text("\n".join(tables))
    return tmp_path


def podium(project: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(project),
        "LANG": "C.UTF-8",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    return subprocess.run(
        [sys.executable, "-m", "podium", *words],
        cwd=project,
        env=env,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )


def test_one_object_with_every_row_of_the_page_and_what_was_held(project: Path) -> None:
    if why := why_not(FAKE):
        pytest.skip(why)
    done = podium(project, "verify-agent", "fake", "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["ok"], told["agent"], told["model"]) == (
        0,
        True,
        "fake (acp)",
        "scripted",
    )
    assert {each["result"] for each in told["checks"]} == {"held"}
    assert {str(each["assurance"]) for each in told["checks"]} == {
        str({"read": "confined", "write": "confined", "network": "model", "by": "bubblewrap"})
    }
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "verify-agent.md").read_text()
    rows = {each["check"] for each in told["checks"]}
    assert rows == set(
        re.findall(
            r"^\| ([a-z].*?) \|",
            page.replace("by tool, by shell", "by tool |\n| write outside by shell"),
            re.MULTILINE,
        )
    ) - {"row"}
    events = {each["check"]: each["event"] for each in told["checks"]}
    assert events["loop, then its limit"] == "failure timeout"
    assert events["submit by tool"] == "ended end_turn, verdict done"
    assert events["usage limit"] == "failure rate_limit"


TABLE = """\
liar (acp)  with a scripted model

  hello         FAILED       ended end_turn            read confined, write confined, network model, by bubblewrap
                -> hello.txt is not what the model wrote
  key rejected  held         failure not_dispatchable  read confined, write confined, network model, by bubblewrap

1 of 2 do not hold.
"""  # noqa: E501


def test_a_table_says_what_does_not_hold_and_the_exit_code_does_too(project: Path) -> None:
    if why := why_not(FAKE):
        pytest.skip(why)
    done = podium(project, "verify-agent", "liar", "--only", "hello", "--only", "locked")
    assert (done.returncode, done.stdout) == (20, TABLE)
    assert done.stderr.splitlines() == ["  hello: FAILED", "  key rejected: held"]


def test_a_real_model_is_asked_by_nobody_who_was_not_told_the_cost(project: Path) -> None:
    if why := why_not(FAKE):
        pytest.skip(why)
    done = podium(project, "verify-agent", "fake", "--real")
    assert done.returncode == 2
    assert "3 dispatches" in done.stderr
    assert "--yes" in done.stderr


def test_an_agent_that_is_not_there_is_told_with_those_that_are(project: Path) -> None:
    done = podium(project, "verify-agent", "fakke")
    assert done.returncode == 2
    assert "did you mean 'fake'?" in done.stderr
