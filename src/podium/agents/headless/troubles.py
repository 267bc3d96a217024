"""Turns an agent's complaint about its model's service into a typed failure: busy until when, no
key, no money.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from podium.agents.protocol import Failure

LONGEST_SLEEP_S = 8 * 86400.0
"""The longest window of any plan is a week; a longer wait is not believed."""
_SHORTEST_SLEEP_S = 1.0
_LONGEST = 4000
_UNITS = {
    "s": 1,
    "sec": 1,
    "second": 1,
    "m": 60,
    "min": 60,
    "minute": 60,
    "h": 3600,
    "hr": 3600,
    "hour": 3600,
    "day": 86400,
    "d": 86400,
}
_PART = re.compile(
    r"(\d+(?:\.\d+)?)\s*(days?|d|hours?|hrs?|h|minutes?|min|m|seconds?|sec|s)\b", re.IGNORECASE
)
_AFTER = re.compile(
    (
        r"\b(?:try again|retry|resets?|available again) (?:in|after)\b((?:[\s,]*(?:and "
        r")?\d[\d.]*\s*[a-z]+)+)"
    ),
    re.IGNORECASE,
)
_EPOCH = re.compile(r"\blimit reached\|(\d{10})\b")
_AT = re.compile(
    r"\b(?:try again|resets?|available again)(?: at)? (?:on )?"
    r"(?:(?P<month>[A-Z][a-z]{2})[a-z]* (?P<day>\d{1,2})(?:st|nd|rd|th)?,?(?: "
    r"(?P<year>\d{4}),?)?(?: at)? )?"
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d{2}))? ?(?P<half>am|pm)\b",
    re.IGNORECASE,
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_BUSY = re.compile(
    (
        r"\b429\b|\b529\b|\b503\b|rate.?limit|too many requests|overloaded|usage limit|hit your "
        r"(?:\w+ )?limit|resource.?exhausted"
    ),
    re.IGNORECASE,
)
_LOCKED = re.compile(
    r"\b401\b|\b403\b|unauthori[sz]ed|authentication|invalid (?:x-)?api.?key|incorrect api "
    r"key|not logged in|please run /login|"
    r"log ?in again|api key not valid|no api key",
    re.IGNORECASE,
)
_BROKEN = re.compile(
    r"\bterminated\b|connection (?:reset|closed|refused|error|lost)|stream "
    r"(?:disconnected|closed)|fetch failed|"
    r"socket hang up|ECONNRE|EPIPE|error decoding response",
    re.IGNORECASE,
)
_UNPAID = re.compile(
    r"credit balance|quota exceeded\. check|insufficient.?quota|billing", re.IGNORECASE
)


def trouble(said: str, now: datetime, hint: str = "") -> Failure | None:
    """The failure behind an agent's words about its service; None if they are about something
    else.
    """
    said = said[:_LONGEST]
    words = " ".join(said.split())[:600]
    if _UNPAID.search(said):
        return Failure(
            "not_dispatchable", f"the model's provider asks for payment: {words}", barred=True
        )
    if _BUSY.search(said):
        return Failure("rate_limit", words, reset_in(said, now))
    if _LOCKED.search(said):
        return locked(words, hint)
    return None


def broken_line(said: str) -> bool:
    """Whether the words are about a broken connection, so that another attempt may succeed."""
    return _BROKEN.search(said[:_LONGEST]) is not None


def locked(words: str, hint: str) -> Failure:
    """No login, or a rejected key. The hint says how to get access."""
    return Failure(
        "not_dispatchable",
        f"it has no access to its model: {words}" + (f" ({hint})" if hint else ""),
        barred=True,
    )


def until(epoch: object, now: datetime) -> float | None:
    """Seconds until the time a service named, if that is plausible."""
    if isinstance(epoch, bool) or not isinstance(epoch, int | float) or not 0 < epoch < 1e11:
        return None
    return _believed(epoch - now.timestamp())


def reset_in(said: str, now: datetime) -> float | None:
    """Seconds until the limit ends, according to the words; None if they name no plausible time."""
    said = said[:_LONGEST]
    if found := _EPOCH.search(said):
        return until(int(found[1]), now)
    if after := _AFTER.search(said):
        return _believed(
            sum(float(number) * _UNITS[_unit(word)] for number, word in _PART.findall(after[1]))
        )
    if at := _AT.search(said):
        return _moment(at, now)
    return None


def _unit(word: str) -> str:
    lowered = word.lower()
    return lowered if lowered in _UNITS else lowered.removesuffix("s")


def _moment(at: re.Match[str], now: datetime) -> float | None:
    """Seconds until a time of day; without a date, the next such time. Programs state their
    local time.
    """
    hour = int(at["hour"]) % 12 + (12 if at["half"].lower() == "pm" else 0)
    try:
        moment = now.replace(hour=hour, minute=int(at["minute"] or 0), second=0, microsecond=0)
        if at["month"]:
            month = _MONTHS.index(at["month"].lower()) + 1
            moment = moment.replace(
                year=int(at["year"] or now.year), month=month, day=int(at["day"])
            )
        elif moment < now:
            moment += timedelta(days=1)
    except ValueError:
        return None
    return _believed((moment - now).total_seconds())


def _believed(seconds: float) -> float | None:
    if not -3600 <= seconds <= LONGEST_SLEEP_S:
        return None
    return max(_SHORTEST_SLEEP_S, seconds)
