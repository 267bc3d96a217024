"""A span as plain data. Ids come from the run and the key, so that the same journal gives the same trace."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from typing import Any

from podium.core.dataclass import dataclass

Value = str | int | float | bool


@dataclass(frozen=True)
class Mark:
    """Something that happened while a span was open."""

    name: str
    at: int
    attributes: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True)
class Span:
    trace: str
    id: str
    parent: str
    name: str
    start: int
    """Nanoseconds since 1970."""
    end: int
    attributes: Mapping[str, Value] = field(default_factory=dict)
    error: str = ""
    """What kind of failure; "" where there was none."""
    links: tuple[str, ...] = ()
    """Ids of spans of the same trace: the attempts before this one."""
    marks: tuple[Mark, ...] = ()
    seq: int = 0
    """Of the event that ended it."""


def trace_id(run: str, first: str) -> str:
    """`first`: the hash of the run's first event, since ids of runs are unique in one project only."""
    return _hex(16, "trace", run, first)


def span_id(trace: str, *names: object) -> str:
    return _hex(8, "span", trace, *names)


def _hex(size: int, *names: object) -> str:
    raw = hashlib.sha256("\0".join(map(str, names)).encode(errors="backslashreplace")).digest()[:size]
    return raw.hex() if any(raw) else "01" * size  # an id of nothing but zeros is none


def nanoseconds(stamp: Any) -> int:
    """A time of the journal; exact to the millisecond it has."""
    moment = datetime.fromisoformat(str(stamp))
    return round(moment.timestamp() * 1000) * 1_000_000
