"""Which of the ways in which an agent can report counts: tool, file, vendor's schema output, the dialect's line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from podium.core.dataclass import dataclass

Source = Literal["tool", "file", "schema", "line"]
ORDER: tuple[Source, ...] = ("tool", "file", "schema")
"""First come, first believed. The line is what is left, and the dialect's to read."""
Found = Mapping[str, Any] | str | None
"""What lies in one place: an object, the fault of what is there instead, or nothing."""


@dataclass(frozen=True)
class Reported:
    source: Source
    verdict: Mapping[str, Any] | None = None
    fault: str = ""
    """What is wrong with what lies there; nothing that comes later in the order makes it good."""


def verdict_source(*, tool: Found = None, file: Found = None, schema: Found = None) -> Reported:
    """The first place that holds anything decides, for good or ill: who spoiled one report is not offered the next."""
    for source, found in zip(ORDER, (tool, file, schema), strict=True):
        if isinstance(found, str):
            return Reported(source, fault=found)
        if found is not None:
            return Reported(source, found)
    return Reported("line")
