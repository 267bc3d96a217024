"""Puts text into Markdown and Mermaid so that it stays text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from podium.views import safe

_SPECIAL = re.compile(r"([\\`*_\[\]<>|~#@$&])")
_LINK = re.compile(r"(?<=[A-Za-z])(://)|(?i:(www)\.)")
_KEYWORD = re.compile(
    r"(?i)(section|title|click|gantt|todayMarker|excludes|includes|acc|axis|dateFormat|tick|"
    r"weekday|weekend|vert)"
)
_FENCE = re.compile(r"`+")
_NOT_MERMAID = re.compile(r"[^A-Za-z0-9 ._/+()-]")


def prose(text: object, limit: int = 300) -> str:
    """Words of people and agents: one line, without markup, links or images."""
    escaped = (
        _SPECIAL.sub(r"\\\1", safe.line(text, limit)).replace("\\&", "&amp;").replace("\\<", "&lt;")
    )
    return _LINK.sub(lambda found: "\\://" if found[1] else f"{found[2]}\\.", escaped)


def code(text: object, limit: int = 160) -> str:
    """A name, a path or a command as a code span that its content cannot end, even in a table."""
    shown = safe.line(text, limit).replace("`", "'").replace("|", "\\|")
    return f"`{shown}`" if shown.strip() else ""


def label(text: object, limit: int = 60) -> str:
    """A name in a Mermaid diagram, where colons, commas, semicolons and hashes have a meaning."""
    shown = _NOT_MERMAID.sub(" ", safe.line(text, limit)).strip() or "unnamed"
    return f"({shown})" if _KEYWORD.match(shown) else shown


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table of cells that are already escaped; nothing if there are no rows."""
    if not rows:
        return []
    return [_cells(head), _cells(["---"] * len(head)), *(_cells(row) for row in rows)]


def fenced(lines: Sequence[str], kind: str = "") -> list[str]:
    """Lines as a block of code that nothing in them can end."""
    shown = [text for line in lines for text in safe.block(line)]
    longest = max((len(run) for line in shown for run in _FENCE.findall(line)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}{kind}", *shown, fence]


def _cells(cells: Sequence[str]) -> str:
    return "| " + " | ".join(each or " " for each in cells) + " |"
