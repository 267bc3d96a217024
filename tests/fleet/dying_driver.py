"""A driver that is killed at its n-th boundary: before a push, after it, after the commit of
events, after the local copy.
"""

from __future__ import annotations

import os
import runpy
import signal
from collections.abc import Callable
from typing import Any

from podium.fleet.journal.mirrored_journal import MirroredJournal
from podium.fleet.journal.postgres_journal import PostgresJournal
from podium.fleet.parcels.parcels import Parcels

LEFT = [int(os.environ.get("DIE_AT", "0"))]
AFTER = os.environ.get("DIE_AFTER", "")
"""A type of events: it is killed at once when the database has one."""


def boundary() -> None:
    LEFT[0] -= 1
    if LEFT[0] == 0:
        os.kill(os.getpid(), signal.SIGKILL)


def around(kind: type, name: str) -> None:
    inner: Callable[..., Any] = getattr(kind, name)

    def outer(*args: Any, **kwargs: Any) -> Any:
        boundary()
        found = inner(*args, **kwargs)
        if kind is PostgresJournal and AFTER in {each["type"] for each in found}:
            os.kill(os.getpid(), signal.SIGKILL)
        boundary()
        return found

    setattr(kind, name, outer)


if __name__ == "__main__":
    around(Parcels, "send")
    around(PostgresJournal, "append")
    around(MirroredJournal, "append")
    runpy.run_module("podium.fleet.driver", run_name="__main__")
