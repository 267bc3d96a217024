"""An agent's complaint as a failure with a type, and the time at which a limit ends."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.agents.headless.troubles import LONGEST_SLEEP_S, broken_line, reset_in, trouble, until

NOW = datetime(2026, 11, 16, 14, 0, tzinfo=UTC)
MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        (
            "You've hit your usage limit. Upgrade to Pro or try again at 3:33 PM.",
            HOUR + 33 * MINUTE,
        ),
        ("You've hit your limit · resets 6:04am (UTC)", 16 * HOUR + 4 * MINUTE),
        ("try again at Nov 18th, 2026 2:00 PM.", 2 * DAY),
        ("resets at 2pm", 0 * HOUR + 1.0),
        ("Please try again in 28.5s.", 28.5),
        ("try again in 1 hour 30 minutes", 1.5 * HOUR),
        ("try again in 2 days, 3 hours and 5 minutes.", 2 * DAY + 3 * HOUR + 5 * MINUTE),
        ("Claude AI usage limit reached|1794841200", 1794841200 - NOW.timestamp()),
        ("retry after 90 seconds", 90.0),
    ],
)
def test_the_end_of_a_limit_is_found_in_the_words(said: str, seconds: float) -> None:
    assert reset_in(said, NOW) == pytest.approx(seconds)


@pytest.mark.parametrize(
    "said",
    [
        "usage limit reached",
        "try again later",
        "try again at 25:61 PM",
        "try again at Feb 31, 2026 1:00 PM",
        "try again in 400 days",
        "usage limit reached|9999999999",
        "try again in 9" + "9" * 400 + "s",
    ],
)
def test_what_is_not_said_or_cannot_be_true_is_unknown(said: str) -> None:
    assert reset_in(said, NOW) is None


def test_a_time_of_day_is_the_programs_own() -> None:
    there = NOW.astimezone(timezone(timedelta(hours=5)))  # 19:00
    assert reset_in("try again at 8:00 PM", there) == HOUR


@pytest.mark.parametrize(
    "epoch", [None, True, "1794841200", float("nan"), float("inf"), -1, 1e30, [], {}]
)
def test_a_time_that_is_none_is_not_waited_for(epoch: object) -> None:
    assert until(epoch, NOW) is None


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("exceeded retry limit, last status: 429 Too Many Requests", "rate_limit"),
        ("API Error: 529 overloaded_error", "rate_limit"),
        ("RESOURCE_EXHAUSTED", "rate_limit"),
        ("unexpected status 401 Unauthorized: Incorrect API key provided", "not_dispatchable"),
        ("Invalid API key · Please run /login", "not_dispatchable"),
        ("API key not valid. Please pass a valid API key.", "not_dispatchable"),
        ("Credit balance is too low", "not_dispatchable"),
        ("Quota exceeded. Check your plan and billing details.", "not_dispatchable"),
    ],
)
def test_complaints_about_the_service_are_told_apart(said: str, kind: str) -> None:
    found = trouble(said, NOW, "set A_KEY")
    assert found is not None
    assert found.kind == kind


def test_other_complaints_are_none_of_the_services() -> None:
    assert trouble("TypeError: undefined is not a function", NOW) is None
    assert trouble("the tests fail in 4290 places", NOW) is None


def test_one_without_access_is_told_how_to_get_it() -> None:
    found = trouble("401 Unauthorized", NOW, "set A_KEY")
    assert found is not None
    assert found.detail.endswith("(set A_KEY)")


def test_a_broken_line_is_known_by_its_words() -> None:
    assert broken_line("[API Error: terminated]")
    assert broken_line("stream disconnected before completion")
    assert not broken_line("the process was ended")


@settings(max_examples=200, deadline=None)
@given(
    said=st.text(max_size=300)
    | st.from_regex(r"(try again|resets) (in|at) [0-9a-z:, ]{0,60}", fullmatch=True)
)
def test_no_words_make_it_fail_or_sleep_too_long(said: str) -> None:
    found = reset_in(said, NOW)
    assert found is None or 1.0 <= found <= LONGEST_SLEEP_S
    trouble(said, NOW)
