"""Who of a cluster may be at work: a place is held while an agent works, not while its work is looked at."""

from __future__ import annotations

import asyncio


class Place:
    """One member's claim to one of the places; taking or leaving it twice changes nothing."""

    def __init__(self, room: asyncio.Semaphore) -> None:
        self._room = room
        self._held = False

    async def take(self) -> None:
        if not self._held:
            await self._room.acquire()
            self._held = True

    def leave(self) -> None:
        if self._held:
            self._held = False
            self._room.release()
