"""A span as plain data. Ids are derived from the run and the key, so that the same journal gives
the same trace.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

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
    """The kind of failure; "" if there was none."""
    links: tuple[str, ...] = ()
    """Ids of spans in the same trace: the previous attempts."""
    marks: tuple[Mark, ...] = ()
    seq: int = 0
    """The number of the event that ended it."""


def trace_id(run: str, first: str) -> str:
    """`first`: the hash of the run's first event, because run ids are unique only within one
    project.
    """
    return _hex(16, "trace", run, first)


def span_id(trace: str, *names: object) -> str:
    return _hex(8, "span", trace, *names)


def _hex(size: int, *names: object) -> str:
    raw = hashlib.sha256("\0".join(map(str, names)).encode(errors="backslashreplace")).digest()[
        :size
    ]
    return raw.hex() if any(raw) else "01" * size  # an id of only zeros is invalid


def nanoseconds(stamp: Any) -> int:
    """A time of the journal, exact to its millisecond."""
    moment = datetime.fromisoformat(str(stamp))
    return round(moment.timestamp() * 1000) * 1_000_000
