"""A worker: takes runs from the engine, starts a process for each, and sweeps for runs that
nobody announced.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import time
from dataclasses import dataclass, field, replace
from typing import Any

from podium.fleet.engines.dispatching import Dispatch, wait_for
from podium.fleet.journal.link import Unreachable
from podium.fleet.journal.postgres_journal import PostgresJournal
from podium.fleet.line.line import takeable
from podium.fleet.orders import DRAIN, Order, Result, result_of
from podium.fleet.placing import Placing
from podium.fleet.presence import Presence

LONGEST_PAUSE_S = 600.0
SPARE_S = 0.05
"""Added to the end of a lease, since the clocks of the database and of this machine differ
slightly.
"""


@dataclass
class Worker:
    """`order` is what every driver is told, except for the run."""

    order: Order
    journal: PostgresJournal
    dispatch: Dispatch
    placing: Placing
    drivers: dict[str, asyncio.subprocess.Process] = field(default_factory=dict)
    sore: dict[str, tuple[int, float]] = field(default_factory=dict)
    """Runs whose driver failed here: how often, and when it may be tried again."""

    def __post_init__(self) -> None:
        self._places = asyncio.Semaphore(self.concurrency)
        self._freed = asyncio.Event()
        """Set when a turn is over: whatever waited for its place can be announced at once."""
        self._stop = asyncio.Event()
        self._asked = 0
        self._reached = time.monotonic()
        """When the database last answered."""

    @property
    def concurrency(self) -> int:
        return self.placing.offer.places

    @property
    def labels(self) -> tuple[str, ...]:
        return self.placing.offer.labels

    async def serve(self) -> None:
        """Serve until SIGTERM or SIGINT, then leave each run after its current step. A second
        signal stops at once.
        """
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.drain)
        await self.placing.announce()
        offering = asyncio.create_task(self.placing.keep(self._stop, self.order.beat_s))
        sweeping = asyncio.create_task(self._sweep())
        presence = Presence(
            self.order.database, self.order.worker, self.labels, self.concurrency, self.order.beat_s
        )
        told = asyncio.create_task(presence.keep(self._stop))
        try:
            await self.dispatch.serve(self.handle, self._stop, self.labels)
            # processes end one by one, once in a worker's life
            while self.drivers:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        finally:
            self._stop.set()
            for task in (sweeping, told):
                task.cancel()
            await asyncio.gather(sweeping, told, offering, return_exceptions=True)
            await presence.end()

    def drain(self) -> None:
        self._asked += 1
        self._stop.set()
        for each in self.drivers.values():
            self._tell(each)

    async def handle(self, run: str) -> Result:
        """One turn at a run. A busy one is left alone: the sweep finds it if its owner dies and
        the lease expires.
        """
        if run in self.drivers and not self.dispatch.swaps:
            return Result.BUSY
        async with self._places:
            if self._stop.is_set() or self._cut_off:
                return Result.BUSY
            self.placing.sore(
                [each for each, (_, until) in self.sore.items() if time.monotonic() < until]
            )
            try:
                asked = self.placing.take(run, swap=self.dispatch.swaps, barred=self.drivers)
                taken = await asyncio.wait_for(asked, self.order.beat_s)
            except TimeoutError:
                return Result.BUSY
            if not taken.run:
                return taken.result
            if taken.instead is not None:
                with contextlib.suppress(Exception):  # the sweep finds it
                    await self.dispatch.submit(run, taken.instead)
            try:
                result = await self._drive(taken.run)
            finally:
                with contextlib.suppress(
                    TimeoutError
                ):  # cut off: the engine must learn at once that it is over here
                    await asyncio.wait_for(self.placing.call_off(taken.run), self.order.beat_s)
                self._freed.set()
            self._remember(taken.run, result)
            return result

    def _remember(self, run: str, result: Result) -> None:
        if result not in {Result.FAILED, Result.REFUSED}:
            self.sore.pop(run, None)
            return
        times = self.sore.get(run, (0, 0.0))[0] + 1
        self.sore[run] = (
            times,
            time.monotonic() + min(LONGEST_PAUSE_S, self.order.beat_s * 2**times),
        )

    @property
    def _cut_off(self) -> bool:
        """Whether the database is out of reach; the engine may still reach us then, but others
        must do the work.
        """
        return time.monotonic() - self._reached > self.order.beat_s * 1.5

    async def _drive(self, run: str) -> Result:
        # The worker's end of the input stays open as long as it lives; this is how a driver notices
        # its death.
        driver = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "podium.fleet.driver",
            stdin=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        self.drivers[run] = driver
        try:
            assert driver.stdin is not None
            with contextlib.suppress(ConnectionError):
                driver.stdin.write(replace(self.order, run=run).line().encode())
                await driver.stdin.drain()
            if self._stop.is_set():
                self._tell(driver)
            return result_of(await driver.wait())
        finally:
            del self.drivers[run]

    def _tell(self, driver: Any) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(driver.pid, DRAIN if self._asked == 1 else signal.SIGTERM)

    async def _sweep(self) -> None:
        """Submit every run that has work: also what was lost between two writes, or with the
        engine's database.
        """
        whole = True
        while not self._stop.is_set():
            pause_s = self.order.beat_s / 2
            try:
                waiting = takeable(await asyncio.to_thread(self.journal.line))
                self._reached = time.monotonic()
                for each in waiting[: None if whole else self.concurrency + 1]:
                    if each.run not in self.drivers:
                        await asyncio.wait_for(
                            self.dispatch.submit(each.run, each.needs, swept=True),
                            self.order.beat_s,
                        )
                # Wake up when a lease ends, so that a dead owner's run is taken over promptly.
                ends_s = await asyncio.to_thread(self.journal.next_lease_s)
                pause_s = pause_s if ends_s is None else min(pause_s, ends_s + SPARE_S)
            except Unreachable:
                pass
            # the engine is unreachable and is tried again
            except Exception as fault:  # noqa: BLE001
                sys.stderr.write(
                    "podium worker: the sweep failed; trying again: "
                    f"{fault or type(fault).__name__}\n"
                )
            whole = not await wait_for(self._freed, pause_s)
            self._freed.clear()
