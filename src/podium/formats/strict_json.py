"""JSON read strictly: no name twice in one object, no NaN, no infinite numbers."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

from podium.core.errors import Fault, InputError


class Twice(ValueError):
    """Two values for one name are two answers; we do not guess which one counts."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name[:80]!r} occurs twice in one object")
        self.name = name


def parse(text: str) -> Any:
    """The value of a text; ValueError says what is wrong with it."""
    try:
        return decode(text.lstrip("\ufeff"))
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def parse_table(text: str, where: str) -> dict[str, Any]:
    """The object of a text; InputError says what is wrong with it."""
    try:
        found = parse(text)
    except ValueError as fault:
        raise InputError(Fault(where, f"is not valid JSON: {fault}")) from None
    if not isinstance(found, dict):
        raise InputError(Fault(where, "must contain one JSON object"))
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        raise Twice(next(name for name in names if names.count(name) > 1))
    return found


def _finite(word: str) -> float:
    number = float(word)
    if math.isinf(number):
        raise ValueError(f"{word[:40]} is too large a number")
    return number


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a JSON value")


decode = json.JSONDecoder(
    object_pairs_hook=_once, parse_float=_finite, parse_constant=_refuse
).decode
"""Like `parse`, but a byte order mark and too deep nesting are not handled."""
