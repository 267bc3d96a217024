"""Work that is repeated while something far away does not answer."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

PAUSE_S = 1.0
_Result = TypeVar("_Result")


def patiently(work: Callable[[], _Result], patience_s: float, away: type[Exception]) -> _Result:
    """Do the work; repeat it for this long while it raises `away`."""
    deadline = time.monotonic() + patience_s
    while True:
        try:
            return work()
        except away:
            if time.monotonic() > deadline:
                raise
            time.sleep(PAUSE_S)
