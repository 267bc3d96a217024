"""The order in which people count: `US-2` before `US-10`."""

from __future__ import annotations

import re
from typing import Any

_DIGITS = re.compile(r"([0-9]+)")


def natural(name: int | str) -> tuple[Any, ...]:
    """A key to sort by; numbers come before words."""
    if not isinstance(name, str):
        return (0, name)
    # Compare digits by their count, then as text: that works for any length. The name itself tells
    # `07` from `7`.
    parts = tuple(
        (len(bare := part.lstrip("0")), bare) if at % 2 else part
        for at, part in enumerate(_DIGITS.split(name))
    )
    return (1, parts, name)
