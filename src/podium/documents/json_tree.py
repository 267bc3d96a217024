"""JSON read strictly, and as a tree: no name twice in one object, no NaN, no half characters."""

from __future__ import annotations

import json
import math
import re
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, NoReturn

from podium.documents.tree import Node, TreeError

MAX_DEPTH = 100
_SPACE = re.compile(r"[ \t\r\n]*")
_WORD = re.compile(r"[^ \t\n\r{}\[\]:,\"]+")
_HALF = re.compile(r"\\u[dD][89a-fA-F]")


def load_json(text: str) -> Any:
    """The data alone, several times as fast; ValueError or RecursionError if it is not JSON."""
    data = _decode(text.removeprefix("\ufeff"))
    text.encode()
    if _HALF.search(text) or _is_too_deep(data):
        # What the decoder lets through is refused here.
        parse_json(text)
    return data


def _is_too_deep(data: Any) -> bool:
    level = [data] if isinstance(data, dict | list) else []
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return False
    return True


def parse_json(text: str) -> Node:
    """The tree of a text; TreeError if it is not strict JSON."""
    builder = _Builder(text)
    start = builder.skip(1 if text.startswith("\ufeff") else 0)
    node = builder.node(start, 0)
    end = builder.skip(node.end)
    if end < len(text):
        builder.refuse(end, "more follows after the end")
    return node


class _Builder:
    def __init__(self, text: str) -> None:
        self.text = text
        self.line, self.counted = 1, 0

    def refuse(self, at: int, what: str) -> NoReturn:
        line, column = self.text.count("\n", 0, at) + 1, at - self.text.rfind("\n", 0, at)
        raise TreeError([(line, f"is not JSON: {what}, column {column}", "")]) from None

    def line_at(self, at: int) -> int:
        """Values come in order, so each line is counted once."""
        self.line += self.text.count("\n", self.counted, at)
        self.counted = at
        return self.line

    def skip(self, at: int) -> int:
        space = _SPACE.match(self.text, at)
        return space.end() if space else at

    def node(self, at: int, depth: int) -> Node:
        sign, line = self.text[at : at + 1], self.line_at(at)
        if depth >= MAX_DEPTH and sign in {"{", "["}:
            self.refuse(at, f"nested deeper than {MAX_DEPTH} levels")
        if sign == '"':
            value, end = self.string(at)
            return Node("value", line, at, end, at, True, '"', value)
        if sign == "[":
            return self.list(Node("list", line, at, at, at, True), depth)
        if sign == "{":
            return self.table(Node("table", line, at, at, at, True, quoted=True), depth)
        value, end = self.word(at)
        return Node("value", line, at, end, at, True, value=value)

    def string(self, at: int) -> tuple[str, int]:
        try:
            value, end = scanstring(self.text, at + 1)
            str(value).encode()
        except UnicodeEncodeError:
            self.refuse(at, "half of a surrogate pair")
        except ValueError as fault:
            self.refuse(at, getattr(fault, "msg", str(fault)))
        return str(value), int(end)

    def word(self, at: int) -> tuple[Any, int]:
        match = _WORD.match(self.text, at)
        if not match:
            rest = self.text[at : at + 1]
            self.refuse(at, f"{rest!r} stands where a value must" if rest else "it ends too early")
        word = match[0]
        try:
            return _decode(word), match.end()
        except json.JSONDecodeError:
            self.refuse(at, f"{word[:40]!r} is no value")
        except ValueError as fault:
            self.refuse(
                at, str(fault) if len(word) <= 40 else f"a number of {len(word)} characters"
            )

    def list(self, node: Node, depth: int) -> Node:
        at = self.skip(node.start + 1)
        while self.text[at : at + 1] != "]":
            at = self.comma(at, "]") if node.items else at
            node.items.append(self.node(at, depth + 1))
            at = self.skip(node.items[-1].end)
        node.end = at + 1
        return node

    def table(self, node: Node, depth: int) -> Node:
        at = self.skip(node.start + 1)
        while self.text[at : at + 1] != "}":
            begin = self.comma(at, "}") if node.pairs else at
            if self.text[begin : begin + 1] != '"':
                self.refuse(begin, "a name in quotes must stand here")
            name, end = self.string(begin)
            if name in node.pairs:
                self.refuse(
                    begin, f"the key {self.text[begin:end][:80]} occurs twice in one object"
                )
            colon = self.skip(end)
            if self.text[colon : colon + 1] != ":":
                self.refuse(colon, "a colon must stand here")
            value = self.node(self.skip(colon + 1), depth + 1)
            value.begin = begin
            node.pairs[name] = value
            at = self.skip(value.end)
        node.end = at + 1
        return node

    def comma(self, at: int, closing: str) -> int:
        if self.text[at : at + 1] != ",":
            self.refuse(at, f"a comma or {closing} must stand here")
        return self.skip(at + 1)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) != len(pairs):
        raise ValueError("a name occurs twice in one object")
    return table


def _finite(word: str) -> float:
    number = float(word)
    if math.isinf(number):
        raise ValueError(f"{word[:40]} is too large a number")
    return number


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a JSON value")


_decode = json.JSONDecoder(
    object_pairs_hook=_once, parse_float=_finite, parse_constant=_refuse
).decode
