"""Moments and spans as the documents write them: UTC to the second, minutes with at most one
decimal.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime

PATTERN = r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)"
LIKE = "2026-04-20T10:00:00Z"


def stamp(now: datetime) -> str:
    """ISO 8601; a moment without a time zone is a mistake of the caller."""
    if now.tzinfo is None:
        raise ValueError("a moment needs its zone")
    return now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def moment(text: str | None) -> datetime | None:
    """The moment that a stamp means; None if there is none or it cannot be read."""
    try:
        found = datetime.fromisoformat(text) if text else None
    except ValueError:
        return None
    return None if found is None else found.replace(tzinfo=found.tzinfo or UTC).astimezone(UTC)


def minutes(start: datetime | None, end: datetime | None) -> float | None:
    """Minutes from start to end, never below 0; None if one of them is unknown."""
    if start is None or end is None:
        return None
    return short(max(0.0, (end - start).total_seconds() / 60))


def short(value: float) -> float:
    """One decimal; none for whole numbers, so that 3.0 is written 3."""
    rounded = math.floor(value * 10 + 0.5) / 10
    return int(rounded) if rounded == int(rounded) else rounded
