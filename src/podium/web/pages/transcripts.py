"""What an agent said and did, line by line, as it was recorded."""

from __future__ import annotations

import json
from dataclasses import dataclass

from podium.views import figures, safe
from podium.views.board.activity import did

MOST = 400
"""The most entries on a page: the first few and the last ones; the file has all."""
FIRST = 40
_SPOKEN = frozenset({"text", "say", "message", "output"})


@dataclass(frozen=True)
class Said:
    when: str
    kind: str
    text: str
    """A few words; what an agent said itself is complete."""
    spoken: bool = False


def transcript(text: str) -> tuple[list[Said], int]:
    """(entries, number of entries left out in the middle)."""
    raw = [line for line in text.splitlines() if line.strip()]
    gone = max(0, len(raw) - MOST)
    kept = [*raw[:FIRST], *raw[FIRST + gone :]] if gone else raw
    return [_said(line) for line in kept], gone


def _said(line: str) -> Said:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        return Said("", "line", safe.line(line, 1_000), spoken=True)
    kind = str(found.get("kind") or found.get("type") or "")
    rest = {
        name: value for name, value in found.items() if name not in {"kind", "type", "ts", "seq"}
    }
    inner = rest.get("fields")
    members = inner if isinstance(inner, dict) else rest
    when = figures.clock(found["ts"]) if found.get("ts") else ""
    if kind in _SPOKEN and isinstance(members.get("text"), str):
        return Said(
            when, safe.line(kind, 30), "\n".join(safe.block(members["text"], lines=60)), spoken=True
        )
    return Said(when, safe.line(kind, 30), safe.line(did(kind, members), 1_000))
