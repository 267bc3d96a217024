"""A verdict object as a JSON schema, limited to the parts of that standard that a verdict needs.

A schema tells an agent what its tool takes. It may be narrower than the dialect's reader and never
replaces it: what a schema cannot express, the reader still refuses.
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
    """A text that the pattern matches from its first character to its last."""
    return {"type": "string", "pattern": f"^(?:{pattern})$"}


def list_of(item: Schema) -> Schema:
    return {"type": "array", "items": item}


def map_of(item: Schema) -> Schema:
    """An object with names of the sender's choice and values of one kind."""
    return {"type": "object", "additionalProperties": item}


def object_of(members: Mapping[str, Schema], required: Iterable[str] = ()) -> Schema:
    """An object with these members and no others."""
    return {
        "type": "object",
        "properties": dict(members),
        "required": list(required),
        "additionalProperties": False,
    }
