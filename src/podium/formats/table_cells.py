"""Rows of Markdown tables: their cells, and which row only separates the head from the rest."""

from __future__ import annotations

import re
from collections.abc import Sequence

_CELL = re.compile(r"(?<!\\)\|")


def cells(line: str) -> list[str]:
    """The cells of a row; an escaped bar inside a cell separates nothing and stays as it is
    written.
    """
    return [cell.strip() for cell in _CELL.split(line.strip().removeprefix("|").removesuffix("|"))]


def is_ruler(row: Sequence[str]) -> bool:
    return not any(cell.strip("-: ") for cell in row)
