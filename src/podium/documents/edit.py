"""A person's YAML or JSON file changed in place: only the text of values that differ is replaced.

Wanted data is merged: names that it does not mention stay, tables are merged, and items of lists of
tables are matched by what identifies them. Comments, order, quotes and line endings survive. The
result is read back and compared before it is returned.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from podium.core.digest import canonical
from podium.documents.json_text import joined, rendered
from podium.documents.json_tree import load_json, parse_json
from podium.documents.tree import Node, TreeError
from podium.documents.yaml_text import block, inline, key, quoted
from podium.documents.yaml_tree import parse_yaml, resolved

IDENTITIES = ("id", "number")
"""Names whose value identifies the items of a list, in the order they are tried."""


def merge_yaml(text: str, wanted: Any, identities: Sequence[str] = IDENTITIES) -> str:
    """The text with every wanted value in it; the same text if nothing differs. TreeError if it is
    no YAML, or cannot be changed as it is written.
    """
    return _merged(text, wanted, _YamlEdit, identities)


def merge_json(text: str, wanted: Any, identities: Sequence[str] = IDENTITIES) -> str:
    return _merged(text, wanted, _JsonEdit, identities)


def _merged(text: str, wanted: Any, kind: type[_Edit], identities: Sequence[str]) -> str:
    if text.startswith("\ufeff"):  # with the mark, columns would be off by one
        return f"\ufeff{_merged(text[1:], wanted, kind, identities)}"
    root = kind.parse(text)
    empty = kind is _YamlEdit and root.kind == "value" and root.value is None
    if not empty and root.kind != ("table" if isinstance(wanted, Mapping) else "list"):
        remedy = "write `name: value` lines"
        raise TreeError([(root.line, "is not a table of names and values", remedy)])
    edit = kind(text, identities)
    if not empty:
        edit.node(root, wanted)
    elif wanted:
        edit.put(len(text), len(text), edit.lines(block(wanted), len(text)))
    changed = edit.result()
    expected = overlaid({} if empty else root.data, wanted, identities)
    if changed != text and not _same(_read_back(kind, changed), expected):
        remedy = "write it in plain block style"
        raise TreeError([(root.line, "cannot be changed in place as it is written", remedy)])
    return changed


def _read_back(kind: type[_Edit], text: str) -> Any:
    try:
        return load_json(text) if kind is _JsonEdit else kind.parse(text).data
    except (ValueError, RecursionError):
        return TreeError


def overlaid(data: Any, wanted: Any, identities: Sequence[str] = IDENTITIES) -> Any:
    """The data that results from merging `wanted` into it."""
    if isinstance(data, Mapping) and isinstance(wanted, Mapping):
        both = {
            name: overlaid(item, wanted[name], identities) if name in wanted else item
            for name, item in data.items()
        }
        return both | {name: item for name, item in wanted.items() if name not in data}
    if name := _identity(data, wanted, identities):
        changes = {canonical(item[name]): item for item in wanted}
        ids = [canonical(item[name]) for item in data]
        merged = [
            overlaid(item, changes[ident], identities) if ident in changes else item
            for ident, item in zip(ids, data, strict=True)
        ]
        return merged + [item for ident, item in changes.items() if ident not in ids]
    return data if _nothing_to_change(data, wanted, identities) else wanted


def _identity(data: Any, wanted: Any, identities: Sequence[str]) -> str:
    """The name that identifies the items of both lists; empty if there is none."""
    if not (isinstance(data, list) and isinstance(wanted, list | tuple) and data and wanted):
        return ""
    return next((name for name in identities if _tells(name, data) and _tells(name, wanted)), "")


def _tells(name: str, items: Sequence[Any]) -> bool:
    if not all(isinstance(item, Mapping) and name in item for item in items):
        return False
    return len({canonical(item[name]) for item in items}) == len(items)


def _nothing_to_change(data: Any, wanted: Any, identities: Sequence[str]) -> bool:
    """Whether no item is to change in a list whose items have names: they are not taken out."""
    if not isinstance(data, list) or not isinstance(wanted, list | tuple) or wanted or not data:
        return False
    return any(_tells(name, data) for name in identities)


def _same(one: Any, other: Any) -> bool:
    """Equality of plain values: true is not 1, 1 is 1.0, and a tuple equals a list."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same(one[name], other[name]) for name in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other)


class _Edit(ABC):
    def __init__(self, text: str, identities: Sequence[str]) -> None:
        self.text, self.identities = text, identities
        self.newline = "\r\n" if "\r\n" in text else "\n"
        self.splices: list[tuple[int, int, str]] = []

    @staticmethod
    @abstractmethod
    def parse(text: str) -> Node: ...

    @abstractmethod
    def replace(self, node: Node, wanted: Any, holder: Node | None) -> None: ...

    @abstractmethod
    def add_names(self, node: Node, added: Mapping[str, Any]) -> None: ...

    @abstractmethod
    def add_items(self, node: Node, added: Sequence[Any]) -> None: ...

    def put(self, start: int, end: int, text: str) -> None:
        self.splices.append((start, end, text))

    def result(self) -> str:
        pieces, at = [], 0
        for start, end, new in sorted(self.splices, key=lambda splice: splice[0]):
            pieces += [self.text[at:start], new]
            at = end
        return "".join([*pieces, self.text[at:]])

    def table(self, node: Node, wanted: Mapping[str, Any]) -> None:
        for name, value in wanted.items():
            if name in node.pairs:
                self.node(node.pairs[name], value, node)
        added = {name: value for name, value in wanted.items() if name not in node.pairs}
        if added:
            self.add_names(node, added)

    def node(self, node: Node, wanted: Any, holder: Node | None = None) -> None:
        if _same(node.data, wanted):
            return
        if node.kind == "table" and isinstance(wanted, Mapping) and (node.pairs or holder is None):
            self.table(node, wanted)
        elif name := _identity(node.data, wanted, self.identities):
            self.items(node, wanted, name)
        elif self._grows(node, wanted):
            self.add_items(node, wanted[len(node.items) :])
        elif not _nothing_to_change(node.data, wanted, self.identities):
            self.replace(node, wanted, holder)

    def items(self, node: Node, wanted: Sequence[Mapping[str, Any]], name: str) -> None:
        by_id = {canonical(item.data[name]): item for item in node.items}
        for item in wanted:
            if old := by_id.get(canonical(item[name])):
                self.table(old, item)
        if added := [item for item in wanted if canonical(item[name]) not in by_id]:
            self.add_items(node, added)

    def _grows(self, node: Node, wanted: Any) -> bool:
        count = len(node.items)
        if node.kind != "list" or not count or not isinstance(wanted, list | tuple):
            return False
        return len(wanted) > count and _same(node.data, wanted[:count])

    def lines(self, lines: Sequence[str], at: int) -> str:
        before = self.newline if at and not self.text[:at].endswith("\n") else ""
        return before + "".join(f"{line}{self.newline}" for line in lines)


class _YamlEdit(_Edit):
    parse = staticmethod(parse_yaml)

    def replace(self, node: Node, wanted: Any, holder: Node | None) -> None:  # noqa: ARG002
        if node.start == node.end:  # there is nothing after the colon or the dash
            self.put(node.start, node.end, f" {inline(wanted)}")
        elif node.kind == "value" or node.flow or not _has_parts(wanted):
            # A block text that keeps its trailing lines ends after them.
            end = node.start + len(self.text[node.start : node.end].rstrip())
            self.put(node.start, end, self._styled(node, wanted))
        else:
            lines = block(wanted, self._column(node))
            self.put(node.start, node.end, self.newline.join(lines).lstrip(" "))

    def _styled(self, node: Node, wanted: Any) -> str:
        """A word that needs no quotes stays without them if the person wrote it so."""
        plain = node.kind == "value" and not node.style and isinstance(node.value, str)
        word = isinstance(wanted, str) and wanted.isidentifier() and resolved(wanted) == wanted
        return str(wanted) if plain and word else inline(wanted)

    def add_names(self, node: Node, added: Mapping[str, Any]) -> None:
        if not node.flow:
            self._below(node, block(added, self._column(node)))
            return
        spell = quoted if node.quoted else key
        self._inside(node, [f"{spell(name)}: {inline(value)}" for name, value in added.items()])

    def add_items(self, node: Node, added: Sequence[Any]) -> None:
        if node.flow:
            self._inside(node, [inline(item) for item in added])
        else:
            self._below(node, block(list(added), self._column(node)))

    def _inside(self, node: Node, members: Sequence[str]) -> None:
        inner = list(node.below())
        at = inner[-1].end if inner else node.start + 1
        self.put(at, at, (", " if inner else "") + ", ".join(members))

    def _below(self, node: Node, lines: Sequence[str]) -> None:
        """Below the line on which the collection's last value ends, after any comment there."""
        last = node.end - 1 if self.text[node.end - 1 : node.end] == "\n" else node.end
        end = self.text.find("\n", last)
        at = len(self.text) if end < 0 else end + 1
        self.put(at, at, self.lines(lines, at))

    def _column(self, node: Node) -> int:
        return node.start - (self.text.rfind("\n", 0, node.start) + 1)


def _has_parts(value: Any) -> bool:
    return bool(value) and isinstance(value, Mapping | list | tuple)


class _JsonEdit(_Edit):
    parse = staticmethod(parse_json)

    def replace(self, node: Node, wanted: Any, holder: Node | None) -> None:
        self.put(node.start, node.end, rendered(self.text, wanted, holder or node, node))

    def add_names(self, node: Node, added: Mapping[str, Any]) -> None:
        self.put(*joined(self.text, node, list(added.items())))

    def add_items(self, node: Node, added: Sequence[Any]) -> None:
        self.put(*joined(self.text, node, [("", item) for item in added]))
