"""A day of a project is the day of all its runs, on whatever worker they are driven."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.engine.test_days import EVENTS
from tests.fleet.fleets import CALM_S, Fleet
from tests.state.journals import START

from podium.core.history import History
from podium.engine.days import UNKNOWN
from podium.fleet.journal.fleet_days import FleetDays
from podium.fleet.orders import Result
from podium.state.disk import Disk
from podium.state.local_journal import LocalJournal

pytestmark = pytest.mark.fleet


@pytest.fixture
def fleet(in_memory: Path, database: str) -> Iterator[Fleet]:
    found = Fleet(in_memory, database, beat_s=CALM_S)
    yield found
    found.close()


def test_what_a_run_on_another_worker_used_today_counts(fleet: Fleet) -> None:
    fleet.submit(run_id="R1")
    assert fleet.drive("R1", "w1") is Result.FINISHED
    fleet.settings["PODIUM_BUDGET__DAY_DISPATCHES"] = str(
        History(fleet.journal.read("R1")).dispatches()
    )
    fleet.submit(run_id="R2")
    fleet.drive("R2", "w2")
    (blocked,) = fleet.events("run.blocked", "R2")
    assert (blocked["stop"], "dispatches of one day" in blocked["reason"]) == ("budget", True)
    assert fleet.events("step.started", "R2") == []


class Yard:
    """Journals in the database, each driven by somebody at some time."""

    def __init__(self, fleet: Fleet) -> None:
        self.journal = fleet.journal
        self.days = FleetDays(self.journal, "own")
        self.local = LocalJournal(fleet.base, Disk(), lambda: datetime.now(UTC))
        self.root = fleet.base

    def run(self, name: str, remote: str = "git@host:a", *, driven: bool = True) -> None:
        self.journal.create(name, [START], request={"remote": remote})
        if driven:
            opened = self.journal.open(name, "somebody")
            self.journal.append(
                opened,
                1,
                [{key: value for key, value in each.items() if key != "ts"} for each in EVENTS[1:]],
            )
            self.journal.close(opened)

    def others(self, day: str = "") -> list[int]:
        """How many dispatches each of the others had on that day."""
        today = datetime.now(UTC).date().isoformat()
        return [
            len(each.usages)
            for each in self.days.others(self.root, self.local, "own", day or today)
        ]


@pytest.fixture
def yard(fleet: Fleet) -> Yard:
    made = Yard(fleet)
    made.run("own")
    return made


def test_of_the_others_those_of_the_same_remote_count_and_no_day_but_this_one(yard: Yard) -> None:
    for name, remote in (("a", "git@host:a"), ("b", "git@host:b"), ("c", "git@host:a")):
        yard.run(name, remote)
    yard.run("never", driven=False)
    assert yard.others() == [2, 2]
    assert yard.others("2020-01-01") == [0, 0]
    assert yard.others("2999-01-01") == []


def test_a_run_that_went_on_is_read_again_and_one_that_did_not_is_not(
    yard: Yard, monkeypatch: pytest.MonkeyPatch
) -> None:
    yard.run("a")
    yard.run("b")
    read: list[str] = []
    whole = yard.journal.read
    monkeypatch.setattr(yard.journal, "read", lambda run: (read.append(run), whole(run))[1])
    assert yard.others() == yard.others() == [2, 2]
    assert read == ["a", "b"]
    opened = yard.journal.open("b", "somebody")
    read.clear()
    yard.journal.append(
        opened, opened.seq, [{"type": "run.paused", "state": {"status": "waiting"}}]
    )
    yard.journal.close(opened)
    assert yard.others() == [2, 2]
    assert read == ["b"]


def test_a_journal_that_was_changed_is_unknown_and_not_nothing(yard: Yard) -> None:
    yard.run("a")
    yard.journal.link.do(
        lambda connection: connection.execute(
            "update podium_event set line = replace(line, 'plan', 'plot') where run = 'a'"
        )
    )
    assert yard.days.others(yard.root, yard.local, "own", "2026-03-01") == [UNKNOWN]
