"""The kinds of value a setting can have: read from TOML or JSON data, or from the text of a
variable or option.
"""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass
from typing import Any, Literal

Name = Literal["bool", "int", "count", "float", "seconds", "str", "choice", "texts", "command"]

EXPECTED: dict[Name, str] = {
    "bool": "true or false",
    "int": "a whole number, 0 or more",
    "count": "a whole number, 1 or more",
    "float": "a number, 0 or more",
    "seconds": "a number of seconds, more than 0",
    "str": "text",
    "choice": "true, false or a word",
    "texts": "a list of texts",
    "command": "a command, as text or as a list of texts",
}
_TRUE, _FALSE = {"true", "yes", "on", "1"}, {"false", "no", "off", "0"}


@dataclass(frozen=True)
class Key:
    """One known setting."""

    kind: Name
    default: Any = None
    choices: tuple[str, ...] = ()

    def take(self, value: Any) -> Any:
        """The value as settings store it; ValueError says what it must be."""
        taken = _taken(self.kind, value)
        if taken is None:
            raise ValueError(f"must be {EXPECTED[self.kind]}, not {shown(value)}")
        for each in (taken if self.kind == "texts" else (taken,)) if self.choices else ():
            if each not in self.choices:
                raise ValueError(f"must be one of {', '.join(self.choices)}, not {shown(each)}")
        return taken

    def read(self, text: str) -> Any:
        """The value that the text of a variable or of `KEY=VALUE` means."""
        word = text.strip()
        if self.kind == "bool" and word.lower() in _TRUE | _FALSE:
            return word.lower() in _TRUE
        if self.kind == "texts":
            return self.take([part.strip() for part in word.split(",") if part.strip()])
        if self.kind in {"int", "count", "float", "seconds"}:
            return self.take(_number(word))
        return self.take(text)


def shown(value: Any) -> str:
    """A value as its owner wrote it, shortened if it is long."""
    if isinstance(value, bool):
        return str(value).lower()
    text = f'"{value}"' if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else text[:57] + "…"


def _taken(kind: Name, value: Any) -> Any:
    match kind:
        case "bool":
            return value if isinstance(value, bool) else None
        case "int" | "count":
            least = 1 if kind == "count" else 0
            return (
                value
                if isinstance(value, int) and not isinstance(value, bool) and value >= least
                else None
            )
        case "float" | "seconds":
            return _amount(value, positive=kind == "seconds")
        case "str":
            return value if isinstance(value, str) else None
        case "choice":
            return (
                str(value).lower()
                if isinstance(value, bool)
                else value
                if isinstance(value, str)
                else None
            )
        case "texts":
            return _texts(value)
        case "command":
            return _command(value)


def _amount(value: Any, *, positive: bool) -> float | None:
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not abs(value) <= sys.float_info.max
    ):
        return None
    return float(value) if value > 0 or (value == 0 and not positive) else None


def _texts(value: Any) -> tuple[str, ...] | None:
    if isinstance(value, list | tuple) and all(isinstance(each, str) for each in value):
        return tuple(value)
    return None


def _command(value: Any) -> tuple[str, ...] | None:
    try:
        words = tuple(shlex.split(value)) if isinstance(value, str) else _texts(value)
    except ValueError:  # an open quote
        return None
    return words or None


def _number(word: str) -> int | float | str:
    for convert in (int, float):
        try:
            return convert(word)
        except ValueError:
            continue
    return word
