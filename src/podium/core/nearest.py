"""The name that a person or an agent most likely meant."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

LONGEST = 80
"""Characters of a name that are compared: an agent may send any length, and the time to compare
grows with its square.
"""


def nearest(name: str, known: Iterable[str], alike: float = 0.6) -> str:
    """The known name most like it, ignoring case and dashes; "" if none is close.

    `alike`: how much of the two must be the same, from 0 to 1.
    """
    from difflib import get_close_matches  # noqa: PLC0415 - only a mistake needs it

    by_folded = {_folded(each): each for each in sorted(known, reverse=True)}
    return next(
        (by_folded[each] for each in get_close_matches(_folded(name), by_folded, 1, alike)), ""
    )


def refuse_unknown(members: Iterable[str], known: Sequence[str], what: str = "member") -> None:
    """ValueError about the first name that is not known, with the one that was most likely
    meant.
    """
    for name in members:
        if name not in known:
            near = nearest(str(name), known)
            hint = f"did you mean '{near}'?" if near else f"known are: {', '.join(known)}"
            raise ValueError(f"unknown {what} '{name}'; {hint}")


def _folded(name: str) -> str:
    return re.sub(r"[ _-]+", "_", name[:LONGEST].strip()).casefold()
