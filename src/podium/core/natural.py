"""Ids in the order in which people count."""

from __future__ import annotations

from typing import Any

from podium.core.regex import regex

_DIGITS = regex(r"([0-9]+)")


def natural(id: str) -> tuple[Any, ...]:
    """A key to sort by: `TASK-2` before `TASK-10`."""
    # Compare digits by their count, then as text: that works for any length. The id itself tells `07` from `7`.
    parts = tuple(
        (len(bare := part.lstrip("0")), bare) if number % 2 else part for number, part in enumerate(_DIGITS.split(id))
    )
    return (parts, id)
