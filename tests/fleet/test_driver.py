"""One run, driven for a fleet by processes that may die: real PostgreSQL, real git, the scripted agent."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.fakes.project import PLAN, QA, STATE
from tests.fleet.fleets import Fleet

from podium.fleet.orders import Result

pytestmark = pytest.mark.fleet


@pytest.fixture
def fleet(tmp_path: Path, database: str) -> Iterator[Fleet]:
    found = Fleet(tmp_path, database)
    yield found
    found.close()


def test_a_run_on_the_fleet_ends_as_it_would_have_alone(fleet: Fleet) -> None:
    fleet.submit()
    assert fleet.drive() is Result.FINISHED
    alone = fleet.alone()
    assert [each["type"] for each in fleet.events()] == [each["type"] for each in alone.events("R1")]
    for path in (STATE, PLAN, QA, "src/app.py"):
        assert fleet.show(path) == (alone.project / path).read_text()
    assert fleet.journal.holder("R1") is None
    assert fleet.journal.with_work() == []
