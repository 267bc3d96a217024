"""Every way in which a turn can end, as one of Podium's own words."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from podium.agents.acp.stopping import AUTH_REQUIRED, ending_of, of_end, of_error, of_reason
from podium.agents.headless.troubles import trouble
from podium.agents.protocol import Failure, FailureKind, Finished


@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        ("end_turn", None),
        ("max_tokens", "garbage"),
        ("max_turn_requests", "timeout"),
        ("refusal", "crash"),
        ("cancelled", "crash"),
        ("done", "garbage"),
        ("", "garbage"),
    ],
)
def test_a_reason_is_a_failure_unless_the_turn_came_to_its_end(
    reason: str, kind: str | None
) -> None:
    failure = of_reason(reason)
    assert (failure.kind if failure else None) == kind


@pytest.mark.parametrize(
    ("code", "data", "kind"),
    [
        (AUTH_REQUIRED, None, "not_dispatchable"),
        (-32603, {"details": "no model"}, "crash"),
        (7, [object()], "crash"),
    ],
)
def test_an_error_says_what_was_asked_and_what_came(code: int, data: Any, kind: str) -> None:
    failure = of_error("session/new", code, "nothing works", data)
    assert failure.kind == kind
    assert "session/new" in failure.detail
    assert "nothing works" in failure.detail


@pytest.mark.parametrize(
    ("ended", "kind", "said"),
    [
        (
            Finished(9, b"", b"Traceback\nBoom"),
            "crash",
            "exit code 9 before it answered session/prompt: Traceback\nBoom",
        ),
        (Finished(1, b"", b""), "crash", "printed this"),
        (Finished(137, b"", b"", timed_out=True), "timeout", "5 s"),
        (Finished(137, b"", b"", timed_out=True, silent=True), "timeout", "silent"),
        (None, "crash", "went away"),
    ],
)
def test_an_agent_that_went_away_is_told_by_how_it_went(
    ended: Finished | None, kind: str, said: str
) -> None:
    failure = of_end(ended, "session/prompt", 5.0, ["printed this"])
    assert failure.kind == kind
    assert said in failure.detail


@pytest.mark.parametrize(
    ("kind", "detail", "ending"),
    [
        ("timeout", "no answer in 5 s", "timeout"),
        ("timeout", "it reached its limit before it was done: it used more than 3 tools", "limit"),
        ("parked", "it asks", "parked"),
        ("rate_limit", "", "rate_limit"),
        ("violation", "", "cancelled"),
        ("garbage", "", "crash"),
        ("not_dispatchable", "it works in the mode 'login'", "crash"),
    ],
)
def test_the_transcript_has_its_own_word_for_the_end(
    kind: FailureKind, detail: str, ending: str
) -> None:
    assert ending_of(Failure(kind, detail)) == ending


def test_a_missing_login_is_known_by_the_protocol_s_code_and_not_by_the_agent_s_words() -> None:
    assert ending_of(of_error("session/new", AUTH_REQUIRED, "who are you?", None)) == "auth"
    assert ending_of(trouble("401 Unauthorized", datetime.now(UTC))) == "auth"
    assert ending_of(of_error("session/new", -32603, "please login", None)) == "crash"


def test_silence_and_success_have_theirs() -> None:
    assert ending_of(None) == "end_turn"
    assert (
        ending_of(of_end(Finished(137, b"", b"", timed_out=True, silent=True), "x", 1.0))
        == "silence"
    )
