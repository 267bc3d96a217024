"""States in the words and tones that all pages share. What is unknown is called so, never shown
as nothing.
"""

from __future__ import annotations

from podium.core.records import StepRecord
from podium.views.board.row import OUTCOMES, State
from podium.views.look import TONES, standing_word

UNKNOWN = "unknown"

_STATES: dict[str, str] = {
    "pending": "to come",
    "running": "at work",
    "done": "done",
    "failed": "failed",
    "waiting": "waits",
    "stale": "stale",
    "skipped": "not needed",
}


def status_word(
    status: str, *, driven: bool = True, far: bool = False, asks: bool = True, outcome: str = ""
) -> str:
    """The word for a status. An active run that is not `driven` was stopped, or on a fleet (`far`)
    is in the queue.

    `asks`: whether a waiting run has an open gate; `outcome`: how it completed.
    """
    if status == "active" and not driven:
        return "in the queue" if far else "stopped"
    return standing_word(status, asks=asks, outcome=outcome)[0]


def status_tone(
    status: str, *, driven: bool = True, far: bool = False, asks: bool = True, outcome: str = ""
) -> str:
    if status == "active" and not driven:
        return "dim" if far else "ask"
    if status == "damaged":
        return "bad"
    return standing_word(status, asks=asks, outcome=outcome)[1]


def state_word(state: str) -> str:
    return _STATES.get(state, state)


def state_tone(state: str) -> str:
    return TONES.get(state, "plain")  # type: ignore[call-overload, no-any-return]


def severity_tone(severity: str) -> str:
    """How prominent a finding is; an unknown word counts as plain."""
    word = severity.strip().casefold()
    if word in {"critical", "blocker", "high", "major", "p0", "p1"}:
        return "bad"
    return "ask" if word in {"medium", "moderate", "warning", "p2"} else "plain"


def state_of(record: StepRecord) -> State:
    """A step's state, as the board shows it."""
    early: dict[str, State] = {"running": "running", "interrupted": "pending", "stale": "stale"}
    return early.get(record.state) or OUTCOMES.get(record.outcome, "failed")
