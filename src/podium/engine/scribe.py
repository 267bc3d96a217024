"""Writes files that no decision depends on, while the loop waits for an agent.

Prompts, answers and patches are for people, the journal can roll the state file forward, and
removing a view is tidying up. If the process dies, the last of these are missing and nothing
else. A thread would do the same but cost more, because it takes the interpreter from the loop
at every file that the loop touches.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

Work = Callable[[], None]
_Result = TypeVar("_Result")

MOST = 2000
"""Pieces of work that may wait. An agent that takes a second leaves time for hundreds, so the queue
gets this long only if agents take no time at all.
"""


AT_ONCE_S = 0.005


class Scribe:
    """Does small file work, in the order given."""

    def __init__(self) -> None:
        self._todo: deque[Work] = deque()
        self._fault: Exception | None = None

    def do(self, work: Work) -> None:
        self._todo.append(work)
        if len(self._todo) > MOST:
            self._one()

    async def beside(self, waiting: Coroutine[Any, Any, _Result], first: Work) -> _Result:
        """Await `waiting`; meanwhile run `first`, which makes earlier events durable, and then
        the queued file work.
        """
        loop = asyncio.get_running_loop()
        soon: asyncio.Handle
        faults: list[Exception] = []

        def begin() -> None:
            try:
                first()
            # raised below, once the awaited work is done
            except Exception as fault:  # noqa: BLE001
                faults.append(fault)
            write()

        def write() -> None:
            nonlocal soon
            if self._todo:
                self._one()
                soon = loop.call_soon(write)

        # If the awaited work is done at once, it does not have to wait for files.
        soon = loop.call_later(AT_ONCE_S, begin)
        try:
            return await waiting
        finally:
            soon.cancel()
            # also where the awaited work failed: events that could not be made durable must not go
            # unnoticed
            if faults:
                raise faults[0]

    def flush(self) -> None:
        """Write everything now; a fault such as a full disk is raised here."""
        while self._todo:
            self._one()
        if self._fault is not None:
            fault, self._fault = self._fault, None
            raise fault

    def _one(self) -> None:
        try:
            self._todo.popleft()()
        # one file that cannot be written does not prevent the others
        except Exception as fault:  # noqa: BLE001
            self._fault = self._fault or fault
