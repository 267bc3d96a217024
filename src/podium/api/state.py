"""What a workflow of one's own remembers and what can be set: plain annotated classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, dataclass_transform, get_args, get_origin, get_type_hints

from podium.core.errors import Fault, InputError
from podium.core.nearest import nearest
from podium.core.run import Run as CoreRun


@dataclass_transform(kw_only_default=True)
@dataclass(kw_only=True)
class Run(CoreRun):
    """Where a run stands.

        class State(Run):
            sent_back: int = 0

    A subclass adds counters and flags with defaults.
    """

    input: str = field(default="", compare=False)
    """What the person gave to `podium run`."""
    slug: str = field(default="", compare=False)
    """The beginning of the run's id."""

    def __init_subclass__(cls) -> None:
        dataclass(kw_only=True)(cls)


_TYPES: Mapping[type, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "text",
}


class Policy:
    """What a person can set for a workflow, with `--set` or `[policy.NAME]`. A subclass names the
    keys, their types (bool, int, float, str, Literal) and their defaults.

        class Settings(Policy):
            tries: int = 3
    """

    _types: ClassVar[Mapping[str, Any]] = {}

    def __init_subclass__(cls) -> None:
        hints = get_type_hints(cls)
        cls._types = {name: kind for name, kind in hints.items() if not name.startswith("_")}
        for name, kind in cls._types.items():
            if not hasattr(cls, name):
                raise TypeError(f"{cls.__qualname__}.{name} has no default")
            if kind not in _TYPES and get_origin(kind) is not Literal:
                raise TypeError(f"{cls.__qualname__}.{name} is none of {_known_types()}")

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        return {name: getattr(cls, name) for name in cls._types}

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> Policy:
        """The settings with these values; InputError names every one that does not fit."""
        settings, faults = cls(), list[Fault]()
        for name, value in values.items():
            if name not in cls._types:
                faults.append(Fault("policy", f"{name} is not known", _known(name, cls._types)))
                continue
            taken = _taken(cls._types[name], value)
            if taken is None:
                faults.append(Fault("policy", f"{name} must be {_expected(cls._types[name])}"))
            else:
                setattr(settings, name, taken)
        if faults:
            raise InputError(faults)
        return settings


def _taken(kind: Any, value: Any) -> Any:
    """The value as one of that type; None if it is none."""
    if get_origin(kind) is Literal:
        return value if value in get_args(kind) else None
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    return value if type(value) is kind else None


def _expected(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return f"one of {', '.join(map(str, get_args(kind)))}"
    return _TYPES[kind]


def _known_types() -> str:
    return ", ".join([*(kind.__name__ for kind in _TYPES), "Literal"])


def _known(name: str, names: Mapping[str, Any]) -> str:
    near = nearest(name, names)
    if near:
        return f"did you mean {near}?"
    return f"known here: {', '.join(names)}" if names else "this workflow has no settings"
