"""`podium verify-agent`: a table, one object with --json, and no cost that was not asked for."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.agents.contract.drivers import FAKE, FAKE_PROGRAM

from podium.agents.conformance.world import why_not

pytestmark = pytest.mark.timeout(120)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    command = json.dumps([sys.executable, str(FAKE_PROGRAM)])
    (tmp_path / "podium.toml").write_text(f'[agents.fake]\nbackend = "acp"\ncommand = {command}\n')
    return tmp_path


def podium(project: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = {"PATH": os.environ["PATH"], "HOME": str(project), "LANG": "C.UTF-8", "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(
        [sys.executable, "-m", "podium", *words], cwd=project, env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL
    )  # fmt: skip


def test_one_object_with_every_row_and_what_was_held(project: Path) -> None:
    if why := why_not(FAKE):
        pytest.skip(why)
    done = podium(project, "verify-agent", "fake", "--only", "hello", "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["ok"], told["agent"], told["model"]) == (0, True, "fake (acp)", "scripted")
    (row,) = told["checks"]
    assert (row["check"], row["result"], row["event"]) == ("hello", "held", "ended end_turn")
    assert row["assurance"] == {"read": "confined", "write": "confined", "network": "model", "by": "bubblewrap"}


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
