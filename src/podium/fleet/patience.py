"""Waiting for a git remote that does not answer."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from podium.engine.git import GitFailed

_Result = TypeVar("_Result")
LIMIT_S = 120.0
"""Of one call: a remote that hangs is asked anew."""
WAIT_S = 600.0
"""How long a driver waits for a remote that is away."""
_PAUSE_S = 1.0


def patiently(work: Callable[[], _Result], patience_s: float = WAIT_S) -> _Result:
    """Try until it succeeds or patience is at its end; then the last failure."""
    deadline = time.monotonic() + patience_s
    while True:
        try:
            return work()
        except GitFailed:
            if time.monotonic() > deadline:
                raise
        time.sleep(_PAUSE_S)
