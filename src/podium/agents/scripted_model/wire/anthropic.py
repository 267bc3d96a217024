"""Anthropic Messages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from podium.agents.scripted_model.conversation import (
    Conversation,
    Event,
    Reply,
    Turn,
    declared,
    items,
    merged,
    text_of,
)
from podium.agents.scripted_model.script import Tokens

KINDS: Mapping[int, str] = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}


def read(body: Mapping[str, Any], model: str = "", *, stream: bool = False) -> Conversation:
    turns: list[Turn] = []
    for each in items(body.get("messages")):
        if each.get("role") == "assistant":
            turns.append(Turn("model", text_of(each.get("content"))))
            continue
        results = [
            block for block in items(each.get("content")) if block.get("type") == "tool_result"
        ]
        turns += [Turn("tool", text_of(block.get("content"))) for block in results]
        if text := text_of(each.get("content")):
            turns.append(Turn("user", text))
    tools = [
        declared(each["name"], each.get("input_schema"))
        for each in items(body.get("tools"))
        if "name" in each
    ]
    return Conversation(
        model=str(body.get("model") or model),
        stream=stream or bool(body.get("stream")),
        turns=merged(turns),
        tools={each.name: each for each in tools},
        told=text_of(body.get("system")),
    )


def whole(reply: Reply) -> dict[str, Any]:
    content: list[dict[str, Any]] = [{"type": "text", "text": reply.text}] if reply.text else []
    content += [
        {
            "type": "tool_use",
            "id": f"toolu_{reply.id}{at}",
            "name": each.name,
            "input": each.arguments,
        }
        for at, each in enumerate(reply.calls)
    ]
    return {
        "id": f"msg_{reply.id}",
        "type": "message",
        "role": "assistant",
        "model": reply.model,
        "content": content,
        "stop_reason": "tool_use" if reply.calls else "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": reply.tokens.tokens_in,
            "output_tokens": reply.tokens.tokens_out,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
        },
    }


def events(reply: Reply) -> Iterator[Event]:
    """The input's usage comes first, the output's last."""
    message = whole(reply)
    first, last = Tokens(reply.tokens.tokens_in, 1), reply.tokens
    usage = {**message["usage"], "output_tokens": 1}
    started = {**message, "content": [], "stop_reason": None, "usage": usage}
    yield _event("message_start", first, message=started)
    for at, block in enumerate(message["content"]):
        if block["type"] == "text":
            yield _event(
                "content_block_start", first, index=at, content_block={"type": "text", "text": ""}
            )
            delta = {"type": "text_delta", "text": block["text"]}
        else:
            yield _event(
                "content_block_start", first, index=at, content_block={**block, "input": {}}
            )
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield _event("content_block_delta", first, index=at, delta=delta)
        yield _event("content_block_stop", first, index=at)
    ended = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield _event("message_delta", last, delta=ended, usage={"output_tokens": last.tokens_out})
    yield _event("message_stop", last)


def refusal(status: int, message: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": KINDS.get(status, "api_error"), "message": message}}


def _event(kind: str, said: Tokens, **fields: Any) -> Event:
    return Event({"type": kind, **fields}, kind, said)
