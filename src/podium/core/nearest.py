"""The name that a person most likely meant."""

from __future__ import annotations

from collections.abc import Collection


def nearest(name: str, known: Collection[str]) -> str:
    """The known name that is most like it, or nothing."""
    from difflib import get_close_matches  # noqa: PLC0415 - only a mistake needs it

    return next(iter(get_close_matches(name.lower(), sorted(known), 1, 0.6)), "")
