"""The end of what a program printed before it failed, to be put after the reason."""

from __future__ import annotations

_LINES = 12
_LONGEST = 2000


def last_words(*printed: bytes) -> str:
    """The last lines of the first of these that says anything, after a colon; empty if none
    does.
    """
    for each in printed:
        if lines := each.decode(errors="replace").strip().splitlines():
            return ": " + "\n".join(lines[-_LINES:])[-_LONGEST:]
    return ""
