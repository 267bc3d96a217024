"""The journal's hash chain: the form of a line, and whether a list of lines is intact."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from podium.core.digest import canonical

FIRST = "0" * 64
"""`prev` of the first line."""

_PLACE = b'"hash":"",'

COMMON = frozenset({"seq", "ts", "run", "type", "prev", "hash"})


def seal(event: Mapping[str, Any], seq: int, prev: str) -> tuple[dict[str, Any], bytes]:
    """The event with its place in the chain, and its line. The hash covers the canonical line
    without `hash`.
    """
    body = {**event, "seq": seq, "prev": prev, "hash": ""}
    # Encode once, then insert the hash into its place. `prev` and others sort after `hash`, so a
    # comma follows it.
    before, _, after = canonical(body).encode().partition(_PLACE)
    if _PLACE in after:  # a nested member can have the same name
        before = canonical({name: value for name, value in body.items() if name < "hash"})[
            :-1
        ].encode()
        before += b"," if len(before) > 1 else b""
        after = canonical({name: value for name, value in body.items() if name > "hash"})[
            1:
        ].encode()
    hashed = hashlib.sha256(before)
    hashed.update(after)
    body["hash"] = own = hashed.hexdigest()
    return body, b'%b"hash":"%b",%b\n' % (before, own.encode(), after)


def _hash(body: Mapping[str, Any]) -> str:
    return hashlib.sha256(
        canonical({k: v for k, v in body.items() if k != "hash"}).encode()
    ).hexdigest()


@dataclass(frozen=True)
class Break:
    line: int
    what: str


def unseal(raw: bytes, seq: int, prev: str) -> dict[str, Any] | Break:
    """One line back to its event, or the break in the chain."""
    try:
        event = json.loads(raw)
    except (ValueError, RecursionError):
        return Break(seq, "is not JSON")
    if not isinstance(event, dict) or not event.keys() >= COMMON:
        return Break(seq, "is not an event")
    if event["seq"] != seq:
        return Break(seq, f"has seq {event['seq']}, expected {seq}")
    if event["prev"] != prev:
        return Break(seq, "does not follow the line before it")
    if not _is_whole(event):
        return Break(seq, "was changed after it was written")
    return event


def _is_whole(event: Mapping[str, Any]) -> bool:
    try:
        return bool(event["hash"] == _hash(event))
    except (ValueError, RecursionError):
        # JSON readers accept NaN and lone surrogates, our writer never produces them: such a line
        # is not ours.
        return False


def verify(lines: Iterable[bytes]) -> tuple[list[dict[str, Any]], Break | None]:
    events: list[dict[str, Any]] = []
    prev = FIRST
    for seq, raw in enumerate(lines, 1):
        found = unseal(raw, seq, prev)
        if isinstance(found, Break):
            return events, found
        events.append(found)
        prev = found["hash"]
    return events, None
