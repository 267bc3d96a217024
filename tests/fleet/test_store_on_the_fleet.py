"""Runs whose files are partly in a store: folder and S3, workers that die, and stores that are
damaged or away.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.fakes.repository import git
from tests.fleet.fleets import CALM_S, Fleet, until
from tests.fleet.s3_servers import KEYS, S3Server
from tests.fleet.silence import silent

from podium.fleet.orders import Result
from podium.fleet.store.store import measured
from podium.fleet.store.stores import opened

pytestmark = [pytest.mark.fleet]

SIZE = 51 * 1024 * 1024
"""More than git is given of untracked files: without a store it would stay behind."""


@pytest.fixture(scope="module")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    found = S3Server(tmp_path_factory.mktemp("s3"))
    yield found
    found.close()


@pytest.fixture(params=["folder", "s3"])
def fleet(
    request: pytest.FixtureRequest, tmp_path: Path, database: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Fleet]:
    found = Fleet(tmp_path, database, CALM_S)
    if request.param == "folder":
        (tmp_path / "shared").mkdir()
        found.settings = {"PODIUM_FLEET__STORE": str(tmp_path / "shared")}
    else:
        server = request.getfixturevalue("s3")
        bucket = f"b-{abs(hash(str(tmp_path)))}"
        server.make_bucket(bucket)
        found.settings = {
            "PODIUM_FLEET__STORE": f"s3://{bucket}/runs",
            "PODIUM_FLEET__STORE_ENDPOINT": server.endpoint,
            **KEYS,
        }
        for name, value in KEYS.items():
            monkeypatch.setenv(name, value)
    with open(found.project / "model.bin", "wb") as file:
        file.truncate(SIZE)
    yield found
    found.close()


def secrets() -> list[str]:
    return [value for name, value in KEYS.items() if name != "AWS_DEFAULT_REGION"]


def arrived(fleet: Fleet) -> str:
    """A command of the build that notes how large the file is in the checkout of the worker that
    runs it.
    """
    return (
        f"for each in {fleet.base}/w*/runs/R1/*/model.bin; do stat -c %s $each >> "
        f"{fleet.base}/arrived; done"
    )


def test_a_run_takes_its_large_files_from_machine_to_machine(fleet: Fleet) -> None:
    fleet.submit({"build": [{"behave": "well", "run": [arrived(fleet)]}]})
    assert fleet.drive(worker="w1", steps=1) is Result.CONTINUE
    assert fleet.drive(worker="w2") is Result.FINISHED
    assert (fleet.base / "arrived").read_text().split() == [str(SIZE)]
    assert "model.bin" not in git(fleet.remote, "rev-list", "--objects", "--all")
    assert not any(secret in json.dumps(fleet.events()) for secret in secrets())


def test_a_worker_without_the_object_refuses_the_run_and_says_why(fleet: Fleet) -> None:
    fleet.submit()
    key = measured(fleet.project / "model.bin")[0]
    store = opened(
        fleet.settings["PODIUM_FLEET__STORE"],
        fleet.settings.get("PODIUM_FLEET__STORE_ENDPOINT", ""),
    )
    assert store is not None
    store.remove(key)
    started = fleet.driver()
    assert started.wait(timeout=110) == 42
    assert started.stderr is not None
    said = started.stderr.read()
    assert "refused" in said
    assert key[7:] in said
    assert "submit the run again" in said
    assert not any(secret in said for secret in secrets())
    store.put(key, fleet.project / "model.bin")
    assert fleet.drive() is Result.FINISHED


@pytest.mark.parametrize("fleet", ["folder"], indirect=True)
def test_a_worker_that_dies_leaves_its_large_files_to_the_next(fleet: Fleet) -> None:
    mark = fleet.base / "executed"
    script = f"{arrived(fleet)}; echo $$ >> {mark}; [ $(wc -l < {mark}) -gt 1 ] || exec sleep 600"
    fleet.beat_s = fleet.journal.beat_s = 8.0
    fleet.submit({"build": [{"behave": "well", "run": [script]}]})
    first = fleet.driver(worker="w1")
    until(mark.exists, "the build begins", 100)
    first.kill()
    first.wait()
    silent(fleet.journal)
    assert fleet.drive(worker="w2") is Result.FINISHED
    assert len(mark.read_text().split()) == 2
    assert set((fleet.base / "arrived").read_text().split()) == {str(SIZE)}
