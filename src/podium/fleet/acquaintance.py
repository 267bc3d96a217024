"""Whether this Podium knows all that a journal says. What it does not know it must not drive."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from podium.core.errors import Halted
from podium.core.vocabulary import not_understood


def refuse_unknown(events: Sequence[Mapping[str, Any]], version: str) -> None:
    """Halted where the journal has a type that is not known here, or was written by a newer Podium."""
    run = str(events[0]["run"]) if events else ""
    strange = not_understood(events)
    if strange is not None:
        raise Halted(
            f"run {run}, event {strange[0]}: {strange[1]} (version {version}); drive this run with the Podium that wrote it"
        )
    for event in events:
        theirs = str(event.get("version", "")) if event["type"] in {"run.started", "run.resumed"} else ""
        if theirs and _numbers(theirs) > _numbers(version):
            raise Halted(f"run {run} was driven by Podium {theirs}, this is {version}: update this worker")


def _numbers(version: str) -> tuple[int, ...]:
    """The two numbers that tell versions with different journals apart."""
    return tuple(int(part) for part in re.findall(r"\d+", version)[:2])
