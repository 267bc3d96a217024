"""The dispatch port: an engine that only announces "this run has work".

It owns nothing. What a run is and where it stands is in the journal. If an engine loses everything,
the sweeper fills it again; if it delivers twice, the run is found busy.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection
from itertools import combinations
from typing import Protocol

from podium.fleet.line.needs import plain
from podium.fleet.orders import Result

Handler = Callable[[str], Awaitable[Result]]
MOST_LABELS = 6
"""A worker listens to one queue for each subset of its labels."""
MOMENT_S = 0.2
"""The shortest pause between two looks at the database."""


class Dispatch(Protocol):
    @property
    def swaps(self) -> bool:
        """Whether a worker notified of one run may take another one whose turn it is."""

    async def submit(self, run: str, needs: Collection[str] = (), *, swept: bool = False) -> None:
        """Announce that the run has work for a worker with these labels; delivered at least once.

        `swept`: found by a sweep, so nothing is new if the engine already knows the run.
        """

    async def serve(
        self, handler: Handler, stop: asyncio.Event, labels: Collection[str] = ()
    ) -> None:
        """Pass runs to the handler until `stop`; returns when the last one is done."""


def queue_of(needs: Collection[str]) -> str:
    """The queue of runs that need these labels."""
    return ".".join(["podium", *plain(needs)])


def queues_for(labels: Collection[str]) -> list[str]:
    """The queues that a worker with these labels can serve: those whose needs it meets, the most
    demanding first.
    """
    own = sorted(set(labels))
    return [queue_of(each) for size in range(len(own), -1, -1) for each in combinations(own, size)]


class Polling:
    """No engine at all: a worker with a free place asks the database whose turn it is."""

    swaps = False

    def __init__(self, offers: Callable[[], list[str]], pause_s: float, places: int = 1) -> None:
        self._offers, self._pause_s, self._free = offers, pause_s, places

    async def submit(self, run: str, needs: Collection[str] = (), *, swept: bool = False) -> None:
        """Nothing to do: the journal says it already."""

    async def serve(
        self,
        handler: Handler,
        stop: asyncio.Event,
        labels: Collection[str] = (),  # noqa: ARG002
    ) -> None:  # the line knows them already
        under_way: dict[str, asyncio.Task[Result]] = {}
        stopped = asyncio.create_task(stop.wait())
        while not stop.is_set():
            if free := self._free - len(under_way):
                for run in [
                    run for run in await asyncio.to_thread(self._offers) if run not in under_way
                ][:free]:
                    under_way[run] = asyncio.create_task(_result(handler, run))
            await asyncio.wait(
                [stopped, *under_way.values()],
                timeout=self._pause_s,
                return_when=asyncio.FIRST_COMPLETED,
            )
            await wait_for(stop, MOMENT_S)
            under_way = {run: task for run, task in under_way.items() if not task.done()}
        await asyncio.gather(*under_way.values())


async def _result(handler: Handler, run: str) -> Result:
    return await handler(run)


async def wait_for(stop: asyncio.Event, seconds: float) -> bool:
    """Sleep unless it is time to stop. Returns whether it is."""
    try:
        # Not `asyncio.wait_for`: before Python 3.12 it loses a cancellation that arrives together
        # with the result.
        async with asyncio.timeout(seconds):
            await stop.wait()
    except TimeoutError:
        return False
    return True
