"""What must hold for whatever a parser took: no member that nobody defined, none twice, nothing
out of code or a comment.
"""

from __future__ import annotations

import io
import json
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Any, Literal

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

Kind = Literal["json", "yaml", "toml", "lines"]
STRANGER = "podium-unknown"
MARK = f'"{STRANGER}": true'
Value = Any
"""What JSON can hold."""


def plain(kind: Kind, text: str) -> str | None:
    """The same data as one line of JSON, which YAML takes too; None where it has no such form."""
    try:
        return _dumped(_loaded(kind, text))
    except (ValueError, TypeError, RecursionError, YAMLError):
        return None


def strangers(kind: Kind, text: str, free: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """(place, text) for each table outside `free` places, with a member in it that nobody
    defined.
    """
    if kind == "lines":
        lines = text.splitlines(keepends=True)
        for number, line in enumerate(lines):
            for place, changed in strangers("json", line, free):
                yield (
                    f"{number}:{place}",
                    "".join((*lines[:number], f"{changed}\n", *lines[number + 1 :])),
                )
    elif kind == "toml":
        yield from _toml_strangers(text, free)
    elif (data := plain(kind, text)) is not None:
        value = json.loads(data)
        for place, table in _tables(value):
            if not _free(place, free):
                table[STRANGER] = True
                yield place, _dumped(value)
                del table[STRANGER]


def twice(kind: Kind, text: str) -> Iterator[tuple[str, str]]:
    """(place, text) for each table with members, one of which is there a second time."""
    if kind in {"json", "yaml"} and (data := plain(kind, text)) is not None:
        value = json.loads(data)
        for place, table in _tables(value):
            for name in list(table)[:1]:
                again = f"{json.dumps(name)}: {_dumped(table[name])}"
                table[STRANGER] = True
                yield place, _dumped(value).replace(MARK, again)
                del table[STRANGER]


def hidden(text: str, said: str) -> Iterator[str]:
    """The text with words that say something where nobody speaks: in code, and in a comment."""
    whole = text if text.endswith("\n") else f"{text}\n"
    quiet = (
        said.replace("`", "'")
        .replace("~", "-")
        .replace("--", "==")
        .replace("<!", "")
        .replace(">", "")
    )
    yield f"{whole}\n```text\n{quiet}\n```\n"
    yield f"{whole}\n<!--\n{quiet}\n-->\n"


def _free(place: str, free: tuple[str, ...]) -> bool:
    return any(fnmatchcase(place, each) for each in free)


def _tables(value: Value, place: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(value, dict):
        yield place, value
        for name, each in list(value.items()):
            yield from _tables(each, f"{place}/{name}")
    elif isinstance(value, list):
        for each in value:
            yield from _tables(each, f"{place}/*")


def _toml_strangers(text: str, free: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """At the top and below each header; whether it came in there is seen from the data."""
    lines = text.splitlines(keepends=True)
    for number in range(len(lines) + 1):
        if number == 0 or lines[number - 1].lstrip().startswith("["):
            changed = "".join((*lines[:number], f"{STRANGER} = true\n", *lines[number:]))
            try:
                found = [
                    place for place, table in _tables(tomllib.loads(changed)) if STRANGER in table
                ]
            except (ValueError, RecursionError):
                continue
            yield from ((place, changed) for place in found if not _free(place, free))


def _loaded(kind: Kind, text: str) -> Value:
    if kind == "json":
        return json.loads(text)
    return YAML(typ="safe", pure=True).load(io.StringIO(text))


def _dumped(value: Value) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
