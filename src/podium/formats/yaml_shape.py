"""What a YAML document must look like, as data. A document is checked against it, and every fault
has its line.

Names that a shape does not mention belong to people and are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from podium.core.errors import Fault
from podium.core.nearest import nearest
from podium.formats.yaml_tree import Node

_SHOWN = 60

# Shapes are never compared or printed, so no methods are made for that.


@dataclass(frozen=True, eq=False, repr=False)
class Text:
    """A text: one of `words` if there are any, of the form `pattern` if there is one."""

    words: tuple[str, ...] = ()
    pattern: str = ""
    like: str = ""
    """An example of the pattern, for people."""
    empty: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class Number:
    least: float = 0
    most: float | None = None
    whole: bool = True


class Flag:
    """true or false."""


class Anything:
    """Whatever a person or an agent finds useful."""


@dataclass(frozen=True, eq=False, repr=False)
class Maybe:
    """The inner shape, or null."""

    of: Shape


@dataclass(frozen=True, eq=False, repr=False)
class Either:
    """The first of two shapes whose kind fits."""

    one: Shape
    other: Shape


@dataclass(frozen=True, eq=False, repr=False)
class Listing:
    of: Shape
    least: int = 0
    most: int | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Named:
    """A table whose names have the form `pattern` and whose values all have one shape."""

    of: Shape
    pattern: str = ""
    like: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class Fields:
    """A table with these names."""

    required: Mapping[str, Shape] = field(default_factory=dict)
    optional: Mapping[str, Shape] = field(default_factory=dict)


Shape = Text | Number | Flag | Anything | Maybe | Either | Listing | Named | Fields


def faults(node: Node, shape: Shape, where: str, name: str = "") -> list[Fault]:
    """Everything in the tree that the shape does not allow."""
    return [Fault(f"{where}:{line}", what, mend) for line, what, mend in _look(node, shape, name)]


_Found = Iterator[tuple[int, str, str]]


def _look(node: Node, shape: Shape, name: str) -> _Found:
    match shape:
        case Anything():
            return
        case Maybe(of):
            if node.kind != "value" or node.value is not None:
                yield from _look(node, of, name)
        case Either(one, other):
            yield from _look(node, one if _kind(one) == node.kind else other, name)
        case Fields() | Named() if node.kind == "table":
            yield from _table(node, shape, name)
        case Listing() if node.kind == "list":
            yield from _list(node, shape, name)
        case Text() | Number() | Flag() if node.kind == "value":
            yield from _value(node, shape, name)
        case _:
            yield node.line, f"{_spoken(name)} is {_shown(node)}", f"it must be {_wanted(shape)}"


def _table(node: Node, shape: Fields | Named, name: str) -> _Found:
    if isinstance(shape, Named):
        for key, value in node.pairs:
            if shape.pattern and not re.fullmatch(shape.pattern, key.value):
                yield (
                    key.line,
                    f"{_below(name, key.value)}: the name has the wrong form",
                    f"like {shape.like}",
                )
            yield from _look(value, shape.of, _below(name, key.value))
        return
    for each, inner in {**shape.required, **shape.optional}.items():
        found = node.names.get(each)
        if found is not None:
            yield from _look(found, inner, _below(name, each))
        elif each in shape.required:
            own = [
                other
                for other in node.names
                if other not in shape.required and other not in shape.optional
            ]
            near = nearest(each, own, 0.8)
            mend = f"is {near!r} meant for it?" if near else f"it must be {_wanted(inner)}"
            yield node.line, f"{_below(name, each)} is missing", mend


def _list(node: Node, shape: Listing, name: str) -> _Found:
    if len(node.items) < shape.least:
        yield node.line, f"{_spoken(name)} has {len(node.items)} items", f"{shape.least} at least"
    if shape.most is not None and len(node.items) > shape.most:
        yield node.line, f"{_spoken(name)} has {len(node.items)} items", f"{shape.most} at most"
        return
    for index, each in enumerate(node.items):
        yield from _look(each, shape.of, f"{name}[{index}]")


def _value(node: Node, shape: Text | Number | Flag, name: str) -> _Found:
    value = node.value
    match shape:
        case Text(words, pattern, _, empty):
            good = isinstance(value, str) and (empty or bool(value.strip()))
            good = (
                good
                and (not words or value in words)
                and (not pattern or re.fullmatch(pattern, value) is not None)
            )
        case Number(least, most, whole):
            good = isinstance(value, int if whole else (int, float)) and not isinstance(value, bool)
            good = good and value >= least and (most is None or value <= most)
        case Flag():
            good = isinstance(value, bool)
    if not good:
        yield node.line, f"{_spoken(name)} is {_shown(node)}", f"it must be {_wanted(shape)}"


def _kind(shape: Shape) -> str:
    return (
        "list"
        if isinstance(shape, Listing)
        else "table"
        if isinstance(shape, Fields | Named)
        else "value"
    )


def _wanted(shape: Shape) -> str:
    match shape:
        case Text(words, pattern, like, empty):
            if words:
                return f"one of {', '.join(words)}"
            return (
                f"a text like {like}"
                if pattern
                else "a text"
                if empty
                else "a text that is not empty"
            )
        case Number(least, most, whole):
            kind = "a whole number" if whole else "a number"
            return (
                f"{kind} from {least:g} to {most:g}"
                if most is not None
                else f"{kind}, {least:g} or more"
            )
        case Flag():
            return "true or false"
        case Maybe(of):
            return f"{_wanted(of)}, or null"
        case Either(one, other):
            return f"{_wanted(one)}, or {_wanted(other)}"
        case Listing(of):
            return f"a list, each {_wanted(of)}"
        case Named(of, _, like):
            return (
                f"a table of names {f'like {like} ' if like else ''}to values, each {_wanted(of)}"
            )
        case Fields(required, optional):
            return " with ".join(filter(None, ("a table", ", ".join(required or optional))))
        case _:
            return "anything"


def _shown(node: Node) -> str:
    if node.kind != "value":
        return f"a {node.kind}"
    if node.value is None:
        return "empty"
    said = repr(node.value)
    return said if len(said) <= _SHOWN else f"{said[:_SHOWN]}…"


def _below(name: str, each: str) -> str:
    return f"{name}.{each}" if name else each


def _spoken(name: str) -> str:
    return name or "the document"
