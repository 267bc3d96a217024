"""Reads a scenario from YAML. Everything that is not understood is refused at once, with line
numbers.
"""

from __future__ import annotations

import datetime as dt
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, get_args

from podium.agents.protocol import Question, Usage
from podium.agents.scenario import Call, Content, Copy, Document, FailureWord, Scenario, Template
from podium.core.errors import Fault, InputError
from podium.core.nearest import nearest
from podium.documents.json_tree import load_json
from podium.documents.tree import named
from podium.documents.yaml_tree import refusing

_TOP = ("agents", "defaults", "keys")
_FAILURES = get_args(FailureWord)
_DATA_ENDINGS = (".json", ".yaml", ".yml")


Refuses = Callable[[str, str, str, str, Any], str]
"""Why a template does not take a member, or "": (agents, keys or defaults; a name there; the
template; the member; its value).
"""


def load(path: Path, refuses: Refuses | None = None) -> Scenario:
    """The scenario in a file. Raises InputError with every fault in it. `refuses` knows the
    templates of a workflow.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        raise InputError(Fault(str(path), f"cannot be read: {_unread(fault)}")) from None
    return parse(text, str(path), path.parent, refuses)


def _unread(fault: OSError | UnicodeDecodeError) -> str:
    if isinstance(fault, UnicodeDecodeError):
        return f"it is not UTF-8 (byte {fault.start})"
    if isinstance(fault, FileNotFoundError):
        return "there is no such file"
    return (fault.strerror or str(fault)).lower()


def parse(
    text: str, where: str, folder: Path | None = None, refuses: Refuses | None = None
) -> Scenario:
    """The scenario in a text. With a folder, files to copy must exist there."""
    if (
        text.lstrip().startswith("{")
        and (found := _from_json(text, where, folder, refuses)) is not None
    ):
        return found
    reader = _Reader(where, folder, refuses)
    scenario = reader.scenario(_tree(text, where))
    if reader.faults:
        raise InputError(reader.faults)
    return scenario


def _from_json(
    text: str, where: str, folder: Path | None, refuses: Refuses | None
) -> Scenario | None:
    """The same for JSON, fifty times as fast; None if it is not JSON, or if a fault needs its
    line.
    """
    reader = _Reader(where, folder, refuses)
    try:
        found = reader.scenario(load_json(text))
    except (InputError, ValueError, RecursionError):
        return None
    return None if reader.faults else found


@lru_cache(maxsize=4)  # a run's scenario is read before it begins and again when it does
def _tree(text: str, where: str) -> Any:
    from ruamel.yaml import YAML  # noqa: PLC0415  # takes 30 ms, and only scripted runs need it

    with named(where), refusing():
        if TOO_DEEP.search(text):
            raise RecursionError
        # The round-trip loader is the one that remembers lines; it does not build objects from
        # tags.
        return YAML(typ="rt", pure=True).load(_PAIR.sub(_joined, text))


TOO_DEEP = re.compile(r"(?:[\[{]\s{0,99}){300}")
"""More nested brackets than the loader can handle; it would take minutes to fail."""
_PAIR = re.compile(
    r"(?<!\\)((?:\\\\)*)\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})"
)
"""One character beyond the first plane as JSON escapes it; YAML would read two halves."""


def _joined(found: re.Match[str]) -> str:
    return found[1] + bytes.fromhex(found[2] + found[3]).decode("utf-16-be")


class _Wrong(Exception):
    """A value is not what its field accepts; the message says what it accepts."""


class _Reader:
    """Walks the tree with its lines and collects every fault."""

    def __init__(self, where: str, folder: Path | None, refuses: Refuses | None = None) -> None:
        self.where = where
        self.folder = folder
        self.refuses = refuses
        self.place = ("", "")
        """Whose calls are read: agents, keys or defaults, and the name there."""
        self.faults: list[Fault] = []

    def fault(self, line: int, what: str, mend: str = "") -> None:
        self.faults.append(Fault(f"{self.where}:{line}", what, mend))

    def scenario(self, tree: Any) -> Scenario:
        agents: dict[str, tuple[Call, ...]] = {}
        keys: dict[str, tuple[Call, ...]] = {}
        defaults = Call(behave_well=True)
        if tree is None:
            return Scenario()
        for name, value, line in self.fields(tree, 1, "a scenario", _TOP):
            if name == "defaults":
                self.place = (name, "")
                defaults = self.call(value, line, "defaults")
                continue
            into = agents if name == "agents" else keys
            for each, calls, at in self.fields(value, line, name):
                self.place = (name, each)
                into[each] = self.calls(calls, at, f"{name}.{each}")
        return Scenario(agents, keys, defaults)

    def fields(
        self, node: Any, line: int, what: str, allowed: Iterable[str] | None = None
    ) -> list[tuple[str, Any, int]]:
        """(name, value, line) of a mapping. Unknown names are refused, with the nearest known
        one.
        """
        if not isinstance(node, Mapping):
            self.fault(line, f"{what} must be a mapping, not {_spoken(node)}")
            return []
        known = None if allowed is None else list(allowed)
        found = []
        for name, value in node.items():
            at = _line(node, name, line)
            if not isinstance(name, str):
                self.fault(at, f"{what}: the name {name!r} must be text", "put it in quotes")
            elif known is not None and name not in known:
                near = nearest(name, known)
                mend = f"did you mean {near!r}?" if near else f"known: {', '.join(known)}"
                self.fault(at, f"{what}: unknown field {name!r}", mend)
            else:
                found.append((str(name), value, at))
        return found

    def calls(self, node: Any, line: int, what: str) -> tuple[Call, ...]:
        if not isinstance(node, list) or not node:
            self.fault(line, f"{what} must be a list of calls, not {_spoken(node)}", "- {say: …}")
            return (Call(),)
        return tuple(
            self.call(each, _line(node, index, line), f"{what}[{index}]")
            for index, each in enumerate(node)
        )

    def call(self, node: Any, line: int, what: str) -> Call:
        found: dict[str, Any] = {}
        at = line
        for name, value, place in self.fields(node, line, what, _READERS):
            at = place if name == "retry_after" else at
            try:
                found[name] = _READERS[name](self, value, place)
            except _Wrong as wrong:
                self.fault(place, f"{what}: {name} must be {wrong}, not {_spoken(value)}")
        if "retry_after" in found and found.get("fail") != "rate_limit":
            self.fault(at, f"{what}: retry_after belongs to fail: rate_limit")
        found["behave_well"] = bool(found.pop("behave", False))
        return Call(**found)

    def content(self, path: str, node: Any, line: int) -> Content:
        if isinstance(node, str):
            return str(node)
        data = path.startswith("@") or path.endswith(_DATA_ENDINGS)
        if isinstance(node, Mapping) and isinstance(node.get("template"), str):
            members = plain(node)
            name = members.pop("template")
            self.members(name, members, node, line)
            return Template(name, members)
        if (
            isinstance(node, Mapping)
            and isinstance(node.get("copy"), str)
            and (len(node) == 1 or not data)
        ):
            self.fields(node, line, f"write {path}", ("copy",))
            file = str(node["copy"])
            if self.folder is not None and not (self.folder / file).is_file():
                self.fault(line, f"write {path}: there is no file {file!r} in {self.folder}")
            return Copy(file)
        if data and isinstance(node, Mapping | list):
            document = Document(plain(node))
            if path.startswith("@") and isinstance(node, Mapping):
                self.members(path[1:], document.data, node, line)
            return document
        expected = "text, {copy: FILE} or {template: NAME, …}"
        mend = (
            ""
            if data
            else f"a document as data needs a path that ends in {', '.join(_DATA_ENDINGS)}"
        )
        self.fault(line, f"write {path} must be {expected}, not {_spoken(node)}", mend)
        return ""

    def members(self, template: str, members: Mapping[str, Any], node: Any, line: int) -> None:
        if self.refuses is None:
            return
        for name, value in members.items():
            if why := self.refuses(*self.place, template, name, value):
                self.fault(_line(node, name, line), f"template {template}: {why}")


def _line(node: Any, name: Any, otherwise: int) -> int:
    """The line of a member; the line of the whole if it came through an alias or a merge."""
    find = "key" if isinstance(node, Mapping) else "item"
    try:
        return int(getattr(node.lc, find)(name)[0]) + 1
    except (AttributeError, KeyError, IndexError, TypeError):
        return otherwise


def plain(node: Any) -> Any:
    """The value without the loader's own types. What JSON cannot represent is refused."""
    if isinstance(node, Mapping):
        return {str(name): plain(value) for name, value in node.items()}
    if isinstance(node, list):
        return [plain(value) for value in node]
    if isinstance(node, dt.date):  # a date is text in a document
        return node.isoformat()
    if (
        type(node).__name__ == "ScalarBoolean"
    ):  # an anchored boolean, which the loader turns into a kind of int
        return bool(node)
    for kind in (bool, str, int, float):
        if isinstance(node, kind):
            return kind(node)
    if node is None:
        return None
    raise _Wrong("plain data")


def _spoken(node: Any) -> str:
    if isinstance(node, Mapping):
        return "a mapping"
    if isinstance(node, list):
        return "an empty list" if not node else "a list"
    return (
        "nothing"
        if node is None
        else repr(plain(node))
        if isinstance(node, str | int | float)
        else "that"
    )


def _text(_reader: _Reader, node: Any, _line: int) -> str:
    if not isinstance(node, str):
        raise _Wrong("text")
    return str(node)


def _number(_reader: _Reader, node: Any, _line: int) -> float:
    if (
        isinstance(node, bool)
        or not isinstance(node, int | float)
        or not 0 <= node <= sys.float_info.max
    ):
        raise _Wrong("a number of seconds")
    return float(node)


def _texts(_reader: _Reader, node: Any, _line: int) -> tuple[str, ...]:
    many = [node] if isinstance(node, str) else node
    if not isinstance(many, list) or not all(isinstance(each, str) and each for each in many):
        raise _Wrong("a list of texts")
    return tuple(str(each) for each in many)


def _word(*words: str) -> Callable[[_Reader, Any, int], str]:
    def read(_reader: _Reader, node: Any, _line: int) -> str:
        if node not in words:
            near = nearest(str(node), words)
            raise _Wrong(" or ".join(words) + (f" (did you mean {near!r}?)" if near else ""))
        return str(node)

    return read


def _by_path(read: Callable[[Any], Any], what: str) -> Callable[[_Reader, Any, int], Any]:
    def each(reader: _Reader, node: Any, line: int) -> tuple[tuple[str, Any], ...]:
        found = []
        for path, value, at in reader.fields(node, line, what):
            try:
                found.append((path, read(value)))
            except _Wrong as wrong:
                reader.fault(at, f"{what} {path} must be {wrong}, not {_spoken(value)}")
        return tuple(found)

    return each


def _some_text(node: Any) -> str:
    if not isinstance(node, str):
        raise _Wrong("text")
    return str(node)


def _mode(node: Any) -> int:
    """755, 0755, "0755" and 0o755 all mean what chmod means by them."""
    if type(node).__name__ == "OctalInt":
        return int(node)
    said = str(node) if isinstance(node, int | str) and not isinstance(node, bool) else ""
    if not said or len(said) > 4 or set(said) - set("01234567"):
        raise _Wrong("a mode such as 755")
    return int(said, 8)


def _write(reader: _Reader, node: Any, line: int) -> tuple[tuple[str, Content], ...]:
    return tuple(
        (path, reader.content(path, value, at))
        for path, value, at in reader.fields(node, line, "write")
    )


def _verdict(_reader: _Reader, node: Any, _line: int) -> Mapping[str, Any]:
    if not isinstance(node, Mapping):
        raise _Wrong("a mapping")
    found: Mapping[str, Any] = plain(node)
    return found


def _usage(reader: _Reader, node: Any, line: int) -> Usage:
    found: dict[str, Any] = {}
    for name, value, at in reader.fields(
        node, line, "usage", ("tokens_in", "tokens_out", "cost_usd")
    ):
        kinds = int | float if name == "cost_usd" else int
        if value is not None and (
            isinstance(value, bool) or not isinstance(value, kinds) or value < 0
        ):
            reader.fault(at, f"usage: {name} must be a number, not {_spoken(value)}")
        else:
            found[name] = plain(value)
    return Usage(**found)


_REQUEST = {
    "question": "prompt",
    "options": "choices",
    "impact_analysis": "prompt",
    "recommended_option": "recommended",
    "recommended_option_rationale": "prompt",
}
"""The members of a clarification request as agents send it, and which part of a question each
becomes.
"""


def _ask(reader: _Reader, node: Any, line: int) -> Question:
    if isinstance(node, str):
        return Question(str(node))
    found: dict[str, Any] = {"prompt": ""}
    for name, value, at in reader.fields(
        node, line, "ask", ("prompt", "choices", "recommended", *_REQUEST)
    ):
        member = _REQUEST.get(name, name)
        if member == "choices":
            found[member] = tuple(
                _choice(reader, each, at)
                for each in (value if isinstance(value, list) else [value])
            )
        elif not isinstance(value, str):
            reader.fault(at, f"ask: {name} must be text, not {_spoken(value)}")
        elif member == "prompt":
            found[member] = "\n".join(filter(None, (found[member], str(value))))
        else:
            found[member] = str(value)
    if not found["prompt"]:
        reader.fault(line, "ask needs a prompt")
    ids = [each[0] for each in found.get("choices", ())]
    if found.get("recommended") and found["recommended"] not in ids:
        reader.fault(line, f"ask: recommended {found['recommended']!r} is not one of the choices")
    return Question(**found)


def _choice(reader: _Reader, node: Any, line: int) -> tuple[str, str]:
    if isinstance(node, str):
        return str(node), ""
    at = int(node.lc.line) + 1 if hasattr(node, "lc") else line
    known = ("id", "description", "pros", "cons", "affected_files")
    found = {name: value for name, value, _ in reader.fields(node, at, "choices", known)}
    if not isinstance(found.get("id"), str) or not isinstance(found.get("description", ""), str):
        reader.fault(at, "choices: each needs an id and may have a description, both text")
        return "", ""
    return str(found["id"]), str(found.get("description", ""))


_READERS: Mapping[str, Callable[[_Reader, Any, int], Any]] = {
    "behave": _word("well"),
    "sleep": _number,
    "read": _texts,
    "write": _write,
    "append": _by_path(_some_text, "append"),
    "delete": _texts,
    "chmod": _by_path(_mode, "chmod"),
    "symlink": _by_path(_some_text, "symlink"),
    "run": _texts,
    "verdict": _verdict,
    "usage": _usage,
    "say": _text,
    "ask": _ask,
    "fail": _word(*_FAILURES),
    "retry_after": _number,
}
