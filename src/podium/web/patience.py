"""Cuts off clients that are slow on purpose: those that send no request, or do not read the
answer.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

ASK_S = 15.0
"""From the connection until a request's whole head has arrived."""
READ_S = 20.0
"""How long an answer may wait for its reader."""
MOST_HEAD = 16 * 1024


class PatientProtocol(H11Protocol):
    """HTTP/1.1 as in uvicorn, with two more timers."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._asking: asyncio.TimerHandle | None = None
        self._reading: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._asking = self.loop.call_later(ASK_S, transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        for each in (self._asking, self._reading):
            if each is not None:
                each.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        before = self.cycle
        super().data_received(data)
        # Only a whole head ends the wait; an occasional byte does not.
        if self.cycle is not before and self._asking is not None:
            self._asking.cancel()
            self._asking = None

    def on_response_complete(self) -> None:
        super().on_response_complete()
        busy = (
            self.cycle is not None and not self.cycle.response_complete
        )  # the next request had already arrived
        if not busy and not self.transport.is_closing() and self._asking is None:
            self._asking = self.loop.call_later(
                ASK_S + self.timeout_keep_alive, self.transport.abort
            )

    def pause_writing(self) -> None:
        super().pause_writing()
        self._reading = self.loop.call_later(READ_S, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None
