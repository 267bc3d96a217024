"""Tables in Markdown, and the texts in their cells."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import MISSING
from functools import lru_cache
from importlib import import_module
from pathlib import Path


def rows(head: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *body]
    return "".join(
        f"| {' | '.join(cell.replace('|', chr(92) + '|') or ' ' for cell in line)} |\n"
        for line in lines
    )


def code(text: object) -> str:
    return f"`{text}`" if str(text) else ""


def shown(default: object) -> str:
    if default in ("", (), None, MISSING):
        return ""
    return str(default).lower() if isinstance(default, bool) else str(default)


@lru_cache
def field_texts(module: str, kind: str) -> Mapping[str, str]:
    """The string below each field of a dataclass, on one line."""
    source = Path(import_module(module).__file__ or "").read_text(encoding="utf-8")
    tree = next(
        each
        for each in ast.parse(source).body
        if isinstance(each, ast.ClassDef) and each.name == kind
    )
    found: dict[str, str] = {}
    for before, after in zip(tree.body, tree.body[1:], strict=False):
        if isinstance(before, ast.AnnAssign) and isinstance(before.target, ast.Name):
            said = after.value if isinstance(after, ast.Expr) else None
            text = (
                said.value if isinstance(said, ast.Constant) and isinstance(said.value, str) else ""
            )
            found[before.target.id] = " ".join(text.split())
    return found
