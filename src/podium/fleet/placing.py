"""A worker's side of the line: it says what it has, and takes the run whose turn it is."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Collection
from dataclasses import dataclass, replace

from podium.fleet.engines.dispatching import wait_for
from podium.fleet.journal.link import Unreachable
from podium.fleet.journal.postgres_journal import PostgresJournal
from podium.fleet.line import placement
from podium.fleet.line.line import Kind, Line, Refusal, Verdicts, chosen, elsewhere, judged
from podium.fleet.line.needs import Offer
from podium.fleet.orders import Result

TRIES = 3
"""Another worker may be faster with the chosen run."""


@dataclass(frozen=True)
class Taken:
    run: str = ""
    """The run reserved for this worker; empty if it got none."""
    result: Result = Result.BUSY
    """What to tell the engine if it got none."""
    instead: tuple[str, ...] | None = None
    """The needs of the run that was asked for, if another one was taken and it still has work."""


class Placing:
    """Takes one run at a time: what a worker took is in the database before it looks again."""

    def __init__(self, journal: PostgresJournal, offer: Offer) -> None:
        self.journal, self.offer = journal, offer
        self.terms = placement.Terms(offer.worker, offer.limits, offer.usual)
        self._one_by_one = asyncio.Lock()

    def sore(self, runs: Collection[str]) -> None:
        """Runs whose driver failed here: others may take them and need not wait for this worker."""
        self.offer = replace(self.offer, sore=tuple(sorted(runs)))

    async def keep(self, stop: asyncio.Event, beat_s: float) -> None:
        """Announce the offer until the worker takes nothing more; then withdraw it."""
        while not stop.is_set():
            await self.announce()
            await wait_for(stop, beat_s / 2)
        with contextlib.suppress(Unreachable):
            await asyncio.to_thread(
                self.journal.link.do,
                lambda connection: placement.withdraw(connection, self.offer.worker),
            )

    async def announce(self) -> None:
        mine = self.offer
        with contextlib.suppress(Unreachable):  # repeated at the next beat
            await asyncio.to_thread(
                self.journal.link.do, lambda connection: placement.offer(connection, mine)
            )

    def offers(self) -> list[str]:
        """Runs that this worker may take, in order of turns."""
        try:
            return [
                run
                for run, refusal in judged(self.journal.line(), self.offer).items()
                if refusal is None
            ]
        except Unreachable:
            return []

    async def take(self, wanted: str, *, swap: bool, barred: Collection[str] = ()) -> Taken:
        """`swap`: any run may be taken; the named one is only the occasion."""
        async with self._one_by_one:
            try:
                return await self._take(wanted, swap, barred)
            except Unreachable:
                return Taken()

    async def call_off(self, run: str) -> None:
        with contextlib.suppress(Unreachable):  # it expires soon by itself
            await asyncio.to_thread(
                self.journal.link.do,
                lambda connection: placement.call_off(connection, run, self.offer.worker),
            )

    async def _take(self, wanted: str, swap: bool, barred: Collection[str]) -> Taken:
        for _ in range(TRIES):
            line = await asyncio.to_thread(self.journal.line)
            verdicts = judged(line, self.offer)
            run = chosen(
                verdicts if swap else {wanted: verdicts[wanted]} if wanted in verdicts else {},
                barred,
            )
            if not run:
                return Taken("", self._answer(line, verdicts, wanted))
            if await asyncio.to_thread(self._called, run):
                again = run != wanted and wanted in verdicts
                return Taken(run, Result.CONTINUE, _needs(line, wanted) if again else None)
        return Taken()

    def _called(self, run: str) -> bool:
        return self.journal.link.do(
            lambda connection: placement.call(connection, run, self.terms, self.journal.lease_s)
        )

    def _answer(self, line: Line, verdicts: Verdicts, wanted: str) -> Result:
        """A run that another worker could take goes back to the engine at once; the sweep finds
        one that must wait.
        """
        refusal: Refusal | None = verdicts.get(wanted)
        if refusal is None or refusal.kind in {Kind.LIMIT, Kind.KEPT}:
            return Result.BUSY
        away = refusal.kind is Kind.LAST or elsewhere(line, wanted, self.offer.worker)
        return Result.ELSEWHERE if away else Result.BUSY


def _needs(line: Line, run: str) -> tuple[str, ...]:
    return next(each.needs for each in line.waiting if each.run == run)
