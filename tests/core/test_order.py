"""Events of several runs in one order."""

from __future__ import annotations

from typing import Any

from podium.core.order import by_time


def event(run: str, seq: int, ts: str) -> dict[str, Any]:
    return {"run": run, "seq": seq, "ts": ts}


def test_events_of_a_run_and_its_children_are_told_by_time() -> None:
    events = [
        event("r", 1, "12:00"),
        event("r", 2, "12:05"),
        event("r/a", 1, "12:01"),
        event("r/a", 2, "12:04"),
    ]
    assert [(each["run"], each["seq"]) for each in by_time(events)] == [
        ("r", 1),
        ("r/a", 1),
        ("r/a", 2),
        ("r", 2),
    ]


def test_a_clock_that_was_set_back_changes_no_history() -> None:
    events = [
        event("r", 1, "12:00"),
        event("r", 2, "11:00"),
        event("r", 3, "11:01"),
        event("r", 10, "12:02"),
        event("r/a", 1, "12:01"),
    ]
    assert [(each["run"], each["seq"]) for each in by_time(events)] == [
        ("r", 1),
        ("r", 2),
        ("r", 3),
        ("r/a", 1),
        ("r", 10),
    ]
