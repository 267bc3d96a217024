"""The proxy of one pass: forwards requests that have its token and stay within its bounds, and
refuses all others.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Callable
from datetime import UTC, datetime

import httpx
from starlette.requests import ClientDisconnect, Request
from starlette.types import Receive, Scope, Send

from podium.agents.disconnect import gone
from podium.agents.gateway.counting import price_of
from podium.agents.gateway.exchanging import Exchanging
from podium.agents.gateway.passes import Pass
from podium.agents.gateway.recording import Recorder, Replayer
from podium.agents.gateway.shapes import asking, headers, refusals
from podium.agents.gateway.shapes.figures import Shape
from podium.agents.gateway.upstream import Upstream

LARGEST_BODY = 32 * 1024 * 1024
"""Of one request: more than the largest context of any model."""


class Refused(Exception):
    """The request goes no further. Carries the cause and a message, which are sent in the
    provider's format.
    """

    def __init__(self, cause: refusals.Cause, message: str) -> None:
        super().__init__(message)
        self.cause: refusals.Cause = cause


class Proxy:
    """An ASGI application that serves one pass and no other."""

    def __init__(
        self,
        pass_: Pass,
        upstream: Upstream,
        *,
        recorder: Recorder | None = None,
        replayer: Replayer | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._pass, self._upstream = pass_, upstream
        self._recorder, self._replayer, self._now = recorder, replayer, now

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        shape: Shape = asking.shape_of(scope["path"]) or _usual(self._pass.route.provider)
        try:
            async with self._pass.door:
                await self._serve(Request(scope, receive), send)
        except Refused as refused:
            self._pass.refused()
            await _say(
                send,
                refusals.STATUS[refused.cause],
                refusals.body(shape, refused.cause, f"podium: {refused}"),
            )
        except ClientDisconnect:
            return

    async def _serve(self, request: Request, send: Send) -> None:
        self._known(request)
        path = _path(request)
        body = await _body(request)
        try:
            asked = asking.read(request.method, path, body)
        except asking.Unreadable as fault:
            raise Refused("request", str(fault)) from None
        self._allowed(asked)
        exchange = Exchanging(self._pass, asked, request, path, body, self._recorder, self._now)
        if asked.kind == "free":
            await self._watched(exchange, request, send)
            return
        async with self._pass.room:
            if reason := self._pass.over():
                raise Refused("budget", f"{reason}; no further call is passed on")
            await self._watched(exchange, request, send)

    def _known(self, request: Request) -> None:
        given = headers.token_of(request.headers, request.url.query)
        if self._pass.ended or not secrets.compare_digest(
            given.encode(), self._pass.token.encode()
        ):
            raise Refused("token", "this key is not the one of this dispatch")

    def _allowed(self, asked: asking.Asked) -> None:
        route = self._pass.route
        if asked.kind == "free":
            return
        for model in asked.models:
            if not route.allows(model):
                self._pass.denied = model
                raise Refused(
                    "model",
                    f"model {model!r} is not allowed here; allowed: {', '.join(route.models)}",
                )
        bounded = bool(route.models) or self._pass.capped
        if bounded and not asked.models:
            raise Refused(
                "request",
                "a call that names no model is not passed on while models or budgets are limited",
            )
        if asked.body.get("background") is True:
            raise Refused(
                "request", "background answers cannot be counted; ask without `background`"
            )
        capped = self._pass.purses.cap.cost_usd is not None
        if capped and price_of(asked.model, route.prices) is None:
            self._pass.stopped = (
                self._pass.stopped
                or f"budget: cost_usd has a cap, but model {asked.model!r} has no price"
            )
            self._pass.exhausted.set()
            raise Refused(
                "budget", f"cost_usd has a cap, and [prices] has none for {asked.model!r}"
            )

    async def _watched(self, exchange: Exchanging, request: Request, send: Send) -> None:
        """Answer until done or until the agent hangs up; then drop the provider's connection
        too.
        """
        work = asyncio.ensure_future(self._answer(exchange, send))
        leaving = asyncio.ensure_future(gone(request.receive))
        try:
            await asyncio.wait((work, leaving), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in (work, leaving):
                each.cancel()
            found, _ = await asyncio.gather(work, leaving, return_exceptions=True)
            exchange.settle()
        if isinstance(found, Exception):
            raise found

    async def _answer(self, exchange: Exchanging, send: Send) -> None:
        if self._replayer is not None:
            recorded = self._replayer.answer(exchange.method, exchange.place, exchange.text)
            if isinstance(recorded, str):
                raise Refused("replay", recorded)
            await exchange.replay(recorded, send)
            return
        try:
            await exchange.forward(self._upstream, send)
        except (
            httpx.ConnectError,
            httpx.ConnectTimeout,
            httpx.PoolTimeout,
            httpx.UnsupportedProtocol,
            httpx.InvalidURL,
        ) as fault:
            exchange.never_up()
            raise self._unreachable(fault) from None
        except httpx.TimeoutException:
            if not exchange.begun:
                raise Refused(
                    "timeout", f"the provider at {self._pass.route.upstream} does not answer"
                ) from None
        except httpx.TransportError as fault:
            if not exchange.begun:
                raise self._unreachable(fault) from None
            # It broke off in the middle. The agent sees the same, because this returns without
            # sending an end.

    def _unreachable(self, fault: Exception) -> Refused:
        words = (
            f"the provider at {self._pass.route.upstream} cannot be asked: {type(fault).__name__}"
        )
        return Refused("upstream", words)


def _usual(provider: str) -> Shape:
    return {"anthropic": "anthropic", "gemini": "gemini"}.get(provider, "chat")  # type: ignore[return-value]


def _path(request: Request) -> str:
    """The path as it was sent. One that two servers could read differently is refused."""
    raw = request.scope.get("raw_path") or request.url.path.encode()
    path = bytes(raw).decode("ascii", errors="replace")
    if not headers.plain_path(path):
        raise Refused("request", "the path is not plain")
    return path


async def _body(request: Request) -> bytes:
    if request.headers.get("content-encoding", "identity").strip().lower() not in {"", "identity"}:
        raise Refused("request", "compressed bodies are not read here; send it uncompressed")
    said = request.headers.get("content-length", "")
    if said.isdigit() and int(said) > LARGEST_BODY:
        raise Refused("size", f"the body is larger than {LARGEST_BODY} bytes")
    found = bytearray()
    async for part in request.stream():
        found += part
        if len(found) > LARGEST_BODY:
            raise Refused("size", f"the body is larger than {LARGEST_BODY} bytes")
    return bytes(found)


async def _say(send: Send, status: int, body: dict[str, object]) -> None:
    data = json.dumps(body).encode()
    said = [(b"content-type", b"application/json"), (b"content-length", str(len(data)).encode())]
    if status in {401, 413}:
        said.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": status, "headers": said})
    await send({"type": "http.response.body", "body": data})
