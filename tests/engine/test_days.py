"""What other runs used today is read from their journals, once for each state of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.engine.test_services import RUN, World

from podium.core.history import History
from podium.engine.days import UNKNOWN, Days, OfRun, of_run
from podium.state.local_journal import LocalJournal


class Counting(LocalJournal):
    """Knows how often it was read."""

    times = 0

    def read(self, run: str) -> list[dict[str, Any]]:
        self.times += 1
        return super().read(run)


def counting(world: World) -> Counting:
    return Counting(world.root, world.services.disk, world.clock)


def test_a_journal_is_read_again_when_it_grew_or_another_day_is_asked_for(tmp_path: Path) -> None:
    world = World.at(tmp_path)
    world.go()
    day, days, journal = world.services.today(), Days(), counting(world)

    def read(day: str) -> OfRun:
        return days.read(world.root, journal, RUN, day)

    first = read(day)
    assert [each["tokens_in"] for each in first.usages] == [100]
    assert first.seconds > 0
    assert read(day) is first
    assert journal.times == 1
    world.decide()
    world.go()
    assert len(read(day).usages) == 2
    assert read("2999-01-01") == OfRun([], 0.0)
    assert journal.times == 3


def finished(key: str, ts: str, number: int) -> dict[str, Any]:
    made: dict[str, Any] = {
        "outcome": "ok",
        "verdict": "",
        "outputs": {},
        "assurance": {},
        "evidence": [],
    }
    return {"type": "step.finished", "key": key, "ts": ts, "usage": {"n": number}, **made}


def started(key: str, kind: str, ts: str) -> dict[str, Any]:
    return {
        "type": "step.started",
        "key": key,
        "kind": kind,
        "role": "r",
        "attempt": 1,
        "inputs": {},
        "ts": ts,
    }


EVENTS = [
    {"type": "run.started", "workflow": "w", "ts": "2026-03-01T23:00:00.000Z"},
    started("plan", "dispatch", "2026-03-01T23:00:00.000Z"),
    {
        "type": "retry.scheduled",
        "key": "plan",
        "ts": "2026-03-01T23:30:00.000Z",
        "usage": {"n": 1},
        "classification": "x",
        "delay_s": 0,
        "limit": 1,
    },
    started("plan", "dispatch", "2026-03-01T23:50:00.000Z"),
    finished("plan", "2026-03-02T00:10:00.000Z", 2),
    started("tests", "check", "2026-03-02T00:10:00.000Z"),
    finished("tests", "2026-03-02T00:20:00.000Z", 3),
    {"type": "retry.scheduled", "key": "plan", "of": "workflow", "ts": "2026-03-02T00:20:00.000Z"},
    {"type": "run.paused", "ts": "2026-03-02T00:30:00.000Z"},
]


@pytest.mark.parametrize(
    ("day", "numbers", "minutes"),
    [("2026-03-01", [1], 90), ("2026-03-02", [2], 30), ("2026-03-03", [], 0)],
)
def test_a_dispatch_counts_for_the_day_on_which_it_ended(
    day: str, numbers: list[int], minutes: int
) -> None:
    history = History({**each, "seq": seq} for seq, each in enumerate(EVENTS, 1))
    found = of_run("r", history, EVENTS, day, "")
    assert ([each["n"] for each in found.usages], found.seconds) == (numbers, minutes * 60)
    assert of_run("r/child", history, EVENTS, day, "") == OfRun(found.usages, 0.0), (
        "while a child runs its root is driven"
    )


def test_a_journal_that_was_changed_is_unknown_and_not_nothing(tmp_path: Path) -> None:
    world = World.at(tmp_path)
    world.go()
    where = world.root / ".podium" / "runs" / RUN / "journal.jsonl"
    where.write_bytes(where.read_bytes().replace(b'"tokens_in":100', b'"tokens_in":1'))
    assert Days().read(world.root, counting(world), RUN, world.services.today()) is UNKNOWN
