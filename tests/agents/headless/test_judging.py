"""From what was heard and how the program ended to a failure or none: a table."""

from __future__ import annotations

from dataclasses import replace

import pytest

from podium.agents.headless.heard import Heard
from podium.agents.headless.judging import ALLOW, better, ending_of, failure_of, parked
from podium.agents.protocol import Failure, Finished

CLEAN, BROKEN = Finished(0, b"", b""), Finished(1, b"", b"Error: boom\n")
LATE = Finished(137, b"", b"", timed_out=True)
BUSY = Failure("rate_limit", "busy")


def heard(**members: object) -> Heard:
    return replace(Heard(messages=1), **members)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("found", "finished", "own_end", "kind", "ending"),
    [
        (heard(over=True), CLEAN, True, "", "end_turn"),
        (heard(over=True), BROKEN, True, "", "end_turn"),  # an exit code proves nothing
        (heard(over=True), LATE, True, "", "end_turn"),  # it lingered after its last word
        (heard(over=True, failure=BUSY), CLEAN, True, "rate_limit", "rate_limit"),
        (heard(), CLEAN, True, "crash", "crash"),
        (heard(), BROKEN, True, "crash", "crash"),
        (heard(), CLEAN, False, "", "end_turn"),
        (heard(), BROKEN, False, "crash", "crash"),
        (heard(), LATE, True, "timeout", "timeout"),
        (heard(), replace(LATE, silent=True), True, "timeout", "silence"),
        (heard(failure=Failure("timeout", "its turns")), CLEAN, True, "timeout", "limit"),
        (heard(), replace(BROKEN, not_started="no such file"), True, "not_dispatchable", "crash"),
        (
            heard(failure=Failure("not_dispatchable", "no key")),
            CLEAN,
            True,
            "not_dispatchable",
            "auth",
        ),
    ],
)
def test_what_counts_is_the_end_of_the_stream_and_not_the_exit_code(
    found: Heard, finished: Finished, own_end: bool, kind: str, ending: str
) -> None:
    failure = failure_of(found, finished, 9.0, 3.0, own_end=own_end, noise="")
    assert (failure.kind if failure else "") == kind
    assert ending_of(failure, finished) == ending


def test_an_exit_code_that_means_the_limit_of_turns_is_no_crash() -> None:
    finished = Finished(53, b"", b"Reached max session turns")
    failure = failure_of(heard(), finished, 9.0, None, own_end=True, noise="", spent=53)
    assert failure == Failure("timeout", "it reached its turn limit before it was done")
    assert ending_of(failure, finished) == "limit"


def test_a_program_that_prints_something_else_is_garbage() -> None:
    failure = failure_of(Heard(), CLEAN, 9.0, None, own_end=True, noise="3 lines that are not JSON")
    assert failure is not None
    assert failure.kind == "garbage"


def test_a_crash_tells_the_last_words_of_its_errors() -> None:
    failure = failure_of(heard(), BROKEN, 9.0, None, own_end=True, noise="")
    assert failure is not None
    assert failure.detail.endswith("Error: boom")


@pytest.mark.parametrize(
    ("said", "gateway", "kept"),
    [
        (None, BUSY, None),
        (Failure("crash", "it died"), BUSY, BUSY),
        (Failure("timeout", "no answer"), BUSY, BUSY),
        (
            Failure("rate_limit", "busy", 60.0),
            replace(BUSY, retry_after=90.0),
            Failure("rate_limit", "busy", 60.0),
        ),
        (BUSY, replace(BUSY, retry_after=90.0), replace(BUSY, retry_after=90.0)),
        (Failure("parked", "?"), BUSY, Failure("parked", "?")),
        (Failure("crash", "it died"), None, Failure("crash", "it died")),
    ],
)
def test_what_the_gateway_knows_explains_an_end_that_the_agent_cannot(
    said: Failure | None, gateway: Failure | None, kept: Failure | None
) -> None:
    assert better(said, gateway) == kept


def test_a_parked_agent_names_what_it_wanted_once() -> None:
    failure = parked(["npm test", "npm test", "  "])
    assert failure.detail.count("npm test") == 1
    assert ALLOW in failure.choices
