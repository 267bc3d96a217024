"""The tools `report` and `ask` as an MCP server on standard input and output. Runs as a script in
the agent's room.

    python -I -S server.py SPEC.json

Nothing else of Podium is there, so this file needs only the standard library. SPEC.json contains
`schema`, the step's verdict object (empty: no `report`). A verdict that matches it is written to
the file that PODIUM_VERDICT names, a question to `question.json` next to it, each in one piece. The
last verdict counts, so that an agent can correct itself; the first question counts, and nothing is
accepted after it. All state is in those files: clients start such servers as often as they like.

What is written here is data. The engine reads it like anything an agent could have written itself.
"""

from __future__ import annotations

import difflib
import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from typing import Any

NAME = "podium"
VARIABLE = "PODIUM_VERDICT"
QUESTION = "question.json"
VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""Versions of the protocol, newest first; they do not differ in anything used here."""
LARGEST_MESSAGE = 1024 * 1024
LARGEST_REPORT = 256 * 1024
LARGEST_BATCH = 50
_SHOWN_FAULTS = 20
_PARSE, _REQUEST, _METHOD, _PARAMS, _INTERNAL = -32700, -32600, -32601, -32602, -32603

_CHOICE = {
    "type": "object",
    "properties": {
        "id": {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$"},
        "description": {"type": "string", "maxLength": 1000},
    },
    "required": ["id", "description"],
    "additionalProperties": False,
}
ASK = {
    "type": "object",
    "properties": {
        "question": {"type": "string", "pattern": r"\S", "maxLength": 4000},
        "choices": {"type": "array", "items": _CHOICE, "maxItems": 10},
        "recommended": {
            "type": "string",
            "maxLength": 40,
            "description": "The id of the choice that you recommend.",
        },
    },
    "required": ["question"],
    "additionalProperties": False,
}
_TYPES: Mapping[str, tuple[Any, str]] = {
    "object": (dict, "an object"),
    "array": (list, "a list"),
    "string": (str, "a text"),
    "integer": (int, "a whole number"),
    "number": (int | float, "a number"),
    "boolean": (bool, "true or false"),
}


class Wrong(Exception):
    """A message that is answered with an error of the protocol: its code and text."""

    def __init__(self, code: int, words: str) -> None:
        super().__init__(words)
        self.code = code


def faults(schema: Mapping[str, Any], value: Any, where: str = "") -> Iterator[str]:
    """Everything in the value that does not match the schema, each with what would."""
    name = where or "the object"
    kind, words = _TYPES[schema["type"]] if "type" in schema else (object, "anything")
    if not isinstance(value, kind) or (
        kind is not bool and "type" in schema and isinstance(value, bool)
    ):
        yield f"{name} must be {words}"
    elif "const" in schema and value != schema["const"]:
        yield f"{name} must be {schema['const']!r}"
    elif isinstance(value, str):
        yield from _text_faults(schema, value, name)
    elif isinstance(value, list):
        yield from _list_faults(schema, value, where)
    elif isinstance(value, dict):
        yield from _member_faults(schema, value, where)
    elif isinstance(value, int | float) and not schema.get("minimum", value) <= value <= schema.get(
        "maximum", value
    ):
        least, most = schema.get("minimum", "any"), schema.get("maximum", "any")
        yield f"{name} is {value}; it must be from {least} to {most}"


def _list_faults(schema: Mapping[str, Any], value: list[Any], where: str) -> Iterator[str]:
    name, count = where or "the list", len(value)
    if count > schema.get("maxItems", count):
        yield f"{name} has {count} entries; at most {schema['maxItems']} are allowed"
    if count < schema.get("minItems", 0):
        yield f"{name} has {count} entries; at least {schema['minItems']} are needed"
    for number, each in enumerate(value):
        yield from faults(schema.get("items", {}), each, f"{where}[{number}]")


def _text_faults(schema: Mapping[str, Any], value: str, name: str) -> Iterator[str]:
    if "enum" in schema and value not in schema["enum"]:
        yield f"{name} is {short(value)}; it must be one of {', '.join(schema['enum'])}"
    if "pattern" in schema and not _matches(schema["pattern"], value):
        yield f"{name} is {short(value)}; it must match {schema['pattern']}"
    if len(value) < schema.get("minLength", 0):
        yield f"{name} has {len(value)} characters; at least {schema['minLength']} are needed"
    if len(value) > schema.get("maxLength", len(value)):
        yield f"{name} is longer than {schema['maxLength']} characters"
    if any("\ud800" <= sign <= "\udfff" for sign in value):
        yield f"{name} holds half a character and is not valid text"


def _matches(pattern: str, value: str) -> bool:
    """In JSON Schema `$` is the end of the text; in Python it also matches before a final
    newline.
    """
    return (
        re.search(f"{pattern[:-1]}\\Z" if pattern.endswith("$") else pattern, value, re.ASCII)
        is not None
    )


def _member_faults(
    schema: Mapping[str, Any], value: Mapping[str, Any], where: str
) -> Iterator[str]:
    known, others = schema.get("properties", {}), schema.get("additionalProperties", True)
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{_at(where, name)} is missing; {_asked(known[name])}"
    for name, each in value.items():
        if name in known:
            yield from faults(known[name], each, _at(where, name))
        elif isinstance(others, Mapping):
            yield from _text_faults({"maxLength": 200}, name, "a name")
            yield from faults(others, each, _at(where, name))
        elif others is not True:
            near = difflib.get_close_matches(name[:80], list(known), 1)
            hint = f"did you mean {near[0]}?" if near else f"known are: {', '.join(known)}"
            yield f"there is no member {short(name)}; {hint}"


def _at(where: str, name: str) -> str:
    return f"{where}.{name[:80]}" if where else name[:80]


def _asked(schema: Mapping[str, Any]) -> str:
    if "enum" in schema or "const" in schema:
        return f"one of {', '.join(map(str, schema.get('enum') or [schema['const']]))}"
    return f"it is {_TYPES[schema['type']][1]}" if "type" in schema else "it is needed"


def short(value: str) -> str:
    return repr(value if len(value) <= 80 else value[:79] + "…")


class Talk:
    """The protocol: takes a message, returns its answer or None. A server adds its tools."""

    version = "1"
    instructions = ""

    def tools(self) -> list[Mapping[str, Any]]:
        """What can be called now."""
        return []

    def call(self, name: str, arguments: Any) -> Mapping[str, Any]:
        """Call a tool with whatever came as its arguments. A refusal is a result too."""
        raise Wrong(_PARAMS, f"there is no tool {short(name)} for {type(arguments).__name__}")

    def answer(self, line: bytes | None) -> Any:
        """The answer to one line. A line that was too long to keep is given as None."""
        if line is None:
            return _error(
                None, _REQUEST, f"a message must not be longer than {LARGEST_MESSAGE} bytes"
            )
        try:
            message = json.loads(line.decode(), object_pairs_hook=_once, parse_constant=_no_number)
        except (ValueError, RecursionError) as fault:
            return _error(None, _PARSE, f"this is not JSON: {fault}")
        if not isinstance(message, list):
            return self._one(message)
        if not 0 < len(message) <= LARGEST_BATCH:
            return _error(None, _REQUEST, f"a batch holds 1 to {LARGEST_BATCH} messages")
        return [found for each in message if (found := self._one(each)) is not None] or None

    def _one(self, message: Any) -> Any:
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            return _error(None, _REQUEST, "a message is an object with jsonrpc 2.0")
        ident, method = message.get("id"), message.get("method")
        if method is None and ("result" in message or "error" in message):
            return None  # an answer, although nothing was asked
        if "id" in message and (isinstance(ident, bool) or not isinstance(ident, str | int)):
            return _error(None, _REQUEST, "an id is a text or a whole number")
        if not isinstance(method, str):
            return _error(ident, _REQUEST, "a request names its method")
        if "id" not in message:
            return None  # a notification: none of them needs a reaction
        try:
            return {
                "jsonrpc": "2.0",
                "id": ident,
                "result": self._result(method, message.get("params", {})),
            }
        except Wrong as wrong:
            return _error(ident, wrong.code, str(wrong))
        except OSError as fault:
            return _error(ident, _INTERNAL, f"it cannot be recorded: {fault.strerror}")

    def _result(self, method: str, params: Any) -> Mapping[str, Any]:
        if not isinstance(params, dict):
            raise Wrong(_PARAMS, "params must be an object")
        match method:
            case "initialize":
                asked = params.get("protocolVersion")
                return {
                    "protocolVersion": asked if asked in VERSIONS else VERSIONS[0],
                    "capabilities": {"tools": {}},
                    "serverInfo": {"name": NAME, "version": self.version},
                    **({"instructions": self.instructions} if self.instructions else {}),
                }
            case "ping":
                return {}
            case "tools/list":
                return {"tools": self.tools()}
            case "tools/call":
                name = params.get("name")
                if not any(tool["name"] == name for tool in self.tools()):
                    raise Wrong(_PARAMS, f"there is no tool {short(str(name))}")
                return self.call(str(name), params.get("arguments", {}))
        raise Wrong(_METHOD, f"there is no method {short(method)}")


class Server(Talk):
    """The tools of one step."""

    def __init__(self, schema: Mapping[str, Any], verdict: str) -> None:
        self._schema = schema
        self._verdict = verdict
        self._question = os.path.join(os.path.dirname(verdict), QUESTION)

    def tools(self) -> list[Mapping[str, Any]]:
        ask = {
            "name": "ask",
            "description": "Ask a person something that you must know and cannot find out yourself. Call it "  # noqa: E501
            "once, then stop: "
            "end your turn at once. The answer comes when this step is started again.",
            "inputSchema": ASK,
        }
        report = {
            "name": "report",
            "description": "Report the result of this step. Call it when your work is finished and all files "  # noqa: E501
            ""
            ""
            "are "
            "written, then end. A later call replaces an earlier one. What is refused was not "
            "recorded.",
            "inputSchema": self._schema,
        }
        return [report, ask] if self._schema else [ask]

    def call(self, name: str, arguments: Any) -> Mapping[str, Any]:
        if os.path.lexists(self._question):
            return said(
                (
                    "Refused: you have asked a person. Stop now; the answer comes when this step "
                    "is started again."
                ),
                bad=True,
            )
        schema = self._schema if name == "report" else ASK
        found = list(faults(schema, arguments)) or list(_odd(arguments) if name == "ask" else ())
        data = json.dumps(arguments).encode() if not found else b""
        if len(data) > LARGEST_REPORT:
            found = [f"it is longer than {LARGEST_REPORT} bytes"]
        if found:
            more = [f"and {len(found) - _SHOWN_FAULTS} more"] if len(found) > _SHOWN_FAULTS else []
            told = "\n".join(f"- {each}" for each in (*found[:_SHOWN_FAULTS], *more))
            return said(
                f"Refused; nothing was recorded:\n{told}\nFix this and call {name} again.", bad=True
            )
        if name == "ask":
            put(self._question, data)
            return said("A person will answer. Stop now: end your turn, change nothing more.")
        again = os.path.lexists(self._verdict)
        put(self._verdict, data)
        return said(
            "Recorded; it replaces your earlier report."
            if again
            else "Recorded. End with a short message."
        )


def _odd(question: Mapping[str, Any]) -> Iterator[str]:
    ids = [each["id"] for each in question.get("choices", ())]
    if len(set(ids)) != len(ids):
        yield "two choices have the same id"
    if question.get("recommended") and question["recommended"] not in ids:
        yield "recommended must be the id of a choice"


def put(path: str, data: bytes) -> None:
    """Write the whole file or nothing. If the name is a link, it is replaced, not followed."""
    fresh = f"{path}.{os.getpid()}"
    fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with open(fd, "wb") as file:
        file.write(data)
    os.replace(fresh, path)


def said(text: str, *, bad: bool = False) -> Mapping[str, Any]:
    return {"content": [{"type": "text", "text": text}], "isError": bad}


def _error(ident: Any, code: int, words: str) -> Mapping[str, Any]:
    return {"jsonrpc": "2.0", "id": ident, "error": {"code": code, "message": words}}


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name occurs twice in one object")
    return found


def _no_number(constant: str) -> Any:
    raise ValueError(f"{constant} is not a JSON value")


def lines(fd: int) -> Iterator[bytes | None]:
    """Non-empty lines as they arrive; None for one that exceeds the limit."""
    kept, lost = b"", False
    while data := os.read(fd, 65536):
        *whole, kept = (kept + data).split(b"\n")
        for each in whole:
            if lost or len(each) > LARGEST_MESSAGE:
                yield None
            elif each.strip():
                yield each
            lost = False
        if len(kept) > LARGEST_MESSAGE:
            kept, lost = b"", True


def main(argv: list[str]) -> int:
    if len(argv) != 2 or not os.path.isabs(os.environ.get(VARIABLE, "")):
        sys.stderr.write(f"usage: {VARIABLE}=/FILE python -I -S server.py SPEC.json\n")
        return 2
    with open(argv[1], encoding="utf-8") as file:
        serve(Server(json.load(file)["schema"], os.environ[VARIABLE]), 0, 1)
    return 0


def serve(talk: Talk, source: int, sink: int) -> None:
    """Answer until nobody is left to answer."""
    for line in lines(source):
        answer = talk.answer(line)
        if answer is not None:
            data = json.dumps(answer).encode() + b"\n"
            try:
                while data:
                    data = data[os.write(sink, data) :]
            except BrokenPipeError:
                return


if __name__ == "__main__":
    sys.exit(main(sys.argv))
