"""Files that no decision rests on are written beside the loop, while it waits for an agent.

Prompts, answers and patches are for people, the state file the journal rolls forward, and
removing a view is for tidiness. If the process dies first, some of the last ones are
missing, and nothing else is. A thread would do the same and cost more: it takes the
interpreter from the loop at every file the loop touches.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

Work = Callable[[], None]
_Result = TypeVar("_Result")

MOST = 2000
"""Pieces of work that may wait. An agent that takes a second leaves time for hundreds, so this many wait only
where agents take no time at all."""


AT_ONCE_S = 0.005


class Scribe:
    """Small file work, in the order it was given."""

    def __init__(self) -> None:
        self._todo: deque[Work] = deque()
        self._fault: Exception | None = None

    def do(self, work: Work) -> None:
        self._todo.append(work)
        if len(self._todo) > MOST:
            self._one()

    async def beside(self, waiting: Coroutine[Any, Any, _Result], first: Work) -> _Result:
        """Wait for somebody else, and write meanwhile: what they must not be left without first."""
        loop = asyncio.get_running_loop()
        soon: asyncio.Handle
        faults: list[Exception] = []

        def begin() -> None:
            try:
                first()
            except Exception as fault:  # noqa: BLE001  # who waits is told, once the other is done
                faults.append(fault)
            write()

        def write() -> None:
            nonlocal soon
            if self._todo:
                self._one()
                soon = loop.call_soon(write)

        # Who is done at once is not kept waiting for files.
        soon = loop.call_later(AT_ONCE_S, begin)
        try:
            return await waiting
        finally:
            soon.cancel()
            if faults:  # also where the other failed: what was not made durable is not told a second time
                raise faults[0]

    def flush(self) -> None:
        """Write all of it now; a full disk is told here."""
        while self._todo:
            self._one()
        if self._fault is not None:
            fault, self._fault = self._fault, None
            raise fault

    def _one(self) -> None:
        try:
            self._todo.popleft()()
        except Exception as fault:  # noqa: BLE001  # one file that cannot be written does not keep the rest from it
            self._fault = self._fault or fault
