"""Values made of others: one or none, one of two kinds, a list, a table of free names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from podium.documents.issues import Issue, Path, shown, spelled
from podium.documents.text import says_nothing
from podium.documents.values import Text, Value

FAULTY = object()
"""Stands in a list for an item that has a fault."""


@dataclass(frozen=True)
class Maybe(Value):
    """The inner value, or null."""

    of: Value
    otherwise: Any = None
    """What null means."""

    def describe(self) -> str:
        return f"{self.of.describe()}, or null"

    def fits(self, data: Any) -> bool:
        return data is None or self.of.fits(data)

    def check(self, data: Any, path: Path) -> Iterator[Issue]:
        if data is not None:
            yield from self.of.check(data, path)

    def schema(self) -> dict[str, Any]:
        return {"anyOf": [self.of.schema(), {"type": "null"}]}

    def example(self) -> Any:
        return self.of.example()

    def blank(self) -> Any:
        return self.otherwise

    def build(self, data: Any) -> Any:
        return self.otherwise if data is None else self.of.build(data)

    def plain(self, value: Any) -> Any:
        return None if value is None else self.of.plain(value)

    def from_text(self, text: str) -> Any:
        return self.of.from_text(text)

    def to_text(self, data: Any) -> str:
        return "none" if data is None else self.of.to_text(data)


@dataclass(frozen=True)
class Either(Value):
    """The first of two kinds whose form fits."""

    one: Value
    other: Value

    def describe(self) -> str:
        return f"{self.one.describe()}, or {self.other.describe()}"

    def fits(self, data: Any) -> bool:
        return self._side(data).fits(data)

    def check(self, data: Any, path: Path) -> Iterator[Issue]:
        for issue in self._side(data).check(data, path):
            whole = issue.path == path and issue.remedy.startswith("expected ")
            yield issue._replace(remedy=f"expected {self.describe()}") if whole else issue

    def _side(self, data: Any) -> Value:
        form = _type(data)
        if type_of(self.other) != form:
            return self.one
        return self.one if type_of(self.one) == form and self.one.fits(data) else self.other

    def schema(self) -> dict[str, Any]:
        return {"anyOf": [self.one.schema(), self.other.schema()]}

    def example(self) -> Any:
        return self.one.example()

    def blank(self) -> Any:
        return self.one.blank()

    def build(self, data: Any) -> Any:
        return self._side(data).build(data)

    def plain(self, value: Any) -> Any:
        return self._side(value).plain(value)


def type_of(value: Value) -> str:
    """Whether a kind of value is a list, a table or a single value."""
    if isinstance(value, Maybe):
        return type_of(value.of)
    return value.type if isinstance(value, Collection) else "value"


def _type(data: Any) -> str:
    if isinstance(data, list | tuple):
        return "list"
    return "value" if isinstance(data, str | int | float | None) else "table"


class Collection(Value):
    """A value with parts: it has as many faults as they have."""

    type: str = "table"

    def fits(self, data: Any) -> bool:
        return next(self.check(data, ()), None) is None


@dataclass(frozen=True)
class Many(Collection):
    """A list of values of one kind."""

    of: Value
    least: int = 0
    most: int | None = None
    split: str = r",\s*"
    """What separates the items that Markdown has on one line; empty: the line is one item."""
    alone: bool = False
    """Whether a single value may stand for a list of one."""
    listed: bool = False
    """Whether in Markdown only list items count, and no line of prose."""
    type = "list"

    def describe(self) -> str:
        return f"a list, each {self.of.describe()}"

    def check(self, data: Any, path: Path) -> Iterator[Issue]:
        items = self._items(data)
        if not isinstance(items, list | tuple):
            yield Issue(path, f"{spelled(path)} is {shown(data)}", f"expected {self.describe()}")
            return
        if len(items) < self.least:
            count = f"has {len(items)} items" if items else "is empty"
            yield Issue(path, f"{spelled(path)} {count}", f"{self.least} at least")
        if self.most is not None and len(items) > self.most:
            yield Issue(path, f"{spelled(path)} has {len(items)} items", f"{self.most} at most")
            return
        for at, item in enumerate(items):
            yield from self.of.check(item, (*path, at))

    def _items(self, data: Any) -> Any:
        return [data] if self.alone and _type(data) == "value" and data is not None else data

    def schema(self) -> dict[str, Any]:
        limits = {"minItems": self.least or None, "maxItems": self.most}
        named = {name: limit for name, limit in limits.items() if limit is not None}
        return {"type": "array", "items": self.of.schema(), **named}

    def example(self) -> Any:
        return [self.of.example()] * max(1, self.least)

    def blank(self) -> Any:
        return ()

    def build(self, data: Any) -> Any:
        items = self._items(data)
        return tuple(self.of.blank() if one is FAULTY else self.of.build(one) for one in items)

    def plain(self, value: Any) -> Any:
        return [self.of.plain(item) for item in value]

    def from_text(self, text: str) -> Any:
        if says_nothing(text):
            return []
        pieces = re.split(self.split, text) if self.split else [text]
        return [self.of.from_text(piece) for piece in pieces if piece]

    def to_text(self, data: Any) -> str:
        return ", ".join(map(self.of.to_text, data)) or "none"


@dataclass(frozen=True)
class Named(Collection):
    """A table of names to values of one kind."""

    of: Value
    names: Text = Text()
    """What a name must be."""
    prefix: str = ""
    """In Markdown only keys that begin so count; the name is what follows."""
    skip: tuple[str, ...] = ()
    """Folded values of Markdown that mean that there is none."""
    closed: tuple[str, ...] = ()
    """The only names, each required."""

    def describe(self) -> str:
        if self.closed:
            return f"a table with exactly {', '.join(self.closed)}"
        like = f"like {self.names.like} " if self.names.like else ""
        return f"a table of names {like}to values, each {self.of.describe()}"

    def check(self, data: Any, path: Path) -> Iterator[Issue]:
        if not isinstance(data, Mapping):
            yield Issue(path, f"{spelled(path)} is {shown(data)}", f"expected {self.describe()}")
            return
        for name in self.closed:
            if name not in data:
                what = f"{spelled((*path, name))} is missing"
                yield Issue((*path, name), what, f"expected {self.of.describe()}")
        for name, item in data.items():
            place = (*path, name)
            if self.closed and name not in self.closed:
                yield Issue(place, f"{spelled(place)} is not known", f"expected {self.describe()}")
                continue
            if not self.closed and not self.names.fits(name):
                remedy = f"expected a name like {self.names.like}"
                yield Issue(place, f"{spelled(place)}: the name has the wrong form", remedy)
            yield from self.of.check(item, place)

    def schema(self) -> dict[str, Any]:
        if not self.closed:
            return {"type": "object", "additionalProperties": self.of.schema()}
        return {
            "type": "object",
            "properties": {name: self.of.schema() for name in self.closed},
            "required": list(self.closed),
            "additionalProperties": False,
        }

    def example(self) -> Any:
        return {name: self.of.example() for name in self.closed or [self.names.like or "name"]}

    def blank(self) -> Any:
        return {}

    def build(self, data: Any) -> Any:
        return {name: self.of.build(item) for name, item in data.items()}

    def plain(self, value: Any) -> Any:
        return {name: self.of.plain(item) for name, item in value.items()}


def inner(value: Value) -> Value:
    """The kind of value without `or null`, and of two kinds the first."""
    while isinstance(value, Maybe | Either):
        value = value.of if isinstance(value, Maybe) else value.one
    return value
