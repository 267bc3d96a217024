"""Expressions that are compiled late must be sound, and all that stand at the top of a module
are such.
"""

from __future__ import annotations

import ast
import gc
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import podium
from podium.core.regex import regex

SOURCE = Path(podium.__file__).parent
ALONE = {
    "agents/confine/attacks.py",
    "agents/confine/forwarder.py",
    "agents/confine/landlock.py",
    "agents/reporting/server.py",
    "agents/shim.py",
}
"""Started as scripts, without the package."""


def calls_at_import(node: ast.AST) -> Iterator[ast.Call]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(child, ast.Call):
            yield child
        yield from calls_at_import(child)


def calls_of(name: str) -> list[tuple[str, ast.Call]]:
    return [
        (f"{path.relative_to(SOURCE).as_posix()}:{call.lineno}", call)
        for path in sorted(SOURCE.rglob("*.py"))
        if path.relative_to(SOURCE).as_posix() not in ALONE
        for call in calls_at_import(ast.parse(path.read_text(encoding="utf-8")))
        if ast.unparse(call.func) == name
    ]


def test_it_is_compiled_when_it_is_first_used() -> None:
    late = regex(r"(\d+)", re.ASCII)
    assert late.fullmatch("12")
    assert late.sub("n", "a1b2") == "anbn"
    assert late.pattern == r"(\d+)"
    with pytest.raises(re.error):
        regex("(").match("")


def test_no_module_compiles_while_it_is_imported() -> None:
    assert [where for where, _ in calls_of("re.compile")] == []


def test_every_expression_that_is_compiled_late_can_be() -> None:
    found = calls_of("regex")
    assert len(found) > 300
    for where in {each.partition(":")[0] for each, _ in found}:
        import_module("podium." + where.removesuffix(".py").replace("/", "."))
    assert all(each.pattern for each in gc.get_objects() if isinstance(each, regex))
