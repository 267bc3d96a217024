"""Review's table of checks: which of lint, typecheck and build passed, read row by row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from podium.formats import table_cells
from podium.formats.outline import Outline
from podium.workflows.roadmap.messages.words import CHECK, CHECKS, fold_word, plain

_NAMES: Mapping[str, str] = {
    "lint": "lint",
    "linting": "lint",
    "typecheck": "typecheck",
    "type check": "typecheck",
    "build": "build",
}


@dataclass
class CheckTable:
    """What all check tables of a message say together."""

    found: bool = False
    results: dict[str, list[str]] = field(default_factory=dict)
    """Check to every result given for it."""
    failures: list[str] = field(default_factory=list)
    """The rows that failed, in words."""
    faults: list[str] = field(default_factory=list)
    """Rows that cannot be read."""

    def checks(self) -> dict[str, str]:
        return {name: CHECK.worst(self.results[name]) for name in CHECKS if self.results.get(name)}

    def missing(self) -> list[str]:
        return [name for name in CHECKS if not self.results.get(name)]

    def others_failed(self) -> bool:
        """Whether a check failed that nobody asked for; it counts all the same."""
        return any("fail" in said for name, said in self.results.items() if name not in CHECKS)


def read_checks(outline: Outline) -> CheckTable:
    """Every table with the columns Check and Result, outside code, quotes and comments."""
    table = CheckTable()
    columns: list[str] = []
    for cells in _rows(outline):
        names = [fold_word(plain(cell)) for cell in cells]
        if not cells:
            columns = []
        elif "check" in names and "result" in names:
            columns, table.found = names, True
        elif columns and not table_cells.is_ruler(cells):
            _read_row(table, columns, cells)
    return table


def _rows(outline: Outline) -> Iterator[list[str]]:
    """The cells of each row; an empty list where a table ends."""
    for text, kind in zip(outline.lines, outline.kinds, strict=True):
        yield table_cells.cells(text) if kind == "text" and "|" in text else []


def _read_row(table: CheckTable, columns: Sequence[str], cells: Sequence[str]) -> None:
    row = dict(zip(columns, cells, strict=False))
    label = fold_word(plain(row.get("check", "")))
    name, said = _NAMES.get(label, label), row.get("result", "")
    word = CHECK.word(said)
    if not word:
        table.faults.append(
            f"the check {name[:40]!r} has the result {plain(said)[:80]!r}; it must be one of "
            f"{', '.join(CHECK.words)}"
        )
        return
    table.results.setdefault(name, []).append(word)
    if word == "fail":
        more = " — ".join(
            plain(cell)
            for key, cell in row.items()
            if key not in {"check", "result"} and plain(cell)
        )
        table.failures.append(f"{name}: fail" + (f" — {more}" if more else ""))
