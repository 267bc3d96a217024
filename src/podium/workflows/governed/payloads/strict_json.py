"""JSON as it was meant: no name twice in one object, no numbers that are none."""

from __future__ import annotations

import json
from typing import Any


def parse(text: str) -> Any:
    """The value of a text; ValueError says what is wrong with it."""
    try:
        return json.loads(text.lstrip("\ufeff"), object_pairs_hook=_once, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Two values under one name are two answers; which one counts is not ours to guess."""
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{twice[:80]!r} stands twice in one object")
    return found


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON value")
