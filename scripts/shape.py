"""The shape of the source: small modules, small functions, names that say something, no open ends.

    python scripts/shape.py [FOLDER …]      (default: src)

Exit 1 and one line for each offender.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

MODULE_LINES = 610
FUNCTION_LINES = 125
"""Without the docstring. Both are what formatting left; they go down with every merged module."""
NO_NAMES = frozenset({"util", "utils"})
OPEN_END = re.compile(r"\b(T[O]DO|F[I]XME|NotImplemented[E]rror)\b")
"""Spelled so that this line does not match itself."""

_Function = ast.FunctionDef | ast.AsyncFunctionDef


def offenders(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("*")):
        if any(
            part == "__pycache__" or part.startswith(".") for part in path.relative_to(folder).parts
        ):
            continue
        if path.stem in NO_NAMES:
            yield f"{path}: a name that says nothing"
        if path.suffix == ".py":
            yield from _module(path, path.read_text(encoding="utf-8"))


def _module(path: Path, text: str) -> Iterator[str]:
    lines = text.splitlines()
    if len(lines) > MODULE_LINES:
        yield f"{path}: {len(lines)} lines, {MODULE_LINES} at most"
    for number, line in enumerate(lines, 1):
        if found := OPEN_END.search(line):
            yield f"{path}:{number}: {found.group()} is an open end"
    for node in ast.walk(ast.parse(text, str(path))):
        if isinstance(node, _Function) and (size := _size(node)) > FUNCTION_LINES:
            yield f"{path}:{node.lineno}: {node.name} has {size} lines, {FUNCTION_LINES} at most"


def _size(function: _Function) -> int:
    first = function.body[0]
    said = _lines(first) if ast.get_docstring(function, clean=False) is not None else 0
    return _lines(function) - said


def _lines(node: _Function | ast.stmt) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def main(folders: Sequence[str]) -> int:
    found = [each for folder in folders or ["src"] for each in offenders(Path(folder))]
    for each in found:
        print(each)
    print(f"shape: {len(found)} to mend" if found else "shape: good")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
