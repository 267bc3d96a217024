"""A run of the fleet is set back by its next owner, and only where it stands as the person saw
it.
"""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.fleet.fleets import CALM_S, Fleet

from podium.core.errors import Busy, UsageError
from podium.fleet import rewinds
from podium.fleet.app import FleetApp
from podium.fleet.orders import Result
from podium.wiring import Parts

pytestmark = [pytest.mark.fleet, pytest.mark.timeout(240)]


@pytest.fixture
def fleet(tmp_path: Path, database: str) -> Iterator[Fleet]:
    found = Fleet(tmp_path, database, CALM_S)
    yield found
    found.close()


@pytest.fixture
def app(fleet: Fleet) -> Iterator[FleetApp]:
    told = {
        **fleet.environ,
        "PODIUM_FLEET__DATABASE": fleet.database,
        "PODIUM_FLEET__REMOTE": str(fleet.remote),
    }
    found = FleetApp(fleet.project, parts=Parts(told, cwd=fleet.project))
    yield found
    found.truth.link.close()


def finished(fleet: Fleet, step: str) -> list[dict[str, Any]]:
    return [each for each in fleet.events("step.finished") if each["key"].partition("/")[0] == step]


@pytest.mark.parametrize(
    ("number", "inbox", "to"),
    [
        (3, {}, ""),
        (3, {"rewind@3": {"to": "build"}}, "build"),
        (4, {"rewind@3": {"to": "build"}}, ""),
        (3, {"resume@3": {"to": "build"}}, ""),
    ],
)
def test_a_wish_counts_for_the_run_as_it_was_seen(
    number: int, inbox: dict[str, dict[str, str]], to: str
) -> None:
    found = rewinds.due([{}] * number, inbox)
    assert (found or {}).get("to", "") == to


def test_a_complete_run_is_taken_back_by_the_next_worker_with_its_code_and_ends_again(
    fleet: Fleet, app: FleetApp
) -> None:
    fleet.submit(
        {
            "build": [
                {"write": {"app.txt": "first\n"}, "behave": "well"},
                {"write": {"app.txt": "second\n"}, "behave": "well"},
            ]
        }
    )
    assert fleet.drive() is Result.FINISHED
    assert app.truth.with_work() == []
    with pytest.raises(UsageError, match="not a step that this run has taken"):
        app.rewind("R1", "nothing", restore_code=False, by="Ada")
    assert fleet.journal.inbox("R1") == {}
    fleet.project.joinpath("podium.toml").write_text(
        f'[fleet]\ndatabase = "{fleet.database}"\nremote = "{fleet.remote}"\n'
    )
    words = [sys.executable, "-m", "podium", "rewind", "R1", "--to", "build", "--restore-code"]
    told = subprocess.run(
        words,
        cwd=fleet.project,
        env={**fleet.environ, "PODIUM_USER": "Ada"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stderr
    assert "the next worker of the fleet takes it back to build" in told.stdout
    assert app.truth.with_work() == ["R1"]
    with pytest.raises(UsageError, match="already asked to rewind run R1"):
        app.rewind("R1", "design", restore_code=False, by="Bob")
    assert fleet.drive(worker="w2") is Result.FINISHED
    assert app.summary("R1").status == "complete"
    assert app.truth.with_work() == []
    assert len(finished(fleet, "build")) == 2
    assert len(finished(fleet, "design")) == 1
    assert any("by Ada" in str(each) for each in fleet.events("run.edited"))
    assert app.truth.read("R1")  # the chain holds


def test_nobody_takes_back_a_run_that_is_driven_or_cancelled(fleet: Fleet, app: FleetApp) -> None:
    fleet.submit(gates=True)
    assert fleet.drive() is Result.PARKED
    held = fleet.journal.open("R1", "w1 (ada@host)")
    with pytest.raises(Busy, match=r"w1 \(ada@host\) drives run R1"):
        app.rewind("R1", "design", restore_code=False, by="Ada")
    fleet.journal.close(held)
    with pytest.raises(UsageError, match="continued in the meantime"):
        rewinds.ask(app.truth, "R1", 3, {"to": "design", "by": "Ada"})
    assert fleet.journal.inbox("R1") == {}
    app.cancel("R1", "enough", "Ada")
    assert fleet.drive() is Result.FINISHED
    with pytest.raises(UsageError, match="is cancelled"):
        app.rewind("R1", "design", restore_code=False, by="Ada")


def test_a_wish_that_cannot_be_carried_out_is_forgotten_and_the_run_stands_as_it_did(
    fleet: Fleet, app: FleetApp
) -> None:
    fleet.submit()
    assert fleet.drive() is Result.FINISHED
    before = len(fleet.events())
    rewinds.ask(app.truth, "R1", len(app.truth.read("R1")), {"to": "no/such/step", "by": "Ada"})
    assert app.truth.with_work() == ["R1"]
    assert fleet.drive() is Result.FINISHED
    assert len(fleet.events()) == before
    assert (app.summary("R1").status, app.truth.with_work(), dict(app.truth.inbox("R1"))) == (
        "complete",
        [],
        {},
    )
