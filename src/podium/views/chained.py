"""Whether the journals of a run are whole: every hash computed again from what stands in them."""

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
    """The run whose chain does not hold; "" where all hold."""
    line: int = 0
    what: str = ""


def checked(story: Sequence[Mapping[str, Any]]) -> Checked:
    journals: dict[str, list[Mapping[str, Any]]] = {}
    for event in story:
        journals.setdefault(str(event.get("run", "")), []).append(event)
    last = str(story[-1].get("hash", "")) if story else ""
    for run, own in sorted(journals.items()):
        ordered = sorted(own, key=lambda event: int(event.get("seq", 0)))
        _, broken = chain.verify(canonical(event).encode() for event in ordered)
        if broken is not None:
            return Checked(len(story), len(journals), last, run, broken.line, broken.what)
    return Checked(len(story), len(journals), last)
