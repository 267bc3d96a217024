"""A step's verdict object as vendors accept it for schema output, and the object that comes
back.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from podium.core.schema import Schema

_KEPT = ("type", "enum", "pattern", "description")


def strict(schema: Schema) -> Schema:
    """Every field required, as strict output demands; an optional field may be null instead."""
    if schema.get("type") == "array":
        return {"type": "array", "items": strict(schema["items"])}
    if schema.get("type") != "object":
        return {name: value for name, value in schema.items() if name in _KEPT}
    members: Mapping[str, Any] = schema.get("properties", {})
    required = schema.get("required", ())
    return {
        "type": "object",
        "properties": {
            name: strict(each) if name in required else {"anyOf": [strict(each), {"type": "null"}]}
            for name, each in members.items()
            if not isinstance(
                each.get("additionalProperties"), Mapping
            )  # free names cannot be listed
        },
        "required": [
            name
            for name, each in members.items()
            if not isinstance(each.get("additionalProperties"), Mapping)
        ],
        "additionalProperties": False,
    }


def object_in(text: str) -> Mapping[str, Any] | None:
    """The object that a message consists of, without null fields; None if it is anything else."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return without_nulls(found) if isinstance(found, dict) else None


def without_nulls(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: without_nulls(each) for name, each in value.items() if each is not None}
    if isinstance(value, list):
        return [without_nulls(each) for each in value]
    return value
