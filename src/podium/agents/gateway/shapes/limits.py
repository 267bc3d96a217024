"""When a provider that refuses for now will answer again, wherever in its answer it says so."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any

LIMITED = frozenset({429, 503, 529})
"""Statuses that mean: not now."""
LONGEST_S = 14 * 24 * 3600.0
"""A longer wait is a clock error."""
_SPAN = re.compile(r"(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+)ms)?")
_RESETS = ("anthropic-ratelimit-unified-reset", "x-ratelimit-reset")
_USED_UP = (
    (
        "anthropic-ratelimit-{}-remaining",
        "anthropic-ratelimit-{}-reset",
        ("requests", "tokens", "input-tokens", "output-tokens"),
    ),
    ("x-ratelimit-remaining-{}", "x-ratelimit-reset-{}", ("requests", "tokens")),
)


def retry_after(headers: Mapping[str, str], body: bytes, now: datetime) -> float | None:
    """Seconds from now; None if the answer does not say. Header names are in lower case."""
    for found in (*_from_headers(headers, now), *_from_body(body, now)):
        if 0 <= found <= LONGEST_S:
            return found
    return None


def _from_headers(headers: Mapping[str, str], now: datetime) -> Iterator[float]:
    for name, factor in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        if (said := headers.get(name)) is not None:
            yield from (
                value * factor if _number(said) is not None else value
                for value in _moment(said, now)
            )
    for name in _RESETS:
        yield from _moment(headers.get(name, ""), now)
    for remaining, reset, kinds in _USED_UP:
        waits = [
            wait
            for kind in kinds
            if headers.get(remaining.format(kind), "").strip() == "0"
            for wait in _moment(headers.get(reset.format(kind), ""), now)
        ]
        yield from [max(waits)] if waits else []


def _from_body(body: bytes, now: datetime) -> Iterator[float]:
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        return
    error = data.get("error") if isinstance(data, Mapping) else None
    if not isinstance(error, Mapping):
        return
    for name in ("resets_in_seconds", "retry_after", "resets_at", "reset_at"):
        if isinstance(value := error.get(name), int | float | str) and not isinstance(value, bool):
            yield from _moment(str(value), now)
    details = error.get("details")
    for each in details if isinstance(details, list) else ():
        delay: Any = each.get("retryDelay") if isinstance(each, Mapping) else None
        if isinstance(delay, str):
            yield from _moment(delay, now)


def _moment(said: str, now: datetime) -> list[float]:
    """Seconds until the time in a text: a number, a span, epoch seconds, or a date in ISO or
    mail format.
    """
    said = said.strip()
    number = _number(said)
    if number is not None:
        return [number - now.timestamp() if number > 1_000_000_000 else number]
    if said and (span := _SPAN.fullmatch(said)):
        hours, minutes, seconds, milliseconds = (float(each or 0) for each in span.groups())
        return [hours * 3600 + minutes * 60 + seconds + milliseconds / 1000]
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            moment = read(said)
        except (ValueError, IndexError):
            continue
        if moment.tzinfo is not None:
            return [max(0.0, (moment - now).total_seconds())]
    return []


def _number(said: str) -> float | None:
    try:
        return abs(float(said)) if re.fullmatch(r"\d+(\.\d+)?", said) else None
    except ValueError:
        return None
