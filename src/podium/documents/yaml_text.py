"""Plain data as YAML text: texts are in double quotes, so that no word is taken for something
else.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*", re.ASCII)
_WORDS = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})
# Characters that some reader refuses, or takes for the end of a line.
_UNSAFE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")


def dump_yaml(data: Mapping[str, Any]) -> str:
    """A whole document; the same data gives the same bytes."""
    return "".join(f"{line}\n" for line in block(data)) if data else "{}\n"


def block(value: Any, indent: int = 0) -> list[str]:
    """The lines of a table or list on lines of its own, each indented."""
    pad = " " * indent
    if isinstance(value, Mapping):
        return [line for name, item in value.items() for line in entry(name, item, indent)]
    lines: list[str] = []
    for item in value:
        if isinstance(item, Mapping) and item:
            inner = block(item, indent + 2)
            lines += [f"{pad}- {inner[0][indent + 2 :]}", *inner[1:]]
        else:
            lines.append(f"{pad}- {inline(item)}")
    return lines


def entry(name: str, value: Any, indent: int = 0) -> list[str]:
    """The lines of one member of a table."""
    head = f"{' ' * indent}{key(name)}:"
    if isinstance(value, str) and _is_literal(value):
        mark = "|" if value.endswith("\n") else "|-"
        body = [
            f"{' ' * (indent + 2)}{line}" if line else ""
            for line in value.removesuffix("\n").split("\n")
        ]
        return [f"{head} {mark}", *body]
    if value and isinstance(value, Mapping | list | tuple):
        return [head, *block(value, indent + 2)]
    return [f"{head} {inline(value)}"]


def inline(value: Any) -> str:
    """Any value on one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key(name)}: {inline(item)}" for name, item in value.items()) + "}"
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, Sequence):
        return "[" + ", ".join(map(inline, value)) + "]"
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value} has no place in a document")
    return json.dumps(value)


def key(name: str) -> str:
    return name if _NAME.fullmatch(name) and name.casefold() not in _WORDS else quoted(name)


def quoted(text: str) -> str:
    return _UNSAFE.sub(
        lambda match: f"\\u{ord(match[0]):04x}", json.dumps(text, ensure_ascii=False)
    )


def _is_literal(text: str) -> bool:
    """Whether people can read it as lines, and every reader reads it the same way."""
    if "\n" not in text.strip("\n") or text.startswith((" ", "\n")) or text.endswith("\n\n"):
        return False
    plain = all(sign == "\n" or (sign.isprintable() and not _UNSAFE.match(sign)) for sign in text)
    return plain and not any(line and not line.strip() for line in text.split("\n"))
