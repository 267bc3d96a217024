"""A worker reports that it is there: who it is, what it can do, and twice per beat that it is
alive.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import socket
from collections.abc import Collection
from typing import Any

import podium
from podium.fleet.engines.dispatching import wait_for
from podium.fleet.journal.link import Link, Unreachable

_BEAT = """
    insert into podium_worker (id, name, host, pid, labels, concurrency, version, draining)
    values (%(id)s, %(name)s, %(host)s, %(pid)s, %(labels)s, %(concurrency)s, %(version)s, %(draining)s)
    on conflict (id) do update set seen = clock_timestamp(), draining = excluded.draining
"""  # noqa: E501


class Presence:
    """Only what people see depends on it: a worker that cannot be registered works all the same."""

    def __init__(
        self, database: str, name: str, labels: Collection[str], concurrency: int, beat_s: float
    ) -> None:
        self._link = Link(database, patience_s=0.0)
        self._beat_s = beat_s
        self._facts: dict[str, Any] = {
            "id": secrets.token_hex(8),
            "name": name,
            "host": socket.gethostname(),
            "pid": os.getpid(),
            "labels": sorted(set(labels)),
            "concurrency": concurrency,
            "version": podium.__version__,
        }

    async def keep(self, stop: asyncio.Event) -> None:
        """Runs until cancelled: after `stop` a worker still finishes the current steps of its
        runs.
        """
        while True:
            await asyncio.to_thread(self._say, _BEAT, {**self._facts, "draining": stop.is_set()})
            if stop.is_set():
                await asyncio.sleep(self._beat_s / 2)
            else:
                await wait_for(stop, self._beat_s / 2)

    async def end(self) -> None:
        await asyncio.to_thread(
            self._say,
            "update podium_worker set stopped = clock_timestamp() where id = %(id)s",
            self._facts,
        )
        self._link.close()

    def _say(self, query: str, facts: dict[str, Any]) -> None:
        with contextlib.suppress(Unreachable):  # repeated at the next beat
            self._link.do(lambda connection: connection.execute(query, facts))
