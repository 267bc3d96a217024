"""What a worker is told about one run, and what it says when it stops. Pure."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from enum import StrEnum

from podium.core.run import ENDED, Status


class Result(StrEnum):
    """How a work item ended."""

    FINISHED = "finished"  # the run has ended
    PARKED = "parked"  # it waits for a person, a timer or a repair: nothing of it stays in the engine
    CONTINUE = "continue"  # it was stopped between two steps and has work
    BUSY = "busy"  # another worker drives it
    FENCED = "fenced"  # another worker took it over: say nothing to the engine
    REFUSED = "refused"  # this worker may not or cannot drive it; another may
    FAILED = "failed"  # the driver died: it may be tried again


CODES = {Result.FINISHED: 0, Result.PARKED: 10, Result.CONTINUE: 11, Result.BUSY: 40, Result.FENCED: 41, Result.REFUSED: 42}
"""Exit codes of a driver."""


def result_of(code: int) -> Result:
    return next((result for result, known in CODES.items() if known == code), Result.FAILED)


def standing(status: Status) -> Result:
    """What the engine is told of a run that rests so."""
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
    """Stop after so many steps; 0 = go on until the run rests."""

    def line(self) -> str:
        return json.dumps(asdict(self)) + "\n"

    @classmethod
    def read(cls, line: str) -> Order:
        return cls(**json.loads(line))
