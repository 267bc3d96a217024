"""Agents that write code side by side start from one checkpoint, and their work lands in order,
each as soon as possible.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from podium.core.verdict import Judgement
from podium.engine import drift, landings
from podium.engine.gates import Rest
from podium.engine.landed import checkpoint
from podium.engine.session import Session


class Turns:
    """The members of one cluster by key, in order."""

    def __init__(self, session: Session, order: Sequence[str]) -> None:
        self.session, self.order = session, list(order)
        self.judged: dict[str, Judgement] = {}
        """The result of each member once its work has landed; a conflict makes it a failure."""
        self.resting: Rest | None = None
        """Why the first member that has not landed waits, and with it all after it."""
        self._ended: dict[str, tuple[Judgement, landings.Work | None]] = {}
        self._landing: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        """Take one checkpoint for all of them; none if all were done before a crash."""
        known = self.session.history.steps
        if all(key in known and known[key].state == "finished" for key in self.order):
            return
        self.session.base = await asyncio.to_thread(checkpoint, self.session, self.order[0])

    def ended(self, key: str, judgement: Judgement) -> None:
        """A member is done: it lands when all before it have landed, while those after it start
        or are still working.
        """
        self._ended[key] = (judgement, self.session.landing)
        self.session.landing = None
        if self._landing is None or self._landing.done():
            if self._landing is not None:
                self._landing.result()  # raises what went wrong there, so that it is not lost
            self._landing = asyncio.ensure_future(self._land())

    async def all_in(self) -> None:
        """Wait until everything that may land has landed."""
        while self._landing is not None:
            landing, self._landing = self._landing, None
            await landing

    async def leave(self) -> None:
        """However the members ended, no landing may continue after them."""
        if self._landing is not None:
            self._landing.cancel()
            await asyncio.gather(self._landing, return_exceptions=True)

    async def _land(self) -> None:
        while (
            self.resting is None
            and len(self.judged) < len(self.order)
            and (at := self.order[len(self.judged)]) in self._ended
        ):
            found, work = self._ended[at]
            landed = await self._landed(at, work)
            if isinstance(landed, tuple):
                self.resting = drift.hold_again(self.session, at, landed, work)
            else:
                self.judged[at] = landed or found

    async def _landed(
        self, key: str, work: landings.Work | None
    ) -> Judgement | tuple[str, ...] | None:
        if key not in self.session.history.steps:
            return None  # it was never dispatched: a budget was used up, or an input is missing
        return await landings.land_in_turn(self.session, key, work)
