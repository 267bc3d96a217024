"""A continuing answer: events as they come, until the reader or the server ends it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from podium.agents.disconnect import gone

HEADERS = [(b"content-type", b"text/event-stream; charset=utf-8"), (b"x-accel-buffering", b"no")]


class Stream(Response):
    """Sends what the generator gives; closed as soon as the browser is gone, even if there is
    nothing to send.
    """

    def __init__(self, source: AsyncGenerator[bytes, None]) -> None:
        super().__init__()
        self._source = source

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        sending = asyncio.ensure_future(self._send(send))
        leaving = asyncio.ensure_future(gone(receive))
        try:
            await asyncio.wait({sending, leaving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in (sending, leaving):
                each.cancel()
                with suppress(asyncio.CancelledError, OSError):
                    await each
            await self._source.aclose()

    async def _send(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": list(HEADERS)})
        async for each in self._source:
            await send({"type": "http.response.body", "body": each, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})
