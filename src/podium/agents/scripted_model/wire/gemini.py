"""Gemini generateContent. Model and streaming are in the address, not in the body."""

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

STATUS: Mapping[int, str] = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    503: "UNAVAILABLE",
}


def read(body: Mapping[str, Any], model: str = "", *, stream: bool = False) -> Conversation:
    turns: list[Turn] = []
    for each in items(body.get("contents")):
        parts = items(each.get("parts"))
        if each.get("role") == "model":
            turns.append(Turn("model", text_of(parts)))
            continue
        turns += [
            Turn("tool", json.dumps(part["functionResponse"]))
            for part in parts
            if "functionResponse" in part
        ]
        if text := text_of(parts):
            turns.append(Turn("user", text))
    functions = [
        each
        for tool in items(body.get("tools"))
        for each in items(tool.get("functionDeclarations"))
    ]
    tools = [
        declared(each.get("name"), each.get("parametersJsonSchema") or each.get("parameters"))
        for each in functions
    ]
    system = body.get("systemInstruction")
    wanted = body.get("generationConfig")
    return Conversation(
        model=model,
        stream=stream,
        turns=merged(turns),
        tools={each.name: each for each in tools},
        told=text_of(system.get("parts")) if isinstance(system, Mapping) else "",
        wants_json=isinstance(wanted, Mapping)
        and wanted.get("responseMimeType") == "application/json",
    )


def whole(reply: Reply) -> dict[str, Any]:
    return _part(reply, _parts(reply), "STOP", reply.tokens)


def events(reply: Reply) -> Iterator[Event]:
    """Every part repeats the usage so far.

    The last part with content ends the turn, since clients refuse an empty part.
    """
    so_far = Tokens(reply.tokens.tokens_in, 0)
    parts = _parts(reply)
    for each in parts[:-1]:
        yield Event(_part(reply, [each], "", so_far), said=so_far)
    yield Event(_part(reply, parts[-1:], "STOP", reply.tokens), said=reply.tokens)


def refusal(status: int, message: str) -> dict[str, Any]:
    return {"error": {"code": status, "message": message, "status": STATUS.get(status, "INTERNAL")}}


def _parts(reply: Reply) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = [{"text": reply.text}] if reply.text else []
    return parts + [
        {"functionCall": {"id": f"fc_{reply.id}{at}", "name": each.name, "args": each.arguments}}
        for at, each in enumerate(reply.calls)
    ]


def _part(reply: Reply, parts: list[dict[str, Any]], reason: str, tokens: Tokens) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": parts}, "index": 0}
    if reason:
        candidate["finishReason"] = reason
    total = tokens.tokens_in + tokens.tokens_out
    usage: dict[str, int] = {"promptTokenCount": tokens.tokens_in, "totalTokenCount": total}
    if tokens.tokens_out:
        usage["candidatesTokenCount"] = tokens.tokens_out
    return {
        "candidates": [candidate],
        "usageMetadata": usage,
        "modelVersion": reply.model,
        "responseId": f"r{reply.id}",
    }
