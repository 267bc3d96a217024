"""Numbers and times in words for people. What is unknown is a dash, never a zero."""

from __future__ import annotations

from datetime import UTC, datetime

UNKNOWN = "–"


def moment(ts: object) -> float | None:
    """Seconds since the epoch of a journal's timestamp; None if it is not one."""
    try:
        found = datetime.fromisoformat(str(ts))
    except ValueError:
        return None
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()


def between(start: object, end: object) -> float | None:
    """Seconds from one timestamp to another, never negative."""
    first, last = moment(start), moment(end)
    return None if first is None or last is None else max(0.0, last - first)


def clock(ts: object) -> str:
    """12:03:04, in UTC like the journal."""
    found = moment(ts)
    return "--:--:--" if found is None else datetime.fromtimestamp(found, UTC).strftime("%H:%M:%S")


def day(ts: object) -> str:
    """2026-01-31 12:03, in UTC like the journal."""
    found = moment(ts)
    return (
        UNKNOWN if found is None else datetime.fromtimestamp(found, UTC).strftime("%Y-%m-%d %H:%M")
    )


def seconds(value: float | None) -> str:
    if value is None:
        return UNKNOWN
    if value < 9.95:
        return f"{value:.1f}s"
    whole = round(value)
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m {whole % 60:02}s"
    if whole < 86400:
        return f"{whole // 3600}h {whole % 3600 // 60:02}m"
    return f"{whole // 86400}d {whole % 86400 // 3600:02}h"


def count(value: float | None) -> str:
    """950, 12.3k, 1.2M."""
    if value is None:
        return UNKNOWN
    if value < 1000:
        return f"{value:.0f}"
    return f"{value / 1000:.1f}k" if value < 999_950 else f"{value / 1_000_000:.1f}M"


def money(value: float | None) -> str:
    """Dollars; small sums keep their significant digits."""
    if value is None:
        return UNKNOWN
    return f"${value:.4f}" if 0 < value < 0.01 else f"${value:.2f}"


def digest(value: object) -> str:
    """The first twelve digits: enough to compare by eye."""
    text = str(value)
    return text.removeprefix("sha256:")[:12] if text.startswith("sha256:") else text


def plural(number: int, noun: str) -> str:
    ending = "es" if noun.endswith(("s", "x", "z", "ch", "sh")) else "s"
    return f"{number} {noun}" if number == 1 else f"{number} {noun}{ending}"


def share(value: float | None) -> str:
    """A part of a whole in percent."""
    return UNKNOWN if value is None else f"{round(value * 100)}%"
