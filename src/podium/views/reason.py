"""Why a step or a run ended as it did."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def own_reason(event: Mapping[str, Any]) -> str:
    """The event's reason without the step's key, which is always shown in front of it."""
    return str(event.get("reason") or "").removeprefix(f"{event.get('key', '')}: ")
