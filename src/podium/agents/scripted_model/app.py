"""The scripted model as an application: every wire format at its usual addresses, 404 for
anything else.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from functools import partial
from types import ModuleType
from typing import Any

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from podium.agents.disconnect import gone
from podium.agents.scripted_model.conversation import Event
from podium.agents.scripted_model.served import Served
from podium.agents.scripted_model.turns import Planned, Turns
from podium.agents.scripted_model.wire import anthropic, chat, gemini, responses

MODELS = ("scripted", "claude-scripted", "gpt-scripted", "gemini-scripted")
_ANY = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]
_SHAPES: Mapping[str, ModuleType] = {
    "anthropic": anthropic,
    "responses": responses,
    "chat": chat,
    "gemini": gemini,
}
_PATHS: Mapping[str, str] = {
    "anthropic": "/messages",
    "responses": "/responses",
    "chat": "/chat/completions",
}


def application(turns: Turns, calls: list[Served]) -> Starlette:
    """The application. It appends every request to `calls` when it arrives."""
    routes: list[Route] = []
    for start in ("", "/v1"):
        for shape, path in _PATHS.items():
            routes.append(
                Route(start + path, partial(_turn, turns, calls, shape), methods=["POST"])
            )
        count = partial(_fixed, calls, {"input_tokens": 100})
        routes.append(Route(f"{start}/messages/count_tokens", count, methods=["POST"]))
        routes.append(Route(f"{start}/models", partial(_fixed, calls, _models()), methods=["GET"]))
    named = partial(_gemini, turns, calls)
    routes += [
        Route(f"/{each}/models/{{name:path}}", named, methods=["POST"])
        for each in ("v1beta", "v1", "v1alpha")
    ]
    routes.append(Route("/{rest:path}", partial(_unknown, calls), methods=_ANY))
    return Starlette(routes=routes)


def _models() -> dict[str, Any]:
    each = {
        "object": "model",
        "type": "model",
        "created": 0,
        "created_at": "2026-01-01T00:00:00Z",
        "owned_by": "podium",
    }
    data = [{"id": name, "display_name": name, **each} for name in MODELS]
    return {"object": "list", "data": data, "has_more": False, "models": []}


async def _noted(calls: list[Served], request: Request) -> Served:
    raw = await request.body()
    try:
        body = json.loads(raw) if raw else None
    except ValueError:
        body = None
    path = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    served = Served(request.method, path, dict(request.headers), body)
    calls.append(served)
    return served


async def _fixed(calls: list[Served], answer: Mapping[str, Any], request: Request) -> Response:
    served = await _noted(calls, request)
    served.status = 200
    return JSONResponse(answer)


async def _unknown(calls: list[Served], request: Request) -> Response:
    served = await _noted(calls, request)
    served.status = 404
    return JSONResponse(
        {"error": {"type": "not_found_error", "message": "the scripted model has no such address"}},
        404,
    )


async def _gemini(turns: Turns, calls: list[Served], request: Request) -> Response:
    model, _, verb = str(request.path_params["name"]).rpartition(":")
    if verb == "countTokens":
        return await _fixed(calls, {"totalTokens": 100}, request)
    if verb not in {"generateContent", "streamGenerateContent"}:
        return await _unknown(calls, request)
    stream = verb == "streamGenerateContent"
    return await _turn(turns, calls, "gemini", request, model=model, stream=stream)


async def _turn(
    turns: Turns,
    calls: list[Served],
    shape: str,
    request: Request,
    *,
    model: str = "",
    stream: bool = False,
) -> Response:
    served = await _noted(calls, request)
    wire = _SHAPES[shape]
    served.shape = shape
    if not isinstance(served.body, Mapping):
        served.status = 400
        return JSONResponse(wire.refusal(400, "the body is not a JSON object"), 400)
    said = wire.read(served.body, model, stream=stream)
    planned = turns.plan(said)
    served.model, served.stream, served.tools = said.model, said.stream, tuple(said.tools)
    _told(served, planned)
    return Answer(
        served, planned, wire, array=shape == "gemini" and request.query_params.get("alt") != "sse"
    )


def _told(served: Served, planned: Planned) -> None:
    if planned.scene is not None:
        served.script, served.step = planned.scene.name, planned.scene.step
    served.attempt, served.note = planned.attempt, planned.note
    served.called = tuple(each.name for each in planned.reply.calls)


class Answer(Response):
    """One turn on the wire, with the faults that the script has for it."""

    def __init__(self, served: Served, planned: Planned, wire: ModuleType, *, array: bool) -> None:
        self.served, self.planned, self.wire, self.array = served, planned, wire, array

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send until done or until the client is gone, whichever comes first."""
        sending = asyncio.ensure_future(self._whole(scope, receive, send))
        leaving = asyncio.ensure_future(gone(receive))
        try:
            await asyncio.wait((sending, leaving), return_when=asyncio.FIRST_COMPLETED)
            self.served.left = not sending.done()
        finally:
            for each in (sending, leaving):
                each.cancel()
            done = await asyncio.gather(sending, leaving, return_exceptions=True)
        if isinstance(done[0], Exception) and not isinstance(done[0], ClientDisconnect):
            raise done[0]

    async def _whole(self, scope: Scope, receive: Receive, send: Send) -> None:
        step, served, attempt = self.planned.step, self.served, self.planned.attempt
        if step.delay:
            await asyncio.sleep(step.delay)
        if step.refuse is not None and attempt <= step.refuse.times:
            served.status, after = step.refuse.status, step.refuse.retry_after
            headers = {} if after is None else {"retry-after": f"{after:g}"}
            body = self.wire.refusal(served.status, "refused by the script")
            await JSONResponse(body, served.status, headers)(scope, receive, send)
            return
        served.status = 200
        served.cut = attempt <= step.cut
        parts = list(self._stream() if served.stream else self._at_once())
        kind = "application/json" if self.array or not served.stream else "text/event-stream"
        await send(
            {
                "type": "http.response.start",
                "status": 200,
                "headers": [(b"content-type", kind.encode())],
            }
        )
        await self._send(parts, send)

    async def _send(self, parts: Sequence[tuple[bytes, Event | None]], send: Send) -> None:
        """Send all parts, or half of them and half of the next; then the server closes the
        unfinished connection.
        """
        half = len(parts) // 2 if self.served.cut else len(parts)
        for data, event in parts[:half]:
            await send({"type": "http.response.body", "body": data, "more_body": True})
            if event is not None and event.said is not None:
                self.served.tokens = event.said
            if self.planned.step.pace:
                await asyncio.sleep(self.planned.step.pace)
        if self.served.cut:
            data = parts[half][0]
            await send(
                {"type": "http.response.body", "body": data[: len(data) // 2], "more_body": True}
            )
        else:
            await send({"type": "http.response.body", "body": b""})

    def _at_once(self) -> list[tuple[bytes, Event | None]]:
        reply = self.planned.reply
        return [(json.dumps(self.wire.whole(reply)).encode(), Event(None, said=reply.tokens))]

    def _stream(self) -> list[tuple[bytes, Event | None]]:
        asked = self.served.body.get("stream_options") if self.wire is chat else None
        silent = self.wire is chat and not (
            isinstance(asked, Mapping) and asked.get("include_usage")
        )
        events: list[Event] = list(
            chat.events(self.planned.reply, usage=not silent)
            if self.wire is chat
            else self.wire.events(self.planned.reply)
        )
        if self.array and self.served.stream:
            lines = [
                ((b",\r\n" if at else b"[") + _json(each), each) for at, each in enumerate(events)
            ]
            return [*lines, (b"]", None)]
        parts: list[tuple[bytes, Event | None]] = [(_sse(each), each) for each in events]
        return [*parts, (b"data: [DONE]\n\n", None)] if self.wire is chat else parts


def _json(event: Event) -> bytes:
    return json.dumps(event.data).encode()


def _sse(event: Event) -> bytes:
    head = f"event: {event.name}\n".encode() if event.name else b""
    return head + b"data: " + _json(event) + b"\n\n"
