"""Values as JSON text in the style of the text around them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from podium.documents.tree import Node


def joined(text: str, holder: Node, members: Sequence[tuple[str, Any]]) -> tuple[int, int, str]:
    """Where and what to write for new members of an object, or items of a list, so that they look
    like the last one.
    """
    inner = list(holder.below())
    at, gap, colon = holder.start + 1, "", ": "
    if inner:
        last = inner[-1]
        lead = text[holder.start + 1 : last.begin]
        gap = "," + (lead if "\n" in lead else " " * _is_spaced(text, holder))
        if len(inner) > 1:
            gap = text[inner[-2].end : last.begin]
        at = last.end
        if holder.kind == "table":
            colon = _after_name(text, last)
    escaped = _escapes(text)
    names = [_dumped(name, escaped=escaped) + colon for name, _ in members]
    if holder.kind == "list":
        names = [""] * len(members)
    values = [rendered(text, value, holder, None) for _, value in members]
    new = [name + value for name, value in zip(names, values, strict=True)]
    return at, at, (gap if inner else "") + (gap or ", ").join(new)


def _after_name(text: str, value: Node) -> str:
    """The colon between a name and its value, with the space around it."""
    between = text[value.begin : value.start]
    return between[len(between.rstrip(" \t\r\n:")) :]


def _is_spaced(text: str, holder: Node) -> bool:
    last = list(holder.below())[-1]
    return holder.kind == "list" or _after_name(text, last)[-1:].isspace()


def rendered(text: str, value: Any, holder: Node, old: Node | None) -> str:
    """A new value in the style of the object or list around it, and of what stood there."""
    escaped = _escapes(text)
    if not isinstance(value, Mapping | list | tuple) or not value:
        return _dumped(value, escaped=escaped)
    inner = list(holder.below())
    lead = text[holder.start + 1 : inner[0].begin] if inner else ""
    models = [old] if old is not None and old.items + list(old.pairs.values()) else []
    models = models or [node for node in inner if node.items or node.pairs]
    one_line = models and not any("\n" in text[node.start : node.end] for node in models)
    if "\n" not in lead or one_line:
        tight = len(inner) > 1 and text[inner[-2].end : inner[-1].begin] == ","
        separators = (",", ":") if tight else (", ", ": ")
        return _dumped(value, escaped=escaped, separators=separators)
    margin = lead.rpartition("\n")[2]
    tail = text[inner[-1].end : holder.end - 1].rpartition("\n")[2]
    unit = margin.removeprefix(tail) if margin.startswith(tail) else ""
    spread = _dumped(value, escaped=escaped, indent=unit or "  ")
    return spread.replace("\n", ("\r\n" if "\r\n" in lead else "\n") + margin)


def _escapes(text: str) -> bool:
    """Whether the author escapes letters outside ASCII."""
    return text.isascii() and "\\u" in text


def _dumped(value: Any, *, escaped: bool, **style: Any) -> str:
    plain = json.dumps(value, ensure_ascii=False, allow_nan=False, **style)
    # Half of a surrogate pair could be written as an escape, but no reader could use it.
    plain.encode()
    return json.dumps(value, **style) if escaped else plain
