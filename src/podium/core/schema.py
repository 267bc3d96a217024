"""A verdict object as a JSON schema: the few parts of that standard which a verdict needs, as plain data.

A schema tells an agent what its tool takes. It may be narrower than the dialect's reader and is never
the judge: what a schema cannot say, the reader still refuses.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

Schema = Mapping[str, Any]

TEXT: Schema = {"type": "string"}
FILLED: Schema = {"type": "string", "pattern": r"\S"}
NUMBER: Schema = {"type": "integer"}
FLAG: Schema = {"type": "boolean"}


def one_of(words: Iterable[str]) -> Schema:
    """A word from a closed list."""
    return {"type": "string", "enum": list(words)}


def matching(pattern: str) -> Schema:
    """A text that the pattern covers from its first sign to its last."""
    return {"type": "string", "pattern": f"^(?:{pattern})$"}


def list_of(item: Schema) -> Schema:
    return {"type": "array", "items": item}


def map_of(item: Schema) -> Schema:
    """An object whose names are the sender's own, each with a value of one kind."""
    return {"type": "object", "additionalProperties": item}


def object_of(members: Mapping[str, Schema], required: Iterable[str] = ()) -> Schema:
    """An object with these members and no others."""
    return {
        "type": "object",
        "properties": dict(members),
        "required": list(required),
        "additionalProperties": False,
    }
