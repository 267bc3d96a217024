"""The order in which the events of a run and its child runs are shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

_Event = TypeVar("_Event", bound=Mapping[str, Any])


def by_time(events: Iterable[_Event]) -> list[_Event]:
    """By time, but each run's own events in journal order, so that a clock that was set back
    does not change history.
    """
    latest: dict[str, str] = {}
    placed = []
    for each in sorted(
        events, key=lambda each: (str(each.get("run")), str(each.get("seq")).zfill(12))
    ):
        run = str(each.get("run"))
        latest[run] = max(latest.get(run, ""), str(each.get("ts")))
        placed.append((latest[run], each))
    return [each for _, each in sorted(placed, key=lambda pair: pair[0])]
