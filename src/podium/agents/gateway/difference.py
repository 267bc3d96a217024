"""Where two requests first differ, described so that the place can be found. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_SHOWN = 60


@dataclass(frozen=True)
class Difference:
    words: str
    """The place, the recorded value, and the value now."""
    same: int
    """How much is equal before it. The recorded request with the most in common is the nearest."""


def difference(recorded: Any, now: Any) -> Difference:
    return _walk(recorded, now, "") or Difference("they are the same", 1_000_000_000)


def _walk(old: Any, new: Any, place: str) -> Difference | None:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        return _members(old, new, place)
    if isinstance(old, list) and isinstance(new, list):
        return _items(old, new, place)
    if isinstance(old, str) and isinstance(new, str):
        return _texts(old, new, place)
    return None if old == new and type(old) is type(new) else _said(place, old, new, 0)


def _members(old: Mapping[str, Any], new: Mapping[str, Any], place: str) -> Difference | None:
    same = 0
    for name in sorted({*old, *new}):
        here = f"{place}.{name}" if place else str(name)
        if name not in new:
            return Difference(f"{here} was recorded and is missing now", same)
        if name not in old:
            return Difference(f"{here} is new", same)
        if found := _walk(old[name], new[name], here):
            return Difference(found.words, same + found.same)
        same += _size(old[name])
    return None


def _items(old: list[Any], new: list[Any], place: str) -> Difference | None:
    same = 0
    for at, (first, second) in enumerate(zip(old, new, strict=False)):
        if found := _walk(first, second, f"{place}[{at}]"):
            return Difference(found.words, same + found.same)
        same += _size(first)
    if len(old) != len(new):
        return Difference(f"{place or 'it'} had {len(old)} entries and has {len(new)} now", same)
    return None


def _texts(old: str, new: str, place: str) -> Difference | None:
    if old == new:
        return None
    at = next(
        (n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b),
        min(len(old), len(new)),
    )
    begin = max(0, at - 20)
    where = f"{place or 'it'}, sign {at}"
    return _said(where, old[begin : begin + _SHOWN], new[begin : begin + _SHOWN], at)


def _said(place: str, old: Any, new: Any, same: int) -> Difference:
    return Difference(f"{place or 'it'}: recorded {_short(old)}, now {_short(new)}", same)


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 2 * _SHOWN else text[: 2 * _SHOWN] + "…"


def _size(value: Any) -> int:
    return len(json.dumps(value, default=str))
