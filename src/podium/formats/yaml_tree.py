"""A YAML text as a tree that knows where each value is, so that a person's file can be changed in
place.

It supports what a document for people needs: one document, no anchors, no tags, each name once.
Values follow the core schema of YAML 1.2, except that dates and numbers that are not finite stay
text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal

from podium.core.errors import Fault, InputError

MAX_LENGTH = 500_000
MAX_DEPTH = 40
_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_FLAGS = {
    word: truth
    for truth in (True, False)
    for word in (str(truth), str(truth).lower(), str(truth).upper())
}
_WHOLE = re.compile(r"[-+]?[0-9]{1,18}", re.ASCII)
# An exponent without a point or a sign, as in 12e5, is more likely the beginning of a hash.
_BROKEN = re.compile(
    r"[-+]?(?:(?:\.[0-9]+|[0-9]+\.[0-9]*)(?:[eE][-+]?[0-9]{1,3})?|[0-9]+[eE][-+][0-9]{1,3})",
    re.ASCII,
)
_DASH = re.compile(r"\n *-")

Kind = Literal["value", "list", "table"]


@dataclass(frozen=True)
class Node:
    """One value with its place; a block collection begins at its first name or dash and ends
    with its last value.
    """

    kind: Kind
    line: int
    """From 1."""
    start: int
    end: int
    """The span of its text; empty if a name has no value."""
    flow: bool = False
    """Whether it is written in brackets, or is inside some."""
    style: str = ""
    """The mark of a value that is not plain: a quote, `|` or `>`."""
    value: Any = None
    items: tuple[Node, ...] = ()
    pairs: tuple[tuple[Node, Node], ...] = ()
    """Names and values of a table."""

    @cached_property
    def names(self) -> Mapping[str, Node]:
        return {str(name.value): value for name, value in self.pairs}

    @cached_property
    def data(self) -> Any:
        """The value alone."""
        if self.kind == "list":
            return [each.data for each in self.items]
        if self.kind == "table":
            return {str(name.value): each.data for name, each in self.pairs}
        return self.value

    def at(self, *path: str | int) -> Node | None:
        """The node at that path; None if there is none."""
        node: Node | None = self
        for part in path:
            if node is None:
                return None
            if isinstance(part, int):
                node = node.items[part] if part < len(node.items) else None
            else:
                node = node.names.get(part)
        return node


@lru_cache(maxsize=16)
def parse(text: str, where: str) -> Node:
    """The tree of a text; InputError lists every fault. Cached, because a file is read more
    often than it changes.
    """
    if len(text) > MAX_LENGTH:
        raise InputError(Fault(where, f"has {len(text):,} characters", f"{MAX_LENGTH:,} at most"))
    reader = _Reader(text, where, _events(text, where))
    root = reader.document()
    if reader.faults:
        raise InputError(reader.faults)
    return root


def _events(text: str, where: str) -> Iterator[Any]:
    # The import takes 30 ms, and few commands need it.
    from ruamel.yaml import YAML  # noqa: PLC0415

    with refusing(where):
        yield from YAML(typ="safe", pure=True).parse(text)


@contextmanager
def refusing(where: str) -> Iterator[None]:
    """Turns every failure of the loader into an InputError: on texts that are not meant to be
    YAML it also raises others.
    """
    from ruamel.yaml.error import YAMLError  # noqa: PLC0415

    try:
        yield
    except RecursionError:
        raise InputError(Fault(where, "is nested too deeply")) from None
    except YAMLError as fault:
        mark = getattr(fault, "problem_mark", None)
        what = getattr(fault, "problem", None) or str(fault).splitlines()[0]
        place = f"{where}:{mark.line + 1}" if mark is not None else where
        raise InputError(Fault(place, f"is not YAML: {str(what).strip()}")) from None
    except (
        ArithmeticError,
        AssertionError,
        AttributeError,
        LookupError,
        TypeError,
        ValueError,
    ) as fault:
        raise InputError(Fault(where, f"is not YAML: {type(fault).__name__}: {fault}")) from None


class _Reader:
    """Builds the tree from the scanner's events; a refused part becomes a fault, and reading
    continues.
    """

    def __init__(self, text: str, where: str, events: Iterator[Any]) -> None:
        self.text = text
        self.where = where
        self.events = events
        self.faults: list[Fault] = []

    def fault(self, line: int, what: str, mend: str = "") -> None:
        self.faults.append(Fault(f"{self.where}:{line}", what, mend))

    def document(self) -> Node:
        root: Node | None = None
        for event in self.events:
            kind = type(event).__name__
            if kind == "DocumentStartEvent" and root is not None:
                self.fault(
                    event.start_mark.line + 1,
                    "a second document begins here",
                    "one file, one document",
                )
                return root
            if kind.startswith(("Stream", "Document")):
                continue
            root = self.node(event, 0, flow=False, after=0)
        return root or Node("value", 1, 0, 0)

    def node(self, event: Any, depth: int, *, flow: bool, after: int) -> Node:
        """`after`: where the text may begin if there is no value."""
        kind = type(event).__name__
        line = event.start_mark.line + 1
        if depth > MAX_DEPTH:
            raise InputError(
                [*self.faults, Fault(f"{self.where}:{line}", f"is nested deeper than {MAX_DEPTH}")]
            )
        if getattr(event, "anchor", None):
            self.fault(line, "anchors and aliases are not taken", "write the value out")
        if getattr(event, "tag", None):
            self.fault(line, f"the tag {event.tag} is not taken", "leave it out")
        if kind == "SequenceStartEvent":
            return self.list(event, depth, flow=flow or bool(event.flow_style))
        if kind == "MappingStartEvent":
            return self.table(event, depth, flow=flow or bool(event.flow_style))
        if kind == "AliasEvent":
            return Node("value", line, event.start_mark.index, event.end_mark.index, flow)
        return self.scalar(event, flow=flow, after=after)

    def scalar(self, event: Any, *, flow: bool, after: int) -> Node:
        start, end = event.start_mark.index, event.end_mark.index
        style = event.style or ""
        if not style and start == end:
            # The scanner places a missing value at the next word.
            return Node("value", self.text.count("\n", 0, after) + 1, after, after, flow)
        if style in {"|", ">"} and "+" not in self.text[start:end].splitlines()[0]:
            end = start + len(self.text[start:end].rstrip())
        value = event.value if style else resolved(event.value)
        return Node("value", event.start_mark.line + 1, start, end, flow, style, value)

    def list(self, event: Any, depth: int, *, flow: bool) -> Node:
        items: list[Node] = []
        after = event.start_mark.index + 1
        for each in self.events:
            if type(each).__name__ == "SequenceEndEvent":
                return self.closed("list", event, each, flow=flow, items=tuple(items))
            dash = _DASH.search(self.text, items[-1].end) if items and not flow else None
            items.append(self.node(each, depth + 1, flow=flow, after=dash.end() if dash else after))
        raise InputError(Fault(self.where, "ends in the middle of a list"))

    def table(self, event: Any, depth: int, *, flow: bool) -> Node:
        pairs: list[tuple[Node, Node]] = []
        seen: set[str] = set()
        for each in self.events:
            if type(each).__name__ == "MappingEndEvent":
                return self.closed("table", event, each, flow=flow, pairs=tuple(pairs))
            name = self.name(each, depth, flow=flow)
            if name.value in seen:
                self.fault(
                    name.line, f"{name.value!r} stands here a second time", "keep one of them"
                )
            seen.add(name.value)
            colon = self.text.find(":", name.end)
            value = self.node(
                next(self.events), depth + 1, flow=flow, after=colon + 1 if colon >= 0 else name.end
            )
            pairs.append((name, value))
        raise InputError(Fault(self.where, "ends in the middle of a table"))

    def name(self, event: Any, depth: int, *, flow: bool) -> Node:
        node = self.node(event, depth + 1, flow=flow, after=event.start_mark.index)
        if node.kind != "value":
            self.fault(node.line, "a name must be a word", "write `name: value`")
        return Node(
            "value",
            node.line,
            node.start,
            node.end,
            flow,
            node.style,
            str(getattr(event, "value", "")),
        )

    def closed(self, kind: Kind, first: Any, last: Any, *, flow: bool, **members: Any) -> Node:
        line, start, end = first.start_mark.line + 1, first.start_mark.index, last.end_mark.index
        if not flow:
            held = [*members.get("items", ()), *(value for _, value in members.get("pairs", ()))]
            end = max((each.end for each in held), default=start)
        return Node(kind, line, start, end, flow, **members)


def resolved(word: str) -> Any:
    """What a plain word means."""
    if word in _NULL:
        return None
    if word in _FLAGS:
        return _FLAGS[word]
    if _WHOLE.fullmatch(word):
        return int(word)
    if len(word) < 40 and _BROKEN.fullmatch(word) and math.isfinite(float(word)):
        return float(word)
    return word
