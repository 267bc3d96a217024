"""OpenAI Chat Completions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from podium.agents.scripted_model.conversation import (
    Conversation,
    Declared,
    Event,
    Reply,
    Turn,
    Who,
    declared,
    items,
    merged,
    text_of,
)

MADE = 1767225600
"""The creation time of everything, in seconds: fixed, so that the same request gets the same
bytes.
"""
_WHO: Mapping[str, Who] = {"assistant": "model", "user": "user", "tool": "tool"}


def read(body: Mapping[str, Any], model: str = "", *, stream: bool = False) -> Conversation:
    messages = items(body.get("messages"))
    turns = [
        Turn(_WHO[each["role"]], text_of(each.get("content")))
        for each in messages
        if each.get("role") in tuple(_WHO)
    ]
    told = [
        text_of(each.get("content"))
        for each in messages
        if each.get("role") in ("system", "developer")
    ]
    functions = [each.get("function") for each in items(body.get("tools"))]
    found: list[Declared] = [
        declared(each["name"], each.get("parameters"))
        for each in functions
        if isinstance(each, Mapping) and "name" in each
    ]
    kind = body.get("response_format")
    return Conversation(
        model=str(body.get("model") or model),
        stream=stream or bool(body.get("stream")),
        turns=merged(turns),
        tools={each.name: each for each in found},
        told="\n".join(told),
        wants_json=isinstance(kind, Mapping) and str(kind.get("type", "")).startswith("json"),
    )


def whole(reply: Reply) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
    if reply.calls:
        message["tool_calls"] = _calls(reply)
    choice = {"index": 0, "message": message, "finish_reason": _reason(reply)}
    return {
        **_base(reply),
        "object": "chat.completion",
        "choices": [choice],
        "usage": _usage(reply),
    }


def events(reply: Reply, *, usage: bool = True) -> Iterator[Event]:
    """If usage was requested, it comes in a last part of its own."""
    yield _part(reply, {"role": "assistant", "content": ""})
    if reply.text:
        yield _part(reply, {"content": reply.text})
    for at, each in enumerate(_calls(reply)):
        name, arguments = each["function"]["name"], each["function"]["arguments"]
        begun = {
            "index": at,
            "id": each["id"],
            "type": "function",
            "function": {"name": name, "arguments": ""},
        }
        yield _part(reply, {"tool_calls": [begun]})
        yield _part(reply, {"tool_calls": [{"index": at, "function": {"arguments": arguments}}]})
    yield _part(reply, {}, _reason(reply))
    if usage:
        last = {
            **_base(reply),
            "object": "chat.completion.chunk",
            "choices": [],
            "usage": _usage(reply),
        }
        yield Event(last, said=reply.tokens)


def refusal(status: int, message: str) -> dict[str, Any]:
    kind = {401: "authentication_error", 429: "rate_limit_error"}.get(
        status, "invalid_request_error"
    )
    return {
        "error": {
            "message": message,
            "type": kind if status < 500 else "server_error",
            "param": None,
            "code": None,
        }
    }


def _calls(reply: Reply) -> list[dict[str, Any]]:
    return [
        {
            "id": f"call_{reply.id}{at}",
            "type": "function",
            "function": {
                "name": each.name,
                "arguments": each.arguments
                if isinstance(each.arguments, str)
                else json.dumps(each.arguments),
            },
        }
        for at, each in enumerate(reply.calls)
    ]


def _reason(reply: Reply) -> str:
    return "tool_calls" if reply.calls else "stop"


def _usage(reply: Reply) -> dict[str, int]:
    tokens = reply.tokens
    total = tokens.tokens_in + tokens.tokens_out
    return {
        "prompt_tokens": tokens.tokens_in,
        "completion_tokens": tokens.tokens_out,
        "total_tokens": total,
    }


def _base(reply: Reply) -> dict[str, Any]:
    return {"id": f"chatcmpl-{reply.id}", "created": MADE, "model": reply.model}


def _part(reply: Reply, delta: Mapping[str, Any], reason: str | None = None) -> Event:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return Event({**_base(reply), "object": "chat.completion.chunk", "choices": [choice]})
