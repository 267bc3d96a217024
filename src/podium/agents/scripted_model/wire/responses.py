"""OpenAI Responses."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from podium.agents.scripted_model.conversation import (
    Conversation,
    Declared,
    Event,
    Reply,
    Turn,
    declared,
    items,
    merged,
    text_of,
)
from podium.agents.scripted_model.wire.chat import MADE, refusal

__all__ = ["events", "read", "refusal", "whole"]


def read(body: Mapping[str, Any], model: str = "", *, stream: bool = False) -> Conversation:
    given = body.get("input")
    sent = [{"role": "user", "content": given}] if isinstance(given, str) else items(given)
    told = [str(body.get("instructions") or "")]
    told += [
        text_of(each.get("content")) for each in sent if each.get("role") in ("developer", "system")
    ]
    tools: dict[str, Declared] = {}
    for each in items(body.get("tools")):
        tools |= {tool.name: tool for tool in _tools(each)}
    wanted = body.get("text")
    form = wanted.get("format") if isinstance(wanted, Mapping) else None
    return Conversation(
        model=str(body.get("model") or model),
        stream=stream or bool(body.get("stream")),
        turns=merged([turn for each in sent for turn in _turns(each)]),
        tools=tools,
        told="\n".join(told),
        wants_json=isinstance(form, Mapping) and str(form.get("type", "")).startswith("json"),
    )


def _turns(item: Mapping[str, Any]) -> list[Turn]:
    kind = str(item.get("type", "message"))
    if kind.endswith("_output"):
        said = item.get("output")
        return [Turn("tool", said if isinstance(said, str) else json.dumps(said))]
    if kind == "message" and item.get("role") in ("developer", "system"):
        return []
    if kind == "message" and item.get("role") == "user":
        return [Turn("user", text_of(item.get("content")))]
    return [Turn("model", text_of(item.get("content")))]


def _tools(item: Mapping[str, Any], namespace: str = "") -> list[Declared]:
    match item.get("type"):
        case "function":
            return [
                replace(declared(item.get("name"), item.get("parameters")), namespace=namespace)
            ]
        case "custom":
            return [Declared(str(item.get("name")), freeform=True, namespace=namespace)]
        case "namespace":
            inside = [_tools(each, str(item.get("name", ""))) for each in items(item.get("tools"))]
            return [tool for each in inside for tool in each]
        case _:
            return []


def whole(reply: Reply) -> dict[str, Any]:
    tokens = reply.tokens
    usage = {
        "input_tokens": tokens.tokens_in,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": tokens.tokens_out,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": tokens.tokens_in + tokens.tokens_out,
    }
    return {**_base(reply), "status": "completed", "output": _output(reply), "usage": usage}


def events(reply: Reply) -> Iterator[Event]:
    """The usage comes with the very last part."""
    begun = _base(reply)
    parts: list[tuple[str, dict[str, Any]]] = [
        ("response.created", {"response": begun}),
        ("response.in_progress", {"response": begun}),
    ]
    for at, item in enumerate(_output(reply)):
        parts += _parts(item, {"output_index": at})
    for number, (kind, fields) in enumerate(parts):
        yield Event({"type": kind, "sequence_number": number, **fields}, kind)
    kind = "response.completed"
    yield Event(
        {"type": kind, "sequence_number": len(parts), "response": whole(reply)}, kind, reply.tokens
    )


def _parts(item: dict[str, Any], at: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    about = {"item_id": item["id"], **at}
    begun: dict[str, Any] = {**item, "status": "in_progress"}
    if item["type"] == "message":
        text, place = item["content"][0]["text"], {**about, "content_index": 0}
        yield "response.output_item.added", {**at, "item": {**begun, "content": []}}
        empty = {"type": "output_text", "text": "", "annotations": []}
        yield "response.content_part.added", {**place, "part": empty}
        yield "response.output_text.delta", {**place, "delta": text, "logprobs": []}
        yield "response.output_text.done", {**place, "text": text, "logprobs": []}
        yield "response.content_part.done", {**place, "part": item["content"][0]}
    elif item["type"] == "function_call":
        yield "response.output_item.added", {**at, "item": {**begun, "arguments": ""}}
        given = item["arguments"]
        yield "response.function_call_arguments.delta", {**about, "delta": given}
        yield (
            "response.function_call_arguments.done",
            {**about, "name": item["name"], "arguments": given},
        )
    else:
        yield "response.output_item.added", {**at, "item": {**begun, "input": ""}}
        yield "response.custom_tool_call_input.delta", {**about, "delta": item["input"]}
        yield "response.custom_tool_call_input.done", {**about, "input": item["input"]}
    yield "response.output_item.done", {**at, "item": item}


def _output(reply: Reply) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    if reply.text:
        said = {"type": "output_text", "text": reply.text, "annotations": []}
        about = {"role": "assistant", "status": "completed", "content": [said]}
        found.append({"type": "message", "id": f"msg_{reply.id}", **about})
    for at, each in enumerate(reply.calls):
        item: dict[str, Any] = {
            "status": "completed",
            "call_id": f"call_{reply.id}{at}",
            "name": each.name,
        }
        if isinstance(each.arguments, str):
            item |= {
                "type": "custom_tool_call",
                "id": f"ctc_{reply.id}{at}",
                "input": each.arguments,
            }
        else:
            item |= {
                "type": "function_call",
                "id": f"fc_{reply.id}{at}",
                "arguments": json.dumps(each.arguments),
            }
        found.append({**item, "namespace": each.namespace} if each.namespace else item)
    return found


def _base(reply: Reply) -> dict[str, Any]:
    return {
        "id": f"resp_{reply.id}",
        "object": "response",
        "created_at": MADE,
        "status": "in_progress",
        "model": reply.model,
        "output": [],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "error": None,
        "incomplete_details": None,
        "usage": None,
    }
