from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from podium.workflows.ticket.times import minutes, moment, short, stamp

NOON = datetime(2026, 4, 20, 12, 0, 0, 999_000, tzinfo=UTC)


def test_a_stamp_is_utc_to_the_second():
    assert stamp(NOON) == "2026-04-20T12:00:00Z"
    assert stamp(NOON.astimezone(timezone(timedelta(hours=2)))) == "2026-04-20T12:00:00Z"
    with pytest.raises(ValueError, match="zone"):
        stamp(NOON.replace(tzinfo=None))


@pytest.mark.parametrize("text", [None, "", "soon", "2026-13-01T00:00:00Z"])
def test_what_is_no_moment_is_none(text: str | None):
    assert moment(text) is None


def test_a_stamp_is_read_back():
    assert moment("2026-04-20T14:00:00+02:00") == NOON.replace(microsecond=0)


@pytest.mark.parametrize(
    ("value", "written"), [(0, "0"), (3.0, "3"), (0.25, "0.3"), (1.04, "1"), (2.949, "2.9")]
)
def test_minutes_have_one_decimal_at_most(value: float, written: str):
    assert str(short(value)) == written


def test_a_span_is_never_negative_and_unknown_where_an_end_is():
    assert minutes(NOON, NOON + timedelta(seconds=90)) == 1.5
    assert minutes(NOON, NOON - timedelta(hours=1)) == 0
    assert minutes(None, NOON) is None
