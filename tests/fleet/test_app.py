"""Looking and deciding, for runs here and runs on the fleet alike."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.fakes.project import STATE, TASK
from tests.fakes.repository import git
from tests.fleet.fleets import CALM_S, Fleet

from podium.core.errors import UsageError
from podium.fleet.app import FleetApp
from podium.fleet.orders import Result
from podium.wiring import Parts
from podium.wiring_values import RunOptions

pytestmark = [pytest.mark.fleet, pytest.mark.timeout(240)]


ADVICE = {"there-1": ("a worker of the fleet continues it",), "here-1": ("podium resume here-1",)}


@pytest.fixture
def fleet(tmp_path: Path, database: str) -> Iterator[Fleet]:
    found = Fleet(tmp_path, database, CALM_S)
    yield found
    found.close()


@pytest.fixture
def app(fleet: Fleet) -> Iterator[FleetApp]:
    told = {
        "PODIUM_FLEET__DATABASE": fleet.database,
        "PODIUM_FLEET__REMOTE": str(fleet.remote),
        "PODIUM_FLEET__BEAT_S": "1",
    }
    found = FleetApp(fleet.project, parts=Parts({**fleet.environ, **told}, cwd=fleet.project))
    yield found
    found.truth.link.close()


def test_runs_here_and_there_are_found_shown_and_decided_in_one_way(
    fleet: Fleet, app: FleetApp
) -> None:
    before = git(fleet.project, "status", "--porcelain")
    given = app.give("harness", [TASK], fleet.options(gates=True, run_id="there-1"))
    assert (given.run, given.status) == ("there-1", "active")
    assert git(fleet.project, "status", "--porcelain") == before
    assert not (fleet.project / ".podium/runs/there-1").exists()
    assert fleet.drive("there-1") is Result.PARKED
    ended = app.start(
        "harness",
        [TASK],
        RunOptions(agent=fleet.scenario(), policy={"retry_backoff_s": 0.0}, run_id="here-1"),
    )
    assert ended.status.value == "waiting"

    assert {each.run: each.status for each in app.list()} == {
        "here-1": "waiting",
        "there-1": "waiting",
    }
    assert [app.resolve(each) for each in ("th", "here", "@", "there-1")] == [
        "there-1",
        "here-1",
        "here-1",
        "there-1",
    ]
    with pytest.raises(UsageError, match="no run"):
        app.resolve("nobody")
    (gate,) = app.summary("there-1").gates
    assert app.events("there-1")[0]["type"] == "run.started"
    first = next(each["key"] for each in app.events("there-1") if each["type"] == "step.started")
    assert (app.folder("there-1") / "steps" / first / "prompt.md").read_text()
    assert app.workflow("there-1").name == app.workflow("here-1").name

    for run in ("there-1", "here-1"):
        told = app.approve(run, gate="", note="", by="Ada")
        assert (told.gates, told.advice) == ((), ADVICE[run])
        assert app.drives(run) == (run == "here-1")
        with pytest.raises(UsageError):
            app.approve(run, gate=gate["key"], note="", by="Ada")
    with pytest.raises(UsageError, match="on the fleet"):
        app.resume("there-1", RunOptions())
    assert fleet.drive("there-1", worker="w2") is Result.PARKED
    app.reject("there-1", gate="", note="again", to="", by="Ada")
    app.cancel("there-1", "enough", "Ada")
    assert fleet.drive("there-1") is Result.FINISHED
    assert app.summary("there-1").status == "cancelled"
    with pytest.raises(UsageError, match="already ended"):
        app.cancel("there-1", "", "Ada")
    assert "there-1" not in app.truth.with_work()
    assert fleet.show(STATE, "there-1")


def test_what_is_missing_for_a_fleet_is_told(fleet: Fleet, app: FleetApp) -> None:
    bare = FleetApp(fleet.project, parts=Parts(fleet.environ, cwd=fleet.project))
    with pytest.raises(UsageError, match="no fleet is set up"):
        bare.give("harness", [TASK], fleet.options())
    shutil.rmtree(fleet.project / ".git")
    with pytest.raises(UsageError, match="a git repository with a first commit"):
        app.give("harness", [TASK], fleet.options())
    assert app.truth.runs() == []


def test_a_blocked_run_goes_on_when_a_person_says_why(fleet: Fleet, app: FleetApp) -> None:
    app.give("harness", [TASK], fleet.options({"build": [{"fail": "crash"}, {"behave": "well"}]}))
    assert fleet.drive() is Result.PARKED
    assert app.summary("R1").status == "blocked"
    with pytest.raises(UsageError, match="say what changed"):
        app.send_on("R1", "", "Ada")
    assert app.truth.with_work() == []
    app.send_on("R1", "the disk was full", "Ada")
    assert app.truth.with_work() == ["R1"]
    assert fleet.drive(worker="w2") is Result.FINISHED
    assert app.summary("R1").status == "complete"
    assert "the disk was full" in [each.get("reason") for each in fleet.events("run.resumed")]
