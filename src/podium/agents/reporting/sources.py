"""Which of an agent's possible reports counts: tool, file, vendor's schema output, the dialect's
line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Source = Literal["tool", "file", "schema", "line"]
ORDER: tuple[Source, ...] = ("tool", "file", "schema")
"""The first one found is used. The line comes last, and the dialect reads it."""
Found = Mapping[str, Any] | str | None
"""What one source contains: an object, a description of what is wrong with it, or nothing."""


@dataclass(frozen=True)
class Reported:
    source: Source
    verdict: Mapping[str, Any] | None = None
    fault: str = ""
    """What is wrong with this source; a later source does not make up for it."""


def verdict_source(*, tool: Found = None, file: Found = None, schema: Found = None) -> Reported:
    """The first source that contains anything decides, valid or not; the later ones are not
    tried.
    """
    for source, found in zip(ORDER, (tool, file, schema), strict=True):
        if isinstance(found, str):
            return Reported(source, fault=found)
        if found is not None:
            return Reported(source, found)
    return Reported("line")
