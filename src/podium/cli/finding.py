"""One thing that `podium doctor` looked at."""

from __future__ import annotations

from typing import Literal

from podium.core.dataclass import dataclass

Level = Literal["ok", "warn", "fail"]


@dataclass(frozen=True)
class Finding:
    name: str
    level: Level
    what: str
    mend: str = ""
    tried: tuple[tuple[str, bool], ...] = ()
    """Attacks that were really made, and whether each was stopped."""
