"""People are told by whichever worker drives the run, each fact once."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.fakes.repository import git
from tests.fleet.fleets import Fleet

from podium.core.records import message_name
from podium.fleet.orders import Result

pytestmark = pytest.mark.fleet


@pytest.fixture
def fleet(tmp_path: Path, database: str) -> Iterator[Fleet]:
    found = Fleet(tmp_path, database)
    told = tmp_path / "told.jsonl"
    (found.project / "podium.toml").write_text(
        f'[commands]\ntest = "sh tests.sh"\n[notify]\ncommand = ["sh", "-c", "cat >> {told}"]\n'
    )
    git(found.project, "commit", "-qam", "tell us")
    yield found
    found.close()


def told(fleet: Fleet) -> list[str]:
    return [
        json.loads(line)["event"] for line in (fleet.base / "told.jsonl").read_text().splitlines()
    ]


def test_two_workers_tell_a_gate_and_the_end_of_one_run(fleet: Fleet) -> None:
    fleet.submit(gates=True)
    assert fleet.drive(worker="w1") is Result.PARKED
    assert told(fleet) == ["gate"]
    for wanted in (Result.PARKED, Result.FINISHED):
        gate = fleet.events("gate.opened")[-1]
        answer = {"decision": "approved", "by": "Ada", "note": "", "subject": gate["subject"]}
        assert fleet.journal.post("R1", message_name(gate["key"], gate["seq"]), answer)
        assert fleet.drive(worker="w2") is wanted
    assert told(fleet) == ["gate", "gate", "complete"]


def podium(fleet: Fleet, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "podium", *words],
        cwd=fleet.project,
        env=fleet.environ,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_journal_of_a_run_on_the_fleet_is_verified_and_its_decisions_are_exported(
    fleet: Fleet,
) -> None:
    fleet.submit(gates=True)
    fleet.drive()
    gate = fleet.events("gate.opened")[-1]
    fleet.journal.post(
        "R1",
        message_name(gate["key"], gate["seq"]),
        {"decision": "approved", "by": "Ada", "note": "", "subject": gate["subject"]},
    )
    fleet.drive()
    (fleet.project / "podium.toml").write_text(
        f'[fleet]\ndatabase = "{fleet.database}"\nremote = "{fleet.remote}"\n'
    )
    verified = podium(fleet, "log", "R1", "--verify", "--json")
    assert verified.returncode == 0, verified.stderr
    assert json.loads(verified.stdout)["events"] == len(fleet.events())
    (file,) = podium(fleet, "export", "R1", "--approvals", "--out", "out").stdout.split()
    assert (
        json.loads(podium(fleet, "export", "--check", file, "--json").stdout)["statements"][0][
            "wrong"
        ]
        == []
    )
