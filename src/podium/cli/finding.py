"""One thing that `podium doctor` looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Level = Literal["ok", "warn", "fail"]


@dataclass(frozen=True)
class Finding:
    name: str
    level: Level
    what: str
    mend: str = ""
    tried: tuple[tuple[str, bool], ...] = ()
    """Attacks that were really made, and whether each was stopped."""
