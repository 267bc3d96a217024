"""What a run told its watcher, in an order and at a pace that do not depend on the machine."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from hashlib import sha1
from itertools import zip_longest
from typing import Any

Told = tuple[str, tuple[Any, ...]]
"""`event` or `activity`, and its arguments."""


def said(each: Told) -> tuple[str, str]:
    return (
        (str(each[1][0].get("type")), str(each[1][0].get("key", "")))
        if each[0] == "event"
        else ("", "")
    )


def braided(told: Sequence[Told]) -> list[Told]:
    """Entries of child runs that ran side by side, one of each in turn: within a child the order
    is always the same.
    """
    found: list[Told] = []
    strands: dict[str, list[Told]] = {}
    for each in (*told, ("", ({},))):
        if child := _child(each, strands):
            strands.setdefault(child, []).append(each)
            continue
        for turn in zip_longest(*(strands[name] for name in sorted(strands))):
            found += [line for line in turn if line is not None]
        strands = {}
        found += [each] if each[0] else []
    return found


def _child(each: Told, strands: Mapping[str, Any]) -> str:
    if each[0] == "event":
        return str(each[1][0].get("run", "")).partition("/")[2]
    return (
        next((name for name in strands if str(each[1][0]).startswith(f"{name}/")), "")
        if each[0]
        else ""
    )


def in_turn(told: Sequence[Told]) -> list[Told]:
    """Entries of agents that ran side by side, in an order independent of the machine: all
    begin, then all work, then all end.
    """
    found: list[Told] = []
    waiting: list[Told] = []
    for each in told:
        kind, key = said(each)
        beside = re.fullmatch(
            r"((research|ct/\d|v/\d|r/\d|(fix/\d/)?wave/\d)/[^/]+|iteration/\d/(plan|task)/.+)",
            key or (each[1][0] if each[0] == "activity" else ""),
        )
        if beside:
            waiting.append(each)
            continue
        if kind.startswith(("run.advanced", "phase")) and waiting:
            found += sorted(waiting, key=_turn)
            waiting = []
        found.append(each)
    return [*found, *sorted(waiting, key=_turn)]


def _turn(each: Told) -> tuple[int, str]:
    kind, key = said(each)
    rank = {"step.started": 0, "": 1}.get(kind, 3 if kind == "step.finished" else 2)
    return rank, key or str(each[1][0])


def paced(told: Sequence[Told], moment: datetime) -> list[Told]:
    """The events at the demo's pace instead of the machine's: each agent takes as long as the
    demo says.
    """
    found: list[Told] = []
    for kind, fields in told:
        if kind == "event":
            event = fields[0]
            finished = event["type"] == "step.finished"
            # Files are saved when there is time for it, so how often also depends on the machine.
            moment += timedelta(
                seconds=0.4 if finished else 0.0 if event["type"].startswith("document.") else 0.002
            )
            usage = {"usage": {**event["usage"], "seconds": 0.4}} if finished else {}
            event = {
                **event,
                **usage,
                **named(event),
                "ts": moment.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z",
            }
            found.append((kind, (event,)))
        else:
            found.append((kind, fields))
    return found


def named(event: Mapping[str, Any]) -> dict[str, Any]:
    """Commits named after their step: real ids depend on the time at which the demo's project
    was made.
    """
    made = [each for each in event.get("evidence") or () if each.get("commit")]
    key = str(event.get("key", ""))
    return (
        {"evidence": [{**each, "commit": sha1(key.encode()).hexdigest()} for each in made]}
        if made
        else {}
    )
