"""Changes as rows with line numbers on both sides, from a patch or from two texts."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from podium.views import safe

Kind = Literal["add", "cut", "same", "hunk", "note"]

MOST = 2_500
"""The most rows of all files together on a page."""
COMPARED = 6_000
"""The most lines of a text that are compared; longer texts are only said to differ."""
_HUNK = re.compile(r"@@ -(\d{1,9})(?:,\d{1,9})? \+(\d{1,9})(?:,\d{1,9})? @@")
_FILE = re.compile(r"diff --git a/(.*) b/(.*)")


@dataclass(frozen=True)
class Row:
    kind: Kind
    text: str
    old: int | None = None
    new: int | None = None


@dataclass
class Changed:
    """The changes of one file."""

    path: str
    rows: list[Row] = field(default_factory=list)
    added: int = 0
    cut: int = 0


@dataclass(frozen=True)
class Diff:
    files: tuple[Changed, ...] = ()
    left_out: int = 0
    """Rows for which there was no space."""
    too_long: bool = False

    @property
    def added(self) -> int:
        return sum(each.added for each in self.files)

    @property
    def cut(self) -> int:
        return sum(each.cut for each in self.files)


def patch(text: str, most: int = MOST) -> Diff:
    """A patch as git writes it; lines that belong to no file become notes of the first."""
    files: list[Changed] = []
    shown = left_out = 0
    for path, row in _read(text.split("\n")):
        if not files or files[-1].path != path:
            files.append(Changed(path))
        files[-1].added += row.kind == "add"
        files[-1].cut += row.kind == "cut"
        if shown < most:
            files[-1].rows.append(row)
            shown += 1
        else:
            left_out += 1
    return Diff(tuple(files), left_out)


def _read(lines: Iterable[str]) -> Iterator[tuple[str, Row]]:
    path, old, new, inside = "", 0, 0, False
    for raw in lines:
        line = raw.rstrip("\r")
        if found := _FILE.match(line):
            path, inside = safe.line(found[2], 300), False
        elif hunk := _HUNK.match(line):
            old, new, inside = int(hunk[1]), int(hunk[2]), True
            yield path, Row("hunk", _text(line))
        elif inside and line.startswith("+"):
            yield path, Row("add", _text(line[1:]), None, new)
            new += 1
        elif inside and line.startswith("-"):
            yield path, Row("cut", _text(line[1:]), old, None)
            old += 1
        elif inside and line.startswith("\\"):
            yield path, Row("note", _text(line[1:].strip()))
        elif inside and line.startswith(" "):
            yield path, Row("same", _text(line[1:]), old, new)
            old, new = old + 1, new + 1
        elif line.strip() and not line.startswith(("index ", "--- ", "+++ ")):
            yield path, Row("note", _text(line))


def between(old: str, new: str, path: str) -> Diff:
    """What changed from one text to the other; no files if they are equal."""
    if old == new:
        return Diff()
    before, after = old.splitlines(), new.splitlines()
    if max(len(before), len(after)) > COMPARED:
        return Diff(too_long=True)
    told = difflib.unified_diff(before, after, lineterm="", n=3)
    return patch("\n".join([f"diff --git a/{_one(path)} b/{_one(path)}", *list(told)[2:]]))


def _one(path: str) -> str:
    return safe.line(path, 300)


def _text(line: str) -> str:
    return safe.fit(safe.visible(line[:4_000].expandtabs(4)), 1_000)
