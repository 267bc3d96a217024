"""The head of an agent definition: YAML between two `---` lines, or what can still be read of it
line by line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from podium.core.errors import Fault, InputError
from podium.documents.tree import named
from podium.documents.yaml_tree import parse_yaml, resolved

FENCE = "---"
_PAIR = re.compile(r"(?P<name>[A-Za-z_][\w.-]*)[ \t]*:(?:[ \t]+(?P<rest>.*)|[ \t]*)$")
_ITEM = re.compile(r"[ \t]*-(?:[ \t]+(?P<rest>.*)|[ \t]*)$")
_QUOTED = re.compile(r"""(?P<mark>["'])(?P<inner>.*)(?P=mark)""", re.DOTALL)


@dataclass(frozen=True)
class Head:
    """What is above the definition itself."""

    values: Mapping[str, Any]
    """Every key as written, known or not."""
    warnings: tuple[Fault, ...] = ()


def split(text: str) -> tuple[str, str] | None:
    """Head and body, if the first line opens a head and another line closes it; otherwise None."""
    lines = text.split("\n")
    if lines[0].rstrip() != FENCE:
        return None
    end = next((at for at, line in enumerate(lines) if at and line.rstrip() == FENCE), None)
    if end is None:
        return None
    return "".join(f"{line}\n" for line in lines[1:end]), "\n".join(lines[end + 1 :])


def strictly(text: str, where: str) -> Head:
    """The head as YAML that has each key once; raises InputError with line numbers of the file."""
    # The fence is line 1 of the file.
    with named(where):
        root = parse_yaml(f"\n{text}")
    if root.kind == "value" and root.value is None:
        return Head({})
    if root.kind != "table":
        raise InputError(
            Fault(
                f"{where}:{root.line}",
                f"the head is a {root.kind}, not a table",
                "write `key: value` lines",
            )
        )
    return Head(root.data)


def leniently(text: str, where: str) -> Head:
    """The head as YAML, otherwise line by line with a warning that says why."""
    try:
        return strictly(text, where)
    except InputError as error:
        values, more = _by_lines(text, where)
        why = (
            Fault(each.where, f"{each.what}; the head is read line by line instead", each.mend)
            for each in error.faults
        )
        return Head(values, (*why, *more))


def _by_lines(text: str, where: str) -> tuple[dict[str, Any], tuple[Fault, ...]]:
    """`key: rest` at the start of a line; an indented line or a list item below belongs to the
    key before it.
    """
    found: dict[str, list[str]] = {}
    first: dict[str, str] = {}
    warnings: list[Fault] = []
    name = ""
    for number, line in enumerate(text.split("\n"), 2):
        pair = _PAIR.match(line)
        if pair:
            name = pair["name"]
            found[name], first[name] = [], (pair["rest"] or "").strip()
        elif name and (line[:1] in {" ", "\t"} or _ITEM.match(line)):
            found[name].append(line)
        elif line.strip() and not line.startswith("#"):
            warnings.append(
                Fault(
                    f"{where}:{number}",
                    f"cannot be read: {line.strip()[:60]!r}",
                    "write `key: value`",
                )
            )
    return {name: _value(first[name], below) for name, below in found.items()}, tuple(warnings)


def _value(rest: str, below: list[str]) -> Any:
    filled = [line for line in below if line.strip()]
    if not rest and filled and all(_ITEM.match(line) for line in filled):
        return [
            _word((found["rest"] or "").strip()) for line in filled if (found := _ITEM.match(line))
        ]
    if filled:
        opened = [] if rest in {"", "|", "|-", ">", ">-"} else [rest]
        return "\n".join([*opened, *(line.strip() for line in filled)])
    if rest.startswith("[") and rest.endswith("]"):
        return [_word(each.strip()) for each in rest[1:-1].split(",") if each.strip()]
    return _word(rest)


def _word(text: str) -> Any:
    quoted = _QUOTED.fullmatch(text)
    return quoted["inner"] if quoted else resolved(text)
