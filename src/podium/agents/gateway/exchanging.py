"""One call on its way: sent with the real key, passed back part by part, counted and recorded at
its end.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import httpx
from starlette.requests import Request
from starlette.types import Send

from podium.agents.gateway.passes import Limit, Pass
from podium.agents.gateway.recording import Exchange, Recorder
from podium.agents.gateway.shapes import asking, headers
from podium.agents.gateway.shapes.answers import Reading
from podium.agents.gateway.shapes.events import Blocks
from podium.agents.gateway.shapes.figures import Figures
from podium.agents.gateway.shapes.limits import LIMITED, retry_after
from podium.agents.gateway.upstream import Upstream

LARGEST_ERROR = 1024 * 1024
_SHOWN = 300


class Exchanging:
    """From the moment a request may pass until its cost is known."""

    def __init__(
        self,
        pass_: Pass,
        asked: asking.Asked,
        request: Request,
        path: str,
        body: bytes,
        recorder: Recorder | None,
        now: Callable[[], datetime],
    ) -> None:
        self._pass, self._asked, self._recorder, self._now = pass_, asked, recorder, now
        self.method, self._path, self._given = request.method, path, list(request.headers.items())
        self._query = headers.without_key(request.url.query)
        self._sent = asking.telling(asked) if asked.silent else body
        self.text = body.decode(errors="replace")
        self.begun = False
        """Whether the agent has received the beginning of an answer."""
        self._asked_up = False
        """Whether the provider may have received the request."""
        self._reading: Reading | None = None
        self._status = 0
        self._headers: headers.Headers = []
        self._parts: list[bytes] = []
        self._ended = False
        self._settled = False

    @property
    def place(self) -> str:
        return f"{self._path}?{self._query}" if self._query else self._path

    async def forward(self, upstream: Upstream, send: Send) -> None:
        """Pass the call to the provider. Raises httpx.TransportError if it cannot be reached or
        breaks off.
        """
        route = self._pass.route
        address = route.address(self._path) + (f"?{self._query}" if self._query else "")
        given = headers.upward(self._given, route.key_header)
        self._asked_up = True
        async with upstream.ask(self.method, address, given, self._sent) as answer:
            self._begin(answer.status_code, list(answer.headers.multi_items()))
            if answer.status_code >= 300:
                await self._error(answer, send)
                return
            await self._head(send, changed=self._asked.silent)
            held = Blocks() if self._asked.silent else None
            async for part in answer.aiter_raw():
                await self._down(part, held, send)
            await self._end(held, send)

    async def replay(self, recorded: Exchange, send: Send) -> None:
        """Send the same bytes in the same parts, and break off where the recording does."""
        self._begin(recorded.status, list(recorded.headers))
        await self._head(send, changed=True)
        held = Blocks() if self._asked.silent else None
        for part in recorded.parts:
            await self._down(part, held, send)
        if recorded.status >= 300:
            self._note(b"".join(recorded.parts))
        if not recorded.cut:
            await self._end(held, send)

    def settle(self) -> None:
        """Count the call once, however it ended."""
        if self._settled:
            return
        self._settled = True
        reading = self._reading
        if reading is None:
            self._unanswered()
            return
        figures = reading.finish()
        if self._asked.kind == "free":
            self._pass.free()
        elif self._status >= 300 and figures.tokens_in is None:
            self._pass.free()  # an error costs nothing
        else:
            ended = reading.ended or (self._ended and figures.tokens_out is not None)
            known = self._asked.kind == "turn"
            self._pass.called(
                self._asked.model,
                figures,
                ended=ended,
                sent=len(self._sent),
                received=reading.size,
                known=known,
            )
        if self._recorder is not None and (self._ended or self._parts):
            self._recorder.add(
                Exchange(
                    self.method,
                    self.place,
                    self.text,
                    self._status,
                    tuple(self._headers),
                    tuple(self._parts),
                    not self._ended,
                )
            )

    def never_up(self) -> None:
        """No connection was made: nothing was asked, and nothing is owed."""
        self._asked_up = False

    def _unanswered(self) -> None:
        """Count a call that was abandoned before its answer began: the provider continues and
        charges for it.
        """
        if self._asked_up and self._asked.kind == "turn":
            self._pass.called(
                self._asked.model,
                Figures(),
                ended=False,
                sent=len(self._sent),
                received=0,
                known=True,
            )

    def _begin(self, status: int, given: headers.Headers) -> None:
        self._status = status
        self._headers = [(name.lower(), value) for name, value in given]
        said = dict(self._headers)
        self._reading = Reading(
            self._asked.shape, said.get("content-type", ""), said.get("content-encoding", "")
        )
        if status < 300 and self._asked.kind == "turn":
            self._pass.limit, self._pass.unauthorised = None, ""

    async def _head(self, send: Send, *, changed: bool) -> None:
        found = [
            (name.encode(), value.encode("latin-1"))
            for name, value in headers.downward(self._headers, changed=changed)
        ]
        await send({"type": "http.response.start", "status": self._status, "headers": found})
        self.begun = True

    async def _down(self, part: bytes, held: Blocks | None, send: Send) -> None:
        """Pass a part on at once. Only the usage event that we requested for the agent is held
        back.
        """
        assert self._reading is not None
        self._reading.feed(part)
        if self._recorder is not None:
            self._parts.append(part)
        whole = (
            [part]
            if held is None
            else [each for each in held.feed(part) if not asking.only_cost(each)]
        )
        for each in whole:
            await send({"type": "http.response.body", "body": each, "more_body": True})

    async def _end(self, held: Blocks | None, send: Send) -> None:
        rest = held.finish() if held is not None else b""
        if rest and not asking.only_cost(rest):
            await send({"type": "http.response.body", "body": rest, "more_body": True})
        self._ended = True
        self.settle()  # before the agent sees the end, so that its next call finds this one counted
        await send({"type": "http.response.body", "body": b""})

    async def _error(self, answer: httpx.Response, send: Send) -> None:
        """Send an error in one piece: some providers repeat a rejected key in their message, and
        it may span parts.
        """
        found = bytearray()
        async for part in answer.aiter_bytes():
            found += part
            if len(found) > LARGEST_ERROR:
                break
        data, key = bytes(found[:LARGEST_ERROR]), self._pass.route.key.encode()
        data = data.replace(key, b"[key]") if key else data
        self._note(data)
        self._headers = [each for each in self._headers if each[0] != "content-encoding"]
        await self._head(send, changed=True)
        await self._down(data, None, send)
        await self._end(None, send)

    def _note(self, data: bytes) -> None:
        """Remember what may explain why the agent ends. Requests that ask no model explain
        nothing.
        """
        if self._asked.kind != "turn":
            return
        words = " ".join(data.decode(errors="replace").split())[:_SHOWN]
        if self._status in LIMITED:
            self._pass.limit = Limit(
                self._status, retry_after(dict(self._headers), data, self._now()), words
            )
        elif self._status == 401:
            self._pass.unauthorised = words
