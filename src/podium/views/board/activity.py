"""What an agent just did, in a few words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_VERBS = {
    "read": "reads",
    "write": "writes",
    "append": "writes",
    "edit": "edits",
    "delete": "deletes",
    "run": "runs",
    "command": "runs",
    "tool": "uses",
    "sleep": "sleeps",
    "ask": "asks",
    "think": "thinks",
    "permission": "asks for",
    "ended": "ended:",
    "retry": "has no answer from its model, tries again:",
}
_SPOKEN = frozenset({"text", "say", "message", "output"})
_TELLING = ("text", "path", "paths", "file", "command", "name", "tool", "line", "detail")
"""The most telling fields, best first."""


def did(kind: str, fields: Mapping[str, Any]) -> str:
    """`reads src/app.py`, `runs pytest -q`, or the agent's own words."""
    said = _told(fields)
    if kind in _SPOKEN:
        return said
    verb = _VERBS.get(kind, kind)
    return f"{verb} {said}" if said else verb


def _told(fields: Mapping[str, Any]) -> str:
    for name in (*_TELLING, *sorted(map(str, fields))):
        value = fields.get(name)
        if isinstance(value, str) and value.strip():
            return _first_line(value)
        if isinstance(value, list | tuple) and value:
            return ", ".join(_first_line(str(each)) for each in value[:3])
    return ""


def _first_line(text: str) -> str:
    return next((each.strip() for each in text[:2000].splitlines() if each.strip()), "")
