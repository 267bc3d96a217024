"""Whether this Podium understands everything in a journal. It must not drive a run that it does
not understand.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from podium.core.errors import Halted
from podium.core.vocabulary import not_understood


def refuse_unknown(events: Sequence[Mapping[str, Any]], version: str) -> None:
    """Raises Halted if the journal has an event type unknown here, or was written by a newer
    Podium.
    """
    run = str(events[0]["run"]) if events else ""
    strange = not_understood(events)
    if strange is not None:
        raise Halted(
            f"run {run}, event {strange[0]}: {strange[1]} (version {version}); drive this run "
            "with the Podium that wrote it"
        )
    for event in events:
        theirs = (
            str(event.get("version", "")) if event["type"] in {"run.started", "run.resumed"} else ""
        )
        if theirs and _numbers(theirs) > _numbers(version):
            raise Halted(
                f"run {run} was driven by Podium {theirs}, this is {version}: update this worker"
            )


def _numbers(version: str) -> tuple[int, ...]:
    """The two numbers that distinguish versions with different journals."""
    return tuple(int(part) for part in re.findall(r"\d+", version)[:2])
