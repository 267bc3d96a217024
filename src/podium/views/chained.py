"""Whether the journals of a run are intact: every hash is computed again from the content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from podium.core import chain
from podium.core.digest import canonical


@dataclass(frozen=True)
class Checked:
    events: int
    journals: int
    last: str = ""
    """The hash of the last event."""
    broken: str = ""
    """The run whose chain is broken; "" if none is."""
    line: int = 0
    what: str = ""


def checked(story: Sequence[Mapping[str, Any]]) -> Checked:
    journals: dict[str, list[Mapping[str, Any]]] = {}
    for event in story:
        journals.setdefault(str(event.get("run", "")), []).append(event)
    last = str(story[-1].get("hash", "")) if story else ""
    for run, own in sorted(journals.items()):
        ordered = sorted(own, key=lambda event: int(event.get("seq", 0)))
        if _whole(ordered):
            continue
        _, broken = chain.verify(map(_line, ordered))
        if broken is not None:
            return Checked(len(story), len(journals), last, run, broken.line, broken.what)
    return Checked(len(story), len(journals), last)


def _line(event: Mapping[str, Any]) -> bytes:
    """An event as in its journal; empty for one that no journal could contain."""
    try:
        return canonical(event).encode()
    except (ValueError, RecursionError):
        return b""


def _whole(ordered: Sequence[Mapping[str, Any]]) -> bool:
    """Whether every hash is right; if not, the caller looks again to find the words for it."""
    prev = chain.FIRST
    for seq, event in enumerate(ordered, 1):
        try:
            sealed, _ = chain.seal(event, seq, prev)
        except (ValueError, TypeError, RecursionError):
            return False
        if (event.get("seq"), event.get("prev"), event.get("hash")) != (seq, prev, sealed["hash"]):
            return False
        prev = sealed["hash"]
    return True
