"""The rules of a document as plain data, without the document: enough to match them again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from podium.importing.finding import Found

QUOTED = 3
"""Words kept of each rule, at most half of it: enough to find the place, too few to recover the
text.
"""


def to_data(found: Iterable[Found]) -> list[dict[str, Any]]:
    return [
        {
            "line": each.line,
            "kind": each.kind,
            "enforceable": each.enforceable,
            "numbers": list(each.numbers),
            "topics": list(each.topics),
            "around": list(each.around),
            "quote": _short(each.quote),
        }
        for each in found
    ]


def _short(quote: str) -> str:
    said = quote.split(" ")
    return " ".join(said[: min(QUOTED, max(1, len(said) // 2))]) + (" …" if len(said) > 1 else "")


def from_data(data: Iterable[Mapping[str, Any]]) -> tuple[Found, ...]:
    return tuple(
        Found(
            line=each["line"],
            kind=each["kind"],
            enforceable=each["enforceable"],
            numbers=tuple(each["numbers"]),
            topics=tuple(each["topics"]),
            around=tuple(each["around"]),
            quote=each["quote"],
        )
        for each in data
    )
