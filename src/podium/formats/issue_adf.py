"""Atlassian's document format, which Jira Cloud uses for descriptions, as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

DEEPEST = 40
_MARKS = {"strong": "**", "em": "*", "code": "`", "strike": "~~"}
_NAMED = {
    "mention": "text",
    "emoji": "text",
    "status": "text",
    "inlineCard": "url",
    "blockCard": "url",
    "embedCard": "url",
}
"""Nodes whose text is one of their attributes."""


def markdown(value: Any) -> str:
    """A description as Markdown; plain text stays as it is, and anything else that is not a
    document becomes empty.
    """
    if isinstance(value, str):
        return value
    return _block(value, 0).strip("\n") if isinstance(value, Mapping) else ""


def _block(node: Any, depth: int) -> str:
    if not isinstance(node, Mapping) or depth > DEEPEST:
        return ""
    kind = text_of(node.get("type"))
    match kind:
        case "paragraph":
            return _inline(node, depth)
        case "heading":
            level = _number(node, "level", 1)
            return f"{'#' * min(max(level, 1), 6)} {_inline(node, depth)}"
        case "bulletList" | "orderedList" | "taskList" | "decisionList":
            return _list(node, kind, depth)
        case "codeBlock":
            return _code(node, depth)
        case "blockquote" | "panel":
            return _indented(_blocks(node, depth), "> ")
        case "rule":
            return "---"
        case "table":
            return _table(node, depth)
        case "expand" | "nestedExpand":
            title = _attribute(node, "title")
            return "\n\n".join(
                filter(None, (f"**{title}**" if title else "", _blocks(node, depth)))
            )
        case "media" | "mediaInline":
            return "[attachment]"
        case _ if _is_inline(node):
            return _inline({"content": [node]}, depth)
    return _blocks(node, depth)


def _blocks(node: Mapping[str, Any], depth: int) -> str:
    """Paragraphs are separated; neighbouring inline nodes stay on one line."""
    parts: list[str] = []
    inline: list[Any] = []
    for each in _content(node):
        if _is_inline(each):
            inline.append(each)
            continue
        parts += [_inline({"content": inline}, depth), _block(each, depth + 1)]
        inline = []
    return "\n\n".join(filter(None, (*parts, _inline({"content": inline}, depth))))


def _inline(node: Mapping[str, Any], depth: int) -> str:
    return "".join(_piece(each, depth + 1) for each in _content(node))


def _piece(node: Any, depth: int) -> str:
    if not isinstance(node, Mapping) or depth > DEEPEST:
        return ""
    kind = text_of(node.get("type"))
    if kind == "text":
        return _marked(node)
    if kind == "hardBreak":
        return "\n"
    if kind in _NAMED:
        return _attribute(node, _NAMED[kind]) or _attribute(node, "shortName")
    if kind == "date":
        return _attribute(node, "timestamp")
    return _inline(node, depth) if not _attribute(node, "alt") else f"[{_attribute(node, 'alt')}]"


def _marked(node: Mapping[str, Any]) -> str:
    text = text_of(node.get("text"))
    for mark in list_of(node.get("marks")):
        if not isinstance(mark, Mapping) or not text.strip():
            continue
        sign = _MARKS.get(text_of(mark.get("type")), "")
        text = f"{sign}{text}{sign}"
        if mark.get("type") == "link" and (target := _attribute(mark, "href")):
            text = f"[{text}]({target})"
    return text


def _list(node: Mapping[str, Any], kind: str, depth: int) -> str:
    lines: list[str] = []
    first = _number(node, "order", 1)
    for number, item in enumerate(_content(node), first):
        if not isinstance(item, Mapping):
            continue
        if text_of(item.get("type")) in {
            "taskList",
            "bulletList",
            "orderedList",
        }:  # a list directly in a list
            lines.append(_indented(_block(item, depth + 1), "  "))
            continue
        done = _attribute(item, "state") == "DONE"
        sign = (
            f"{number}. "
            if kind == "orderedList"
            else f"- [{'x' if done else ' '}] "
            if kind == "taskList"
            else "- "
        )
        inner = _blocks(item, depth + 1)
        lines.append(
            sign + _indented(inner, " " * (len(sign) if kind == "orderedList" else 2)).lstrip(" ")
        )
    return "\n".join(lines)


def _code(node: Mapping[str, Any], depth: int) -> str:
    inner = "".join(
        text_of(each.get("text"))
        for each in _content(node)
        if isinstance(each, Mapping) and depth <= DEEPEST
    )
    fence = "```"
    while fence in inner:
        fence += "`"
    language = "".join(
        sign for sign in _attribute(node, "language") if sign.isalnum() or sign in "+-#."
    )
    return f"{fence}{language}\n{inner}\n{fence}"


def _table(node: Mapping[str, Any], depth: int) -> str:
    rows = [
        [
            " ".join(_blocks(cell, depth + 2).split()).replace("|", "\\|")
            for cell in _content(row)
            if isinstance(cell, Mapping)
        ]
        for row in _content(node)
        if isinstance(row, Mapping)
    ]
    rows = [row for row in rows if row]
    if not rows:
        return ""
    width = max(map(len, rows))
    lines = [f"| {' | '.join([*row, *[''] * (width - len(row))])} |" for row in rows]
    return "\n".join([lines[0], f"|{' --- |' * width}", *lines[1:]])


def _is_inline(node: Any) -> bool:
    kinds = {"text", "hardBreak", "mention", "emoji", "status", "inlineCard", "date", "mediaInline"}
    return isinstance(node, Mapping) and text_of(node.get("type")) in kinds


def _indented(text: str, lead: str) -> str:
    return "\n".join((lead + line).rstrip() for line in text.split("\n"))


def _content(node: Mapping[str, Any]) -> Sequence[Any]:
    return list_of(node.get("content"))


def list_of(value: Any) -> Sequence[Any]:
    """A list of somebody else's data; empty if it is anything else."""
    return value if isinstance(value, list) else ()


def _attribute(node: Mapping[str, Any], name: str) -> str:
    attributes = node.get("attrs")
    return text_of(attributes.get(name)) if isinstance(attributes, Mapping) else ""


def _number(node: Mapping[str, Any], name: str, usual: int) -> int:
    attributes = node.get("attrs")
    value = attributes.get(name) if isinstance(attributes, Mapping) else None
    return (
        value
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10_000
        else usual
    )


def text_of(value: Any) -> str:
    """A text of somebody else's data; empty if it is anything else."""
    return value if isinstance(value, str) else ""
