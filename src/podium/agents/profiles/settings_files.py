"""Reads the settings of agent programs, as far as they name the address of a model."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

_COMMENT = re.compile(r'("(?:[^"\\\n]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_COMMA = re.compile(r'("(?:[^"\\\n]|\\.)*")|,(?=\s*[}\]])')
_LINE = re.compile(r"\s*(?:export\s+)?([\w-]+)\s*[:=]\s*(.*)")


def named(text: str, suffix: str, path: str) -> list[str]:
    """The texts at a path such as `env.NAME` (`*` is any member, `{name}` the one that `name` says)
    of a file with that suffix; a file of another kind has lines such as `NAME=value`. Raises
    ValueError if it cannot be read.
    """
    if suffix in {".toml", ".json", ".jsonc"}:
        table = _table(text, suffix)
        return list(_at(table, [_chosen(table, part) for part in path.split(".")]))
    lines = (match for line in text.splitlines() if (match := _LINE.fullmatch(line)))
    return [value for match in lines if match[1] == path and (value := _unquoted(match[2]))]


def _table(text: str, suffix: str) -> Any:
    try:
        return tomllib.loads(text) if suffix == ".toml" else _json(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _json(text: str) -> Any:
    """Programs also take JSON with comments, and with commas at the end."""
    try:
        return json.loads(text)
    except ValueError:
        return json.loads(_COMMA.sub(_kept, _COMMENT.sub(_kept, text)))


def _kept(match: re.Match[str]) -> str:
    return match[1] or ""


def _chosen(table: Any, part: str) -> str:
    if not part.startswith("{"):
        return part
    return next(_at(table, [part.strip("{}")]), "")


def _at(value: Any, path: list[str]) -> Iterator[str]:
    if not path:
        if isinstance(value, str) and value.strip():
            yield value.strip()
    elif isinstance(value, Mapping):
        members = value.values() if path[0] == "*" else [value.get(path[0])]
        for member in members:
            yield from _at(member, path[1:])


def _unquoted(value: str) -> str:
    value = value.strip()
    if value[:1] in {'"', "'"}:
        return value[1:].partition(value[0])[0].strip()
    return value.partition(" #")[0].strip()
