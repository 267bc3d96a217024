"""What a worker is told about one run, and what it reports when it stops. Pure."""

from __future__ import annotations

import json
import signal
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from podium.core.run import ENDED, Status


class Result(StrEnum):
    """How a work item ended."""

    FINISHED = "finished"  # the run has ended
    PARKED = "parked"  # it waits for a person, a timer or a repair; the engine keeps nothing of it
    CONTINUE = "continue"  # it was stopped between two steps and has work
    BUSY = "busy"  # another worker drives it
    FENCED = "fenced"  # another worker took it over; the engine is told nothing
    REFUSED = "refused"  # this worker may not or cannot drive it, another may
    FULL = "full"  # a limit of the fleet is reached, so it waits in line
    ELSEWHERE = "elsewhere"  # another worker may take it now, so the engine should notify others
    FAILED = "failed"  # the driver died; it may be tried again


CODES = {
    Result.FINISHED: 0,
    Result.PARKED: 10,
    Result.CONTINUE: 11,
    Result.BUSY: 40,
    Result.FENCED: 41,
    Result.REFUSED: 42,
    Result.FULL: 43,
}
"""Exit codes of a driver."""
DRAIN = signal.SIGUSR1
"""Tells a driver to leave its run after the current step. Not SIGINT, which the engine sometimes
handles itself.
"""
SENT_ON = "resume@"
"""Prefix of the inbox key of a reason to continue; the number of events at that time follows."""


def result_of(code: int) -> Result:
    return next((result for result, known in CODES.items() if known == code), Result.FAILED)


def reason(events: Sequence[Mapping[str, Any]], inbox: Mapping[str, Mapping[str, Any]]) -> str:
    """Why a blocked run may continue: what a person said since it was blocked; empty if nobody
    said anything.
    """
    blocked = max((each["seq"] for each in events if each["type"] == "run.blocked"), default=0)
    said = {
        int(key.removeprefix(SENT_ON)): told
        for key, told in inbox.items()
        if key.removeprefix(SENT_ON).isdigit() and key.startswith(SENT_ON)
    }
    latest = max(said, default=-1)
    return str(said[latest].get("because", "")) if blocked and latest >= blocked else ""


def standing(status: Status) -> Result:
    """What the engine is told about a run that rests with this status."""
    if status in ENDED:
        return Result.FINISHED
    return Result.CONTINUE if status is Status.ACTIVE else Result.PARKED


@dataclass(frozen=True)
class Order:
    """One attempt at one run."""

    run: str
    database: str
    remote: str
    work: str
    """The worker's folder: checkouts, and a mirror of the remote."""
    worker: str
    beat_s: float = 10.0
    steps: int = 0
    """Stop after this many steps; 0 means continue until the run rests."""
    limits: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """The fleet's limits, which apply when the run is opened."""
    usual: Mapping[str, Any] = field(default_factory=dict)
    """Who plays the roles for which nobody was named."""
    store: str = ""
    store_endpoint: str = ""
    store_above: int = 5_000_000
    """Bytes above which a file goes to the store. The store's keys are only in the environment."""

    def line(self) -> str:
        return json.dumps(asdict(self)) + "\n"

    @classmethod
    def read(cls, line: str) -> Order:
        return cls(**json.loads(line))
