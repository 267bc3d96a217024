"""YAML as a tree: what a document for people needs.

One document, no anchors, no tags, each name once. Plain words mean what the core schema of YAML 1.2
says, except that dates and numbers that are not finite stay text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from podium.documents.tree import Node, TreeError

MAX_LENGTH = 500_000
MAX_DEPTH = 40
_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_FLAGS = {
    spelled: flag
    for flag in (True, False)
    for spelled in (str(flag), str(flag).lower(), str(flag).upper())
}
_WHOLE = re.compile(r"[-+]?[0-9]{1,18}", re.ASCII)
# An exponent without a point or a sign, as in 12e5, is more likely the beginning of a hash.
_BROKEN = re.compile(
    r"[-+]?(?:(?:\.[0-9]+|[0-9]+\.[0-9]*)(?:[eE][-+]?[0-9]{1,3})?|[0-9]+[eE][-+][0-9]{1,3})",
    re.ASCII,
)
_DASH = re.compile(r"\n *-")


@lru_cache(maxsize=16)
def parse_yaml(text: str) -> Node:
    """The tree of a text, TreeError with every fault. Cached, because a file is read more often
    than it changes.
    """
    if len(text) > MAX_LENGTH:
        raise TreeError([(1, f"has {len(text):,} characters", f"{MAX_LENGTH:,} at most")])
    builder = _Builder(text)
    with refusing():
        root = builder.document(_events(text))
    if builder.faults:
        raise TreeError(builder.faults)
    return root


def _events(text: str) -> Iterator[Any]:
    # The import takes 30 ms, and few commands need it.
    from ruamel.yaml import YAML  # noqa: PLC0415

    yield from YAML(typ="safe", pure=True).parse(text)


@contextmanager
def refusing() -> Iterator[None]:
    """Turns every failure of the loader into a TreeError: on texts that are not meant to be YAML
    it also raises others.
    """
    from ruamel.yaml.error import YAMLError  # noqa: PLC0415

    try:
        yield
    except TreeError:
        raise
    except RecursionError:
        raise TreeError([(1, "is nested too deeply", "")]) from None
    except YAMLError as fault:
        mark = getattr(fault, "problem_mark", None) or getattr(fault, "context_mark", None)
        what = getattr(fault, "problem", None) or str(fault).splitlines()[0]
        line = mark.line + 1 if mark else 1
        raise TreeError([(line, f"is not YAML: {str(what).strip()}", "")]) from None
    except (ArithmeticError, AssertionError, AttributeError) as fault:
        raise TreeError([(1, f"is not YAML: {type(fault).__name__}: {fault}", "")]) from None
    except (LookupError, TypeError, ValueError) as fault:
        raise TreeError([(1, f"is not YAML: {type(fault).__name__}: {fault}", "")]) from None


class _Builder:
    """Builds the tree from the scanner's events; a refused part is a fault, and reading goes on."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.faults: list[tuple[int, str, str]] = []
        self.events: Iterator[Any] = iter(())

    def document(self, events: Iterator[Any]) -> Node:
        self.events = events
        root: Node | None = None
        for event in events:
            kind = type(event).__name__
            if kind == "DocumentStartEvent" and root is not None:
                self.fault(event, "a second document begins here", "one file, one document")
                break
            if not kind.startswith(("Stream", "Document")):
                root = self.node(event, 0, flow=False, after=0)
        return root or Node("value", 1, 0, 0)

    def fault(self, event: Any, what: str, remedy: str = "") -> None:
        self.faults.append((event.start_mark.line + 1, what, remedy))

    def node(self, event: Any, depth: int, *, flow: bool, after: int) -> Node:
        """`after`: where the text may begin if there is no value."""
        if depth > MAX_DEPTH:
            self.fault(event, f"is nested deeper than {MAX_DEPTH}")
            raise TreeError(self.faults)
        if getattr(event, "anchor", None):
            self.fault(event, "anchors and aliases are not taken", "write the value out")
        if getattr(event, "tag", None):
            self.fault(event, f"the tag {event.tag} is not taken", "leave it out")
        flow = flow or bool(getattr(event, "flow_style", False))
        match type(event).__name__:
            case "SequenceStartEvent":
                return self.list(event, depth, flow=flow)
            case "MappingStartEvent":
                return self.table(event, depth, flow=flow)
            case "AliasEvent":
                start, end = event.start_mark.index, event.end_mark.index
                return Node("value", event.start_mark.line + 1, start, end, start, flow)
            case _:
                return self.scalar(event, flow=flow, after=after)

    def scalar(self, event: Any, *, flow: bool, after: int) -> Node:
        start, end, style = event.start_mark.index, event.end_mark.index, event.style or ""
        if not style and start == end:
            # The scanner places a missing value at the next word.
            return Node("value", self.text.count("\n", 0, after) + 1, after, after, after, flow)
        if style in {"|", ">"} and "+" not in self.text[start:end].splitlines()[0]:
            end = start + len(self.text[start:end].rstrip())
        value = event.value if style else resolved(event.value)
        return Node("value", event.start_mark.line + 1, start, end, start, flow, style, value)

    def list(self, event: Any, depth: int, *, flow: bool) -> Node:
        node = self.opened("list", event, flow=flow)
        after = event.start_mark.index + 1
        for inner in self.events:
            if type(inner).__name__ == "SequenceEndEvent":
                return self.closed(node, inner)
            dash = _DASH.search(self.text, node.items[-1].end) if node.items and not flow else None
            place = dash.end() if dash else after
            node.items.append(self.node(inner, depth + 1, flow=flow, after=place))
        raise ValueError("it ends in the middle of a list")

    def table(self, event: Any, depth: int, *, flow: bool) -> Node:
        node = self.opened("table", event, flow=flow)
        for inner in self.events:
            if type(inner).__name__ == "MappingEndEvent":
                return self.closed(node, inner)
            name = self.node(inner, depth + 1, flow=flow, after=inner.start_mark.index)
            if name.kind != "value":
                self.fault(inner, "a name must be a word", "write `name: value`")
            word = str(getattr(inner, "value", ""))
            if word in node.pairs:
                self.fault(inner, f"{word!r} stands here a second time", "keep one of them")
            colon = self.text.find(":", name.end)
            after = colon + 1 if colon >= 0 else name.end
            value = self.node(next(self.events), depth + 1, flow=flow, after=after)
            value.begin = name.start
            node.pairs[word] = value
            node.quoted = node.quoted or name.style == '"'
        raise ValueError("it ends in the middle of a table")

    def opened(self, kind: Any, event: Any, *, flow: bool) -> Node:
        start = event.start_mark.index
        return Node(kind, event.start_mark.line + 1, start, start, start, flow)

    def closed(self, node: Node, event: Any) -> Node:
        node.end = event.end_mark.index
        if not node.flow:
            node.end = max((inner.end for inner in node.below()), default=node.start)
        return node


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
