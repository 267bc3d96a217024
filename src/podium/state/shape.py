"""Whether JSON data fits the annotated members of a dataclass, and the data with those types."""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin


class Misfit(Exception):
    """A value does not have its type; `at` is the path below the member, such as `.build`."""

    def __init__(self, expected: str, found: Any, at: str = "") -> None:
        super().__init__(f"expected {expected}, found {found!r}")
        self.expected, self.found, self.at = expected, found, at


def members(kind: type) -> Mapping[str, Any]:
    """Each member's name and type, in class order."""
    return _members(kind)


@cache  # there are a dozen kinds of runs, and listing runs asks for the same one each time
def _members(kind: Any) -> Mapping[str, Any]:
    return types.MappingProxyType(typing.get_type_hints(kind))


def fit(hint: Any, value: Any) -> Any:
    """The value in its annotated type: JSON has no tuples and no enums, so they are made here."""
    origin = get_origin(hint)
    if origin is Literal:
        return _literal(hint, value)
    if origin in {Union, types.UnionType}:
        return _union(hint, value)
    if origin is not None:
        return _container(origin, get_args(hint), value)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _enum(hint, value)
    plain = _PLAIN.get(hint)
    if plain is None:
        return value  # Any, and types that `core.run.counters` cannot write anyway
    expected, accepts = plain
    if not accepts(value):
        raise Misfit(expected, value)
    return value


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_float(value: Any) -> bool:
    return isinstance(value, float) or _is_int(value)


_PLAIN: Mapping[Any, tuple[str, Callable[[Any], bool]]] = {
    bool: ("true or false", lambda value: isinstance(value, bool)),
    int: ("a whole number", _is_int),
    float: ("a number", _is_float),
    str: ("a text", lambda value: isinstance(value, str)),
    type(None): ("null", lambda value: value is None),
    dict: ("an object", lambda value: isinstance(value, dict)),
    list: ("a list", lambda value: isinstance(value, list)),
}


def _literal(hint: Any, value: Any) -> Any:
    for allowed in get_args(hint):
        if type(allowed) is type(value) and allowed == value:
            return value
    raise Misfit("one of " + ", ".join(str(each) for each in get_args(hint)), value)


def _enum(hint: type[Enum], value: Any) -> Enum:
    try:
        return hint(value)
    except ValueError:
        raise Misfit("one of " + ", ".join(str(each.value) for each in hint), value) from None


def _union(hint: Any, value: Any) -> Any:
    faults: list[Misfit] = []
    for option in get_args(hint):
        try:
            return fit(option, value)
        except Misfit as fault:
            faults.append(fault)
    raise Misfit(" or ".join(fault.expected for fault in faults), value)


def _container(origin: Any, inner: tuple[Any, ...], value: Any) -> Any:
    if issubclass(origin, Mapping):
        if not isinstance(value, dict):
            raise Misfit("an object", value)
        return {key: _below(f".{key}", inner[1], each) for key, each in value.items()}
    if not issubclass(origin, Sequence):
        return value
    if not isinstance(value, list):
        raise Misfit("a list", value)
    if issubclass(origin, tuple) and inner[-1] is not Ellipsis:
        if len(inner) != len(value):
            raise Misfit(f"a list of {len(inner)}", value)
        return tuple(
            _below(f"[{n}]", hint, each)
            for n, (hint, each) in enumerate(zip(inner, value, strict=True))
        )
    items = [_below(f"[{n}]", inner[0], each) for n, each in enumerate(value)]
    return tuple(items) if issubclass(origin, tuple) else items


def _below(at: str, hint: Any, value: Any) -> Any:
    try:
        return fit(hint, value)
    except Misfit as fault:
        raise Misfit(fault.expected, fault.found, at + fault.at) from None
