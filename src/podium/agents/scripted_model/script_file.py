"""Reads scripts from YAML or JSON. Everything that is not understood is refused at once, with its
place.

    hello:
      - {say: I will write it., write: {path: "{cwd}/a.txt", content: a}}
      - {say: Done., usage: [900, 40]}
    stubborn: {loop: true, steps: [{run: date, fail: {status: 529, times: 2}}]}

A step may have `say`; one of `write`, `read`, `run`, `json`, `tool`, `report`, `ending`, or several
of them as a list under `calls`; and `usage`, `fail`, `cut`, `delay`, `pace`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from podium.agents.scenario_file import TOO_DEEP
from podium.agents.scripted_model.script import (
    Act,
    Ending,
    Json,
    Read,
    Refusal,
    Run,
    Script,
    Step,
    Tokens,
    Tool,
    Write,
)
from podium.core.errors import Fault, InputError
from podium.core.nearest import nearest
from podium.documents.tree import named
from podium.documents.yaml_tree import refusing

REPORT = "report"
"""The tool with which an agent submits its verdict, whatever its client calls it."""


def load(path: Path) -> dict[str, Script]:
    """The scripts in a file, by name. Raises InputError with every fault in it."""
    from ruamel.yaml import YAML  # noqa: PLC0415  # takes 30 ms, and only files need it

    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        raise InputError(
            Fault(str(path), f"cannot be read: {str(fault).splitlines()[0]}")
        ) from None
    with named(str(path)), refusing():
        if TOO_DEEP.search(text):
            raise RecursionError  # the loader would fail the same way, after minutes
        data = YAML(typ="safe", pure=True).load(text)
    return parse(data, str(path))


def parse(data: Any, where: str = "script") -> dict[str, Script]:
    """Scripts by name from plain data."""
    reader = _Reader(where)
    found = {name: reader.script(value, name) for name, value in reader.members(data, "", None)}
    if reader.faults:
        raise InputError(reader.faults)
    return found


def script(steps: Any, where: str = "script") -> Script:
    """One script from a list of steps, or from `{loop, steps}`."""
    reader = _Reader(where)
    found = reader.script(steps, "")
    if reader.faults:
        raise InputError(reader.faults)
    return found


class _Reader:
    def __init__(self, where: str) -> None:
        self.where = where
        self.faults: list[Fault] = []

    def wrong(self, place: str, what: str, mend: str = "") -> None:
        self.faults.append(Fault(f"{self.where}: {place}" if place else self.where, what, mend))

    def members(self, node: Any, place: str, known: Iterable[str] | None) -> list[tuple[str, Any]]:
        if not isinstance(node, Mapping):
            self.wrong(place, f"must be a mapping, not {type(node).__name__}")
            return []
        names = None if known is None else list(known)
        found = []
        for name, value in node.items():
            if names is not None and name not in names:
                near = nearest(str(name), names)
                self.wrong(
                    place,
                    f"unknown member {name!r}",
                    f"did you mean {near!r}?" if near else f"known: {', '.join(names)}",
                )
            else:
                found.append((str(name), value))
        return found

    def script(self, node: Any, place: str) -> Script:
        loop = False
        if isinstance(node, Mapping):
            told = dict(self.members(node, place, ("loop", "steps")))
            loop, node = self.flag(told.get("loop", False), f"{place}.loop"), told.get("steps")
        if not isinstance(node, list) or not node:
            self.wrong(place, "must be a list of steps", "- {say: …}")
            return Script(())
        return Script(
            tuple(self.step(each, f"{place}[{at}]") for at, each in enumerate(node)), loop
        )

    def step(self, node: Any, place: str) -> Step:
        acts: list[Act] = []
        found: dict[str, Any] = {}
        for name, value in self.members(node, place, (*_ACTS, *_REST)):
            here = f"{place}.{name}"
            if name == "calls":
                acts += self.calls(value, here)
            elif name in _ACTS:
                acts += [act for act in (_ACTS[name](self, value, here),) if act is not None]
            else:
                found[_REST[name][0]] = _REST[name][1](self, value, here)
        return Step(acts=tuple(acts), **found)

    def calls(self, node: Any, place: str) -> list[Act]:
        if not isinstance(node, list):
            self.wrong(place, "must be a list")
            return []
        found: list[Act] = []
        for at, each in enumerate(node):
            for name, value in self.members(
                each, f"{place}[{at}]", [name for name in _ACTS if name != "calls"]
            ):
                act = _ACTS[name](self, value, f"{place}[{at}].{name}")
                found += [act] if act is not None else []
        return found

    def text(self, node: Any, place: str) -> str:
        if not isinstance(node, str):
            self.wrong(place, f"must be text, not {node!r}")
            return ""
        return node

    def flag(self, node: Any, place: str) -> bool:
        if not isinstance(node, bool):
            self.wrong(place, f"must be true or false, not {node!r}")
        return node is True

    def number(self, node: Any, place: str) -> float:
        if (
            isinstance(node, bool)
            or not isinstance(node, int | float)
            or not 0 <= node <= sys.float_info.max
        ):
            self.wrong(place, f"must be a number, 0 or more, not {node!r}")
            return 0.0
        return float(node)

    def count(self, node: Any, place: str) -> int:
        if isinstance(node, bool) or not isinstance(node, int) or node < 0:
            self.wrong(place, f"must be a whole number, 0 or more, not {node!r}")
            return 0
        return node


def _write(reader: _Reader, node: Any, place: str) -> Act:
    told = dict(reader.members(node, place, ("path", "content")))
    return Write(
        reader.text(told.get("path"), f"{place}.path"),
        reader.text(told.get("content"), f"{place}.content"),
    )


def _named(kind: type[Tool | Ending]) -> Callable[[_Reader, Any, str], Act]:
    def read(reader: _Reader, node: Any, place: str) -> Act:
        told = dict(reader.members(node, place, ("name", "arguments")))
        arguments = dict(reader.members(told.get("arguments", {}), f"{place}.arguments", None))
        return kind(reader.text(told.get("name"), f"{place}.name"), arguments)

    return read


def _report(reader: _Reader, node: Any, place: str) -> Act:
    return Ending(REPORT, dict(reader.members(node, place, None)))


def _usage(reader: _Reader, node: Any, place: str) -> Tokens:
    if not isinstance(node, list) or len(node) != 2:
        reader.wrong(place, f"must be [tokens in, tokens out], not {node!r}")
        return Tokens(0, 0)
    return Tokens(reader.count(node[0], f"{place}[0]"), reader.count(node[1], f"{place}[1]"))


def _fail(reader: _Reader, node: Any, place: str) -> Refusal:
    told = dict(reader.members(node, place, ("status", "times", "retry_after")))
    status = reader.count(told.get("status"), f"{place}.status")
    if not 400 <= status <= 599:
        reader.wrong(f"{place}.status", "must be an HTTP status of an error, 400 to 599")
    after = told.get("retry_after", 0.0)
    return Refusal(
        status,
        reader.count(told.get("times", 1), f"{place}.times"),
        None if after is None else reader.number(after, f"{place}.retry_after"),
    )


def _cut(reader: _Reader, node: Any, place: str) -> int:
    return int(node) if isinstance(node, bool) else reader.count(node, place)


_ACTS: Mapping[str, Callable[[_Reader, Any, str], Act | None]] = {
    "write": _write,
    "read": lambda reader, node, place: Read(reader.text(node, place)),
    "run": lambda reader, node, place: Run(reader.text(node, place)),
    "json": lambda _reader, node, _place: Json(node),
    "tool": _named(Tool),
    "ending": _named(Ending),
    "report": _report,
    "calls": lambda _reader, _node, _place: None,
}
_REST: Mapping[str, tuple[str, Callable[[_Reader, Any, str], Any]]] = {
    "say": ("say", _Reader.text),
    "usage": ("tokens", _usage),
    "fail": ("refuse", _fail),
    "cut": ("cut", _cut),
    "delay": ("delay", _Reader.number),
    "pace": ("pace", _Reader.number),
}
