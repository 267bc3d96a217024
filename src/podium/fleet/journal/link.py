"""A connection to PostgreSQL that recovers: each piece of work is one transaction, repeated if
the line broke.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

from podium.core.errors import PodiumError, UsageError

_Result = TypeVar("_Result")
PAUSE_S = 0.2
_ALIVE = {
    "connect_timeout": 5,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
}
"""These settings tell a dead network from a slow answer within seconds."""
_SERVER = (
    "set idle_in_transaction_session_timeout = '5s'; set tcp_keepalives_idle = 5; set "
    "tcp_keepalives_interval = 2;"
    " set tcp_keepalives_count = 3; set tcp_user_timeout = 10000"
)
"""The same at the server's end: a client that hangs or is cut off in a transaction must not keep
the run locked.
"""


class Unreachable(PodiumError):
    """The database did not answer within the time we may wait."""


class Link:
    """`do` may run its work twice if an answer was lost, so the work must find out what it has
    already done.
    """

    def __init__(self, url: str, patience_s: float = 60.0) -> None:
        self.url, self.patience_s = url, patience_s
        self._connection: Any = None
        self._one_by_one = threading.Lock()

    def do(self, work: Callable[[Any], _Result]) -> _Result:
        with self._one_by_one:
            return self._do(work)

    def _do(self, work: Callable[[Any], _Result]) -> _Result:
        psycopg = driver()
        deadline = time.monotonic() + self.patience_s
        while True:
            try:
                connection = self._connected()
                with connection.transaction():
                    return work(connection)
            except (
                psycopg.OperationalError,
                psycopg.InterfaceError,
                psycopg.errors.IdleInTransactionSessionTimeout,
            ) as fault:
                self.close()
                if time.monotonic() > deadline:
                    raise Unreachable(
                        f"the journal's database is not reachable: {str(fault).strip()}"
                    ) from fault
                time.sleep(PAUSE_S)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _connected(self) -> Any:
        if self._connection is None or self._connection.closed:
            connection = driver().connect(self.url, autocommit=True, **_ALIVE)
            connection.execute(_SERVER)
            self._connection = connection
        return self._connection


def driver() -> Any:
    """psycopg, which only a fleet needs."""
    try:
        import psycopg  # noqa: PLC0415  # an extra that the core must not need
    except ImportError:
        raise UsageError(
            "the journal in PostgreSQL needs psycopg: `pip install 'podium[postgres]'`"
        ) from None
    return psycopg
