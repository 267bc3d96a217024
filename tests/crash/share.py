"""How many of the places where a run can be killed are tried: all of them in `make torture`, a
share of them in the suite.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

ALL = "PODIUM_EVERY_DEATH"
_Death = TypeVar("_Death")


def every(usual: int) -> int:
    """Of how many places one is looked at: one of so many, or each where all are tried."""
    return 1 if os.environ.get(ALL) else usual


def patience(usual_s: int) -> int:
    """How long one test may take: all deaths of a whole run take hours on a slow machine, and 0
    is no limit.
    """
    return 0 if os.environ.get(ALL) else usual_s


def share(deaths: Sequence[_Death], of: int) -> list[_Death]:
    """Every `of`th, the last one always. `harness` does not come here: all its deaths are tried
    every time.
    """
    if os.environ.get(ALL):
        return list(deaths)
    return [each for at, each in enumerate(deaths, start=1) if at % of == 0 or at == len(deaths)]
