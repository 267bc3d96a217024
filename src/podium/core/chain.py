"""The journal's hash chain: what a line looks like, and whether a list of lines is whole."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from podium.core.dataclass import dataclass
from podium.core.digest import canonical

FIRST = "0" * 64
"""`prev` of the first line."""

_PLACE = b'"hash":"",'

COMMON = frozenset({"seq", "ts", "run", "type", "prev", "hash"})


def seal(event: Mapping[str, Any], seq: int, prev: str) -> tuple[dict[str, Any], bytes]:
    """The event with its place in the chain, and its line. The hash covers the canonical line without `hash`."""
    body = {**event, "seq": seq, "prev": prev, "hash": ""}
    # Laid out once, then put together around the hash's place; `prev` and others sort behind it, so a comma follows.
    before, _, after = canonical(body).encode().partition(_PLACE)
    if _PLACE in after:  # a member of a member may be called so, too
        before = canonical({name: value for name, value in body.items() if name < "hash"})[:-1].encode()
        before += b"," if len(before) > 1 else b""
        after = canonical({name: value for name, value in body.items() if name > "hash"})[1:].encode()
    hashed = hashlib.sha256(before)
    hashed.update(after)
    body["hash"] = own = hashed.hexdigest()
    return body, b'%b"hash":"%b",%b\n' % (before, own.encode(), after)


def _hash(body: Mapping[str, Any]) -> str:
    return hashlib.sha256(canonical({k: v for k, v in body.items() if k != "hash"}).encode()).hexdigest()


@dataclass(frozen=True)
class Break:
    line: int
    what: str


def unseal(raw: bytes, seq: int, prev: str) -> dict[str, Any] | Break:
    """One line back to its event, or where the chain breaks."""
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
        # NaN and lone surrogates can be read but never written, so no line of ours holds them.
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
