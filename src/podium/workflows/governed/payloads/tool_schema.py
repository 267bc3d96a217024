"""An agent's payload as its reporting tool accepts it: the schema's shape and words, without
conditions.

The tool's server has only the standard library, so conditions on other members (a class if the
status is FAILED, an item that must be in a list) are left to the reader of the report.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from podium.core.schema import Schema
from podium.workflows.governed.payloads.schema_store import CLARIFICATION, schema
from podium.workflows.governed.roster import BY_ROLE
from podium.workflows.governed.terms import LATEST, Generation

_KEPT = (
    "type",
    "enum",
    "const",
    "minimum",
    "maximum",
    "minLength",
    "minItems",
    "maxItems",
    "required",
    "description",
)


@cache
def tool_schema(role: str, generation: Generation = LATEST) -> Schema:
    """The generation's shape of what this role reports."""
    whole = schema(BY_ROLE[role].schema, generation)
    return _plain(whole, whole.get("$defs", {}))


def _plain(part: Mapping[str, Any], shared: Mapping[str, Any]) -> Schema:
    if "$ref" in part:
        return _referred(str(part["$ref"]), shared)
    found = {name: part[name] for name in _KEPT if name in part}
    if "properties" in part:
        found["properties"] = {
            name: _plain(each, shared) for name, each in part["properties"].items()
        }
        found.setdefault("required", [])
    if "items" in part:
        found["items"] = _plain(part["items"], shared)
    if "additionalProperties" in part:
        others = part["additionalProperties"]
        found["additionalProperties"] = (
            _plain(others, shared) if isinstance(others, Mapping) else others
        )
    return found


def _referred(name: str, shared: Mapping[str, Any]) -> Schema:
    if name.startswith("#/$defs/"):
        return _plain(shared[name.removeprefix("#/$defs/")], shared)
    return _plain(schema(CLARIFICATION), {})
