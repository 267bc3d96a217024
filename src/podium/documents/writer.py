"""A record as Markdown: reading it gives the same data."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from podium.documents.groups import Many, Named, inner
from podium.documents.own import Own
from podium.documents.record import Part, Table, Within
from podium.documents.text import one_line
from podium.documents.values import Prose, Value

_NONE = "None"
_LINES = ("head", "line", "anywhere")
# What would begin something else than the text of an item.
_STRUCTURE = re.compile(
    r"[-+*_=](?:\s|$)|[-*_=]{2,}\s*$|`{3}|~{3}|>|#{1,6}(?:\s|$)|\[[ xX]\](?:\s|$)|\\|:"
    r"|<(?:[A-Za-z/?]|![A-Za-z\[])"
)


def render(table: Table, data: Mapping[str, Any]) -> str:
    """The whole document."""
    return "\n".join([*_heading(table, data, 1), *_body(table, data, 2)]).rstrip() + "\n"


def _heading(table: Table, data: Mapping[str, Any], level: int) -> list[str]:
    name = getattr(table.kind, "__name__", "Document")
    title = _filled(table.record.title, table, data) if table.record.title else name
    return [f"{'#' * level} {title}", ""]


def _filled(template: str, table: Table, data: Mapping[str, Any]) -> str:
    texts = {
        part.name: part.value.to_text(data[part.key]) for part in table.parts if part.key in data
    }
    return one_line(template.format_map(defaultdict(str, texts))).rstrip(" -—–:.")


def _body(table: Table, data: Mapping[str, Any], level: int) -> list[str]:
    titled = _in_title(table)
    present = [part for part in table.parts if part.key in data and part.name not in titled]
    lines: list[str] = []
    for part in present:
        if part.at in _LINES:
            lines += field_lines(part, data[part.key])
    written: set[str] = set()
    for part in present:
        if isinstance(part.at, Within):
            title = part.at.titles[0]
            inside = [p for p in present if isinstance(p.at, Within) and p.at.titles[0] == title]
            fields = [line for each in inside for line in field_lines(each, data[each.key])]
            lines += [] if title in written else section(title, fields, level)
            written.add(title)
        elif part.at == "body":
            lines += block(part.value, data[part.key], level)
        elif part.labels and part.at not in _LINES:
            lines += section(part.label, block(part.value, data[part.key], level + 1), level)
    return lines


def section(title: str, lines: Sequence[str], level: int = 2) -> list[str]:
    return ["", f"{'#' * level} {one_line(title)}", "", *lines]


def field_lines(part: Part, data: Any) -> list[str]:
    """A value, or a table of names, as `Key: value` lines."""
    value = inner(part.value)
    if isinstance(value, Named):
        return [f"{value.prefix}{name}: {value.of.to_text(item)}  " for name, item in data.items()]
    # Two spaces at the end keep the lines of a group apart when they are shown.
    return [f"{part.label}: {part.value.to_text(data)}  "]


def block(value: Value, data: Any, level: int = 3) -> list[str]:
    """The lines of one part's own section."""
    value = inner(value)
    if isinstance(value, Own):
        return list(value.write(data))
    if isinstance(value, Table):
        return _members(value, data, level)
    if isinstance(value, Named):
        lines = [f"{value.prefix}{name}: {value.of.to_text(item)}  " for name, item in data.items()]
        return lines or [_NONE]
    if isinstance(value, Many):
        entries = inner(value.of)
        if isinstance(entries, Table):
            return [line for item in data for line in _entry(entries, item, level)] or [_NONE]
        return bullets(map(value.of.to_text, data)) or [f"- {_NONE}"]
    return value.to_text(data).splitlines() if isinstance(value, Prose) else [value.to_text(data)]


def _entry(table: Table, data: Any, level: int) -> list[str]:
    if not isinstance(data, Mapping):
        return bullets([table.to_text(data)])
    if table.record.line:
        return [f"- {_filled(table.record.line, table, data)}"]
    return [*_heading(table, data, level), *_members(table, data, level), ""]


def _members(table: Table, data: Mapping[str, Any], level: int) -> list[str]:
    """The parts of an entry: single values as items, what has lines of its own below headings."""
    short: list[str] = []
    long: list[str] = []
    for part in table.parts:
        if part.key not in data or not part.labels or part.name in _in_title(table):
            continue
        value = inner(part.value)
        if isinstance(value, Own | Prose | Table) or _has_tables(value):
            long += section(part.label, block(value, data[part.key], level + 2), level + 1)
        elif isinstance(value, Many) and data[part.key]:
            short.append(f"- **{part.label}:**")
            short += [f"  {line}" for line in bullets(map(value.of.to_text, data[part.key]))]
        else:
            short.append(f"- **{part.label}:** {value.to_text(data[part.key])}")
    return [*short, *long]


def _in_title(table: Table) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", table.record.title))


def _has_tables(value: Value) -> bool:
    return isinstance(value, Many) and isinstance(inner(value.of), Table)


def bullets(texts: Iterable[str]) -> list[str]:
    """Texts as list items, one per line; empty ones are left out."""
    return [f"- {_escaped(line)}" for text in texts if (line := one_line(text))]


def _escaped(text: str) -> str:
    return f"\\{text}" if _STRUCTURE.match(text) else text
