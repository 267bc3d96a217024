"""How many of the places where a run can be killed are tried: all of them in `make torture`, a share of them in the suite."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

ALL = "PODIUM_EVERY_DEATH"
_Death = TypeVar("_Death")


def share(deaths: Sequence[_Death], of: int) -> list[_Death]:
    """Every `of`th, the last one always. `harness` does not come here: all its deaths are tried every time."""
    if os.environ.get(ALL):
        return list(deaths)
    return [each for at, each in enumerate(deaths, start=1) if at % of == 0 or at == len(deaths)]
