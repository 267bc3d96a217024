"""Turns facts into sealed events and their lines: the same bytes, wherever they are kept."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Protocol

from podium.core.chain import seal

Sealed = tuple[list[dict[str, Any]], bytes, str]
"""Events with their places in the chain, their lines, and the last hash."""


class Clean(Protocol):
    """Removes secrets, which must not reach any log."""

    def suspects(self, lines: bytes) -> bool:
        """Whether a secret may be in these lines of JSON."""

    def fact(self, fact: Mapping[str, Any]) -> dict[str, Any]:
        """The fact without secrets."""


def sealed(
    run: str,
    events: Sequence[Mapping[str, Any]],
    seq: int,
    prev: str,
    now: str,
    clean: Clean | None = None,
) -> Sealed:
    """The events after `seq` and `prev`, without secrets."""
    found = _sealed(run, events, seq, prev, now)
    if clean is not None and clean.suspects(found[1]):
        return _sealed(run, [clean.fact(each) for each in events], seq, prev, now)
    return found


def _sealed(run: str, events: Sequence[Mapping[str, Any]], seq: int, prev: str, now: str) -> Sealed:
    common = {"ts": now, "run": run}
    found: list[dict[str, Any]] = []
    lines: list[bytes] = []
    for number, event in enumerate(events, seq + 1):
        if "type" not in event:
            raise AssertionError(f"an event of run {run} has no type: {event!r}")
        body, line = _line({**event, **common}, number, prev)
        prev = body["hash"]
        lines.append(line)
        # The engine must continue with what a resumed one would read: if JSON would change the
        # event, parse the line.
        found.append(body if _is_plain(body) else json.loads(line))
    return found, b"".join(lines), prev


def stamp(now: datetime) -> str:
    """A moment in the journal's format."""
    assert now.tzinfo is not None
    return now.astimezone(UTC).isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"


def _line(event: dict[str, Any], seq: int, prev: str) -> tuple[dict[str, Any], bytes]:
    try:
        return seal(event, seq, prev)
    except UnicodeEncodeError:
        # A file name that is not UTF-8 arrives as lone surrogates, which a JSON file cannot
        # contain.
        return seal(encodable(event), seq, prev)


_SCALARS = frozenset({str, int, float, bool, type(None)})
_TEXT = frozenset({str})


def _is_plain(value: Any) -> bool:
    """Whether it comes back from JSON unchanged: no tuples, no keys other than text, no types of
    our own.
    """
    if type(value) is dict:
        if not _TEXT.issuperset(map(type, value)):
            return False
        value = value.values()
    elif type(value) is not list:
        return type(value) in _SCALARS
    if _SCALARS.issuperset(map(type, value)):
        return True
    return all(map(_is_plain, [each for each in value if type(each) not in _SCALARS]))


def encodable(value: Any) -> Any:
    """The same as the journal spells it: half of a surrogate pair becomes an escape."""
    if isinstance(value, str):
        return value.encode(errors="backslashreplace").decode()
    if isinstance(value, Mapping):
        return {encodable(key): encodable(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [encodable(each) for each in value]
    return value
