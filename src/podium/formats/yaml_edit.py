"""Changes a person's YAML file in place: only the text of values that differ is replaced.

The wanted data is merged into the file: names that it does not mention stay, tables are merged, and
items of lists of tables are matched by what identifies them. Comments, order, quotes, line endings
and unknown names survive. The result is read back and checked before it is returned.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from podium.core.digest import canonical
from podium.core.errors import Fault, InputError
from podium.formats import yaml_text
from podium.formats.yaml_tree import Node, parse, resolved

IDENTITIES = ("id", "number")
"""Names whose value identifies the items of a list, in the order they are tried."""


def merge(text: str, wanted: Mapping[str, Any], where: str) -> str:
    """The text with every wanted value in it; the same text if nothing differs."""
    if text.startswith("\ufeff"):  # with the mark, columns would be off by one
        return f"\ufeff{merge(text[1:], wanted, where)}"
    root = parse(text, where)
    if root.kind == "list" or root.value is not None:
        raise InputError(
            Fault(where, "is not a table of names and values", "write `name: value` lines")
        )
    if not wanted:
        return text
    edit = _Edit(text)
    if root.kind == "table":
        edit.table(root, wanted)
    else:
        edit.splices.append(
            _Splice(len(text), len(text), edit.lines(yaml_text.block(wanted), len(text)))
        )
    changed = edit.result()
    expected = overlaid(root.data if root.kind == "table" else {}, wanted)
    try:
        same = _same(parse(changed, where).data, expected)
    except InputError:
        same = False
    if not same:
        raise InputError(
            Fault(
                where,
                "cannot be changed in place as it is written",
                "write it in plain block style",
            )
        )
    return changed


def overlaid(found: Any, wanted: Any) -> Any:
    """The data that results from merging `wanted` into `found`."""
    if isinstance(found, Mapping) and isinstance(wanted, Mapping):
        both = {
            name: overlaid(each, wanted[name]) if name in wanted else each
            for name, each in found.items()
        }
        return both | {name: each for name, each in wanted.items() if name not in found}
    name = _identity(found, wanted)
    if name:
        known = {canonical(each[name]): each for each in wanted}
        ids = [canonical(each[name]) for each in found]
        both_items = [
            overlaid(each, known[ident]) if ident in known else each
            for each, ident in zip(found, ids, strict=True)
        ]
        return both_items + [each for ident, each in known.items() if ident not in ids]
    return wanted


def _identity(found: Any, wanted: Any) -> str:
    """The name that identifies the items of both lists; empty if there is none."""
    if not (isinstance(found, list) and isinstance(wanted, list | tuple) and found and wanted):
        return ""
    for name in IDENTITIES:
        if all(isinstance(each, Mapping) and name in each for each in (*found, *wanted)) and all(
            len({canonical(each[name]) for each in side}) == len(side) for side in (found, wanted)
        ):
            return name
    return ""


def _same(one: Any, other: Any) -> bool:
    return canonical(one) == canonical(other)


@dataclass(frozen=True)
class _Splice:
    start: int
    end: int
    text: str


class _Edit:
    def __init__(self, text: str) -> None:
        self.text = text
        self.splices: list[_Splice] = []
        self.newline = "\r\n" if "\r\n" in text else "\n"

    def result(self) -> str:
        out, at = [], 0
        for each in sorted(self.splices, key=lambda splice: splice.start):
            out += [self.text[at : each.start], each.text]
            at = each.end
        return "".join([*out, self.text[at:]])

    def table(self, node: Node, wanted: Mapping[str, Any]) -> None:
        for name, value in wanted.items():
            if (found := node.names.get(name)) is not None:
                self.value(found, value)
        if added := {name: value for name, value in wanted.items() if name not in node.names}:
            self.add_names(node, added)

    def value(self, node: Node, wanted: Any) -> None:
        if _same(node.data, wanted):
            return
        if node.kind == "table" and isinstance(wanted, Mapping) and node.pairs:
            self.table(node, wanted)
        elif name := _identity(node.data, wanted):
            self.match(node, wanted, name)
        elif (
            node.kind == "list"
            and node.items
            and isinstance(wanted, list | tuple)
            and self.grows(node, wanted)
        ):
            self.add_items(node, wanted[len(node.items) :])
        else:
            self.replace(node, wanted)

    def match(self, node: Node, wanted: Sequence[Mapping[str, Any]], name: str) -> None:
        """Merge a list of tables, item by item."""
        known = {canonical(each.data[name]): each for each in node.items}
        for each in wanted:
            if found := known.get(canonical(each[name])):
                self.table(found, each)
        if added := [each for each in wanted if canonical(each[name]) not in known]:
            self.add_items(node, added)

    def grows(self, node: Node, wanted: Sequence[Any]) -> bool:
        held = len(node.items)
        return len(wanted) > held and _same(node.data, list(wanted[:held]))

    def replace(self, node: Node, wanted: Any) -> None:
        if node.start == node.end:  # there is nothing after the colon or the dash
            self.splices.append(_Splice(node.start, node.end, f" {yaml_text.inline(wanted)}"))
        elif (
            node.kind == "value"
            or node.flow
            or not wanted
            or not isinstance(wanted, Mapping | list | tuple)
        ):
            # A block text that keeps its trailing lines ends after them.
            end = node.start + len(self.text[node.start : node.end].rstrip())
            self.splices.append(_Splice(node.start, end, self.styled(node, wanted)))
        else:
            lines = yaml_text.block(wanted, self.column(node))
            self.splices.append(_Splice(node.start, node.end, self.newline.join(lines).lstrip(" ")))

    def styled(self, node: Node, wanted: Any) -> str:
        """A word that needs no quotes stays without them if the person wrote it so."""
        plain = node.kind == "value" and not node.style and isinstance(node.value, str)
        if (
            plain
            and isinstance(wanted, str)
            and wanted.isidentifier()
            and resolved(wanted) == wanted
        ):
            return wanted
        return yaml_text.inline(wanted)

    def add_names(self, node: Node, added: Mapping[str, Any]) -> None:
        if node.flow:
            quote = any(name.style == '"' for name, _ in node.pairs)
            members = [
                (
                    f"{yaml_text.quoted(name) if quote else yaml_text.key(name)}: "
                    f"{yaml_text.inline(value)}"
                )
                for name, value in added.items()
            ]
            self.add_inside(node, [value for _, value in node.pairs], members)
            return
        self.add_lines(node, yaml_text.block(added, self.column(node)))

    def add_items(self, node: Node, added: Sequence[Any]) -> None:
        if node.flow:
            self.add_inside(node, node.items, [yaml_text.inline(each) for each in added])
            return
        self.add_lines(node, yaml_text.block(list(added), self.column(node)))

    def add_inside(self, node: Node, held: Sequence[Node], members: Sequence[str]) -> None:
        at = held[-1].end if held else node.start + 1
        self.splices.append(_Splice(at, at, (", " if held else "") + ", ".join(members)))

    def add_lines(self, node: Node, lines: Sequence[str]) -> None:
        """Below the line on which the collection's last value ends, after any comment there."""
        end = self.text.find(
            "\n", node.end if self.text[node.end - 1 : node.end] != "\n" else node.end - 1
        )
        at = len(self.text) if end < 0 else end + 1
        self.splices.append(_Splice(at, at, self.lines(lines, at)))

    def lines(self, lines: Sequence[str], at: int) -> str:
        before = self.newline if at and not self.text[:at].endswith("\n") else ""
        return before + "".join(f"{line}{self.newline}" for line in lines)

    def column(self, node: Node) -> int:
        return node.start - (self.text.rfind("\n", 0, node.start) + 1)
