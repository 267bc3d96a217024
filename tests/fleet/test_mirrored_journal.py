"""The journal on a worker: files before events, few writings, and nothing that outlives its
writing.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.state.journals import START, ticking

from podium.core.errors import Fenced
from podium.core.vocabulary import TYPES
from podium.fleet.journal.mirrored_journal import (
    WAIT_S,
    WAITING,
    MirroredJournal,
    lines_of,
    may_wait,
)
from podium.fleet.journal.postgres_journal import PostgresJournal
from podium.fleet.parcels.workshop import write_journal
from podium.state.disk import Disk

STARTED = {"type": "step.started", "key": "build"}
FINISHED = {"type": "step.finished", "key": "build", "outputs": {}}
SAVED = {"type": "document.saved", "path": "a.md"}

pytestmark = pytest.mark.fleet


class Bench:
    """A journal under test, what the database has, and what was pushed and told."""

    def __init__(self, folder: Path, make: Callable[..., PostgresJournal]) -> None:
        self.make = make
        self.truth = make()
        self.truth.create("R1", [START])
        self.held = self.truth.open("R1", "w1")
        write_journal(folder, "R1", lines_of(self.truth.read("R1")))
        self.pushed: list[list[str]] = []
        self.told: list[list[str]] = []
        self.broken = False
        self.journal = MirroredJournal(
            folder,
            Disk(),
            ticking(),
            truth=self.truth,
            held=self.held,
            send=self.send,
            told=lambda facts: self.told.append(types(facts)),
        )
        self.opened = self.journal.open("R1", "w1")

    def send(self, facts: Any) -> str:
        if self.broken:
            raise ConnectionError("the remote is gone")
        assert len(self.truth.read("R1")) < facts[0]["seq"], "an event before its files"
        self.pushed.append(types(facts))
        return f"parcel {len(self.pushed)}"

    def append(self, *facts: dict[str, Any]) -> None:
        self.journal.append(self.opened, self.opened.seq, facts)

    def written(self) -> list[str]:
        return types(self.truth.read("R1"))


def types(facts: Any) -> list[str]:
    return [each["type"] for each in facts]


@pytest.fixture
def bench(tmp_path: Path, postgres: Callable[..., PostgresJournal]) -> Bench:
    return Bench(tmp_path, postgres)


def test_the_end_of_a_step_is_written_with_the_beginning_of_the_next(bench: Bench) -> None:
    async def work() -> None:
        bench.append(STARTED)
        bench.append(FINISHED)
        assert bench.written() == ["run.started", "step.started"]
        bench.append(SAVED, {**STARTED, "key": "qa"})

    asyncio.run(work())
    assert bench.pushed == [["step.started"], ["step.finished", "document.saved", "step.started"]]
    assert bench.told == bench.pushed
    assert bench.truth.read("R1") == bench.journal.read("R1") == list(bench.held.events)
    assert bench.truth.parcel("R1") == "parcel 2"


def test_what_nobody_follows_is_written_after_a_moment(bench: Bench) -> None:
    async def work() -> None:
        bench.append(FINISHED)
        await asyncio.sleep(WAIT_S / 5)
        bench.append(SAVED)
        assert bench.written() == ["run.started"]
        await asyncio.sleep(WAIT_S * 1.5)
        assert bench.written() == ["run.started", "step.finished", "document.saved"]

    asyncio.run(work())
    assert len(bench.pushed) == 1


def test_what_waits_is_written_when_the_journal_is_closed(bench: Bench) -> None:
    async def work() -> None:
        bench.append(FINISHED)

    asyncio.run(work())
    bench.journal.close(bench.opened)
    assert bench.written() == ["run.started", "step.finished"]


def test_outside_of_the_loop_nothing_waits(bench: Bench) -> None:
    bench.append(FINISHED)
    assert bench.written() == ["run.started", "step.finished"]


@pytest.mark.parametrize("kind", sorted(TYPES - WAITING))
def test_what_others_may_act_on_does_not_wait(kind: str) -> None:
    assert not may_wait(kind, "harness")


def test_facts_of_a_workflow_wait_with_the_end_of_their_step() -> None:
    assert may_wait("ticket.log", "ticket")
    assert may_wait("ticket.log", "ticket-item")
    assert not may_wait("ticket.log", "harness")
    assert not may_wait("unheard.of", "")


def test_one_who_was_overtaken_while_events_waited_writes_none_of_them(bench: Bench) -> None:
    async def work() -> None:
        bench.append(FINISHED)
        bench.truth.beat_s = 0
        other = bench.make(beat_s=0.0)
        other.open("R1", "w2")
        with pytest.raises(Fenced):
            bench.append({**STARTED, "key": "qa"})
        with pytest.raises(Fenced):
            bench.append(FINISHED)

    asyncio.run(work())
    assert bench.written() == ["run.started"]
    assert bench.told == []


def test_a_fault_while_nobody_looked_is_raised_at_the_next_word_and_nothing_is_skipped(
    bench: Bench,
) -> None:
    async def work() -> None:
        bench.broken = True
        bench.append(FINISHED)
        await asyncio.sleep(WAIT_S * 1.5)
        bench.broken = False
        with pytest.raises(ConnectionError):
            bench.append(STARTED)

    asyncio.run(work())
    with pytest.raises(ConnectionError):
        bench.journal.close(bench.opened)
    assert bench.written() == ["run.started"]


def test_events_that_do_not_follow_what_is_written_are_refused(bench: Bench) -> None:
    forged = [{**STARTED, "seq": 2, "run": "R1", "ts": "", "prev": "0" * 64, "hash": "1" * 64}]
    with pytest.raises(Fenced, match="does not follow"):
        bench.truth.append(bench.held, 1, forged, sealed_before=True)
    assert bench.written() == ["run.started"]
