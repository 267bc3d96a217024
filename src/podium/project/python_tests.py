"""Whether a Python test file was only added to, by what it means and not by how it is written."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence

from podium.project.blocks import Comparison
from podium.project.source_lines import LONGEST, Line, source_lines

LARGEST = 2_000_000
"""Characters of a file that are parsed."""
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def compare_python(old: str, new: str) -> Comparison | None:
    """How the new text differs from the old one; None if one of them cannot be parsed."""
    try:
        before, after = _module(old), _module(new)
        if before is None or after is None:
            return None
        changed = list(_changes(before.body, after.body, ""))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return Comparison(tuple(changed), tuple(_added(old, new)))


def _module(text: str) -> ast.Module | None:
    return ast.parse(text.removeprefix("\ufeff")) if len(text) <= LARGEST else None


def _added(old: str, new: str) -> Iterator[Line]:
    """The lines of code that are new, wherever they stand."""
    before = Counter(line.text for line in source_lines(old, "python"))
    for line in source_lines(new, "python"):
        if before[line.text] > 0:
            before[line.text] -= 1
        else:
            yield line


def _changes(old: Sequence[ast.stmt], new: Sequence[ast.stmt], inside: str) -> Iterator[str]:
    """What of a module or class is gone, changed, or given another meaning by what is new."""
    before, after = _names(old), _names(new)
    for name, nodes in before.items():
        yield from _of_name(name, nodes, after.get(name, []), inside)
    yield from _statements(_others(old), _others(new))
    imported, now = _imports(old), _imports(new)
    for name, source in imported.items():
        if now.get(name) != source:
            yield f"-import of {name} from {source or '.'}"
    for name in now.keys() - imported.keys():
        if name in before:
            yield f"+import of {name}, which the file defines"
    used, wanted = _used(old), _arguments(old)
    for name in sorted(after.keys() - before.keys()):
        if name in imported or (name in used and not inside):
            yield f"+{inside}{name}, which the file uses already"
        elif name in _HOOKS or (name in wanted and "fixture" in ast.dump(after[name][-1])):
            yield f"+{_first(after[name][-1])}"


def _used(body: Sequence[ast.stmt]) -> set[str]:
    """All names that are read somewhere."""
    return {node.id for part in body for node in ast.walk(part) if isinstance(node, ast.Name)}


def _arguments(body: Sequence[ast.stmt]) -> set[str]:
    """All arguments of functions: the fixtures that tests ask for."""
    return {node.arg for part in body for node in ast.walk(part) if isinstance(node, ast.arg)}


_HOOK_WORDS = """
    setUp tearDown setUpClass tearDownClass setUpModule tearDownModule setup_method teardown_method
    setup_class teardown_class setup_module teardown_module setup_function teardown_function setup
    teardown load_tests asyncSetUp asyncTearDown run __init__ __init_subclass__ __getattribute__
    __getattr__ __new__ __call__ runTest debug skipTest fail addCleanup subTest assertEqual
    assertTrue assertFalse assertIs assertIsNot assertIsNone assertIsNotNone assertIn assertNotIn
    assertIsInstance assertRaises assertRaisesRegex assertWarns assertNotEqual assertAlmostEqual
    assertGreater assertLess assertGreaterEqual assertLessEqual assertRegex assertCountEqual
    assertListEqual assertDictEqual assertSetEqual assertTupleEqual assertMultiLineEqual
    assertLogs assertEquals failureException _baseAssertEqual
"""
_HOOKS = frozenset(_HOOK_WORDS.split())


def _of_name(
    name: str, old: Sequence[ast.stmt], new: Sequence[ast.stmt], inside: str
) -> Iterator[str]:
    """A definition or variable of this name: it must be as it was, and the only one."""
    if len(new) > len(old):
        yield f"+{_first(new[-1])} (again)"
    elif len(new) < len(old):
        yield f"-{_first(old[-1])}"
    for one, other in zip(old, new, strict=False):
        if isinstance(one, ast.ClassDef) and isinstance(other, ast.ClassDef):
            if _same_head(one, other):
                yield from _changes(one.body, other.body, f"{inside}{name}.")
            else:
                yield from (f"-{_first(one)}", f"+{_first(other)}")
        elif not _same(one, other) and not _longer_table(one, other):
            yield from _lines_of(one, other)


def _same(one: ast.AST, other: ast.AST) -> bool:
    return ast.dump(one) == ast.dump(other)


def _same_head(one: ast.ClassDef, other: ast.ClassDef) -> bool:
    return [ast.dump(node) for node in (*one.bases, *one.keywords, *one.decorator_list)] == [
        ast.dump(node) for node in (*other.bases, *other.keywords, *other.decorator_list)
    ]


def _longer_table(one: ast.AST, other: ast.AST) -> bool:
    """Whether the only difference is that lists, tuples, sets or dicts in `parametrize`, or in a
    table that tests go through, have more entries.
    """
    if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef):
        if type(one) is not type(other) or not isinstance(
            other, ast.FunctionDef | ast.AsyncFunctionDef
        ):
            return False
        heads = (one.name, ast.dump(one.args), len(one.decorator_list)) == (
            other.name,
            ast.dump(other.args),
            len(other.decorator_list),
        )
        bodies = [ast.dump(node) for node in one.body] == [ast.dump(node) for node in other.body]
        return (
            heads
            and (bodies or _body_table(one.body, other.body))
            and all(
                _grown_call(a, b)
                for a, b in zip(one.decorator_list, other.decorator_list, strict=True)
            )
        )
    if isinstance(one, ast.Assign) and isinstance(other, ast.Assign):
        return [ast.dump(node) for node in one.targets] == [
            ast.dump(node) for node in other.targets
        ] and _grown(one.value, other.value)
    return False


def _continued(old: Sequence[ast.stmt], new: Sequence[ast.stmt]) -> bool:
    """A body with more at its end: what was there has run by then. One that returns may not."""
    ends = isinstance(old[-1], ast.Return | ast.Raise)
    return not ends and [ast.dump(node) for node in old] == [
        ast.dump(node) for node in new[: len(old)]
    ]


def _body_table(old: Sequence[ast.stmt], new: Sequence[ast.stmt]) -> bool:
    """A test that goes through a table in its own body: only the tables differ."""
    return len(old) == len(new) and all(
        _same(one, other)
        or (
            isinstance(one, ast.For)
            and isinstance(other, ast.For)
            and _grown(one.iter, other.iter)
            and ast.dump(one.target) == ast.dump(other.target)
            and [ast.dump(node) for node in (*one.body, *one.orelse)]
            == [ast.dump(node) for node in (*other.body, *other.orelse)]
        )
        or (isinstance(one, ast.Assign) and _longer_table(one, other))
        for one, other in zip(old, new, strict=True)
    )


def _grown_call(one: ast.expr, other: ast.expr) -> bool:
    """A decorator that is the same, or `parametrize` with more cases."""
    if _same(one, other):
        return True
    if not isinstance(one, ast.Call) or not isinstance(other, ast.Call):
        return False
    if not _same(one.func, other.func) or "parametrize" not in ast.dump(one.func):
        return False
    return (
        len(one.args) == len(other.args)
        and all(_grown(a, b) for a, b in zip(one.args, other.args, strict=True))
        and [each.arg for each in one.keywords] == [each.arg for each in other.keywords]
        and all(_grown(a.value, b.value) for a, b in zip(one.keywords, other.keywords, strict=True))
    )


def _grown(one: ast.expr, other: ast.expr) -> bool:
    if _same(one, other):
        return True
    if isinstance(one, ast.Dict) and isinstance(other, ast.Dict):
        pairs = [
            [
                (key and ast.dump(key), ast.dump(value))
                for key, value in zip(d.keys, d.values, strict=True)
            ]
            for d in (one, other)
        ]
        keys = [key for key, _ in pairs[1]]
        return _within(pairs[0], pairs[1]) and len(set(keys)) == len(keys)
    if isinstance(one, ast.List | ast.Tuple | ast.Set) and type(one) is type(other):
        assert isinstance(other, ast.List | ast.Tuple | ast.Set)
        entries = [[ast.dump(entry) for entry in node.elts] for node in (one, other)]
        return len(one.elts) > 0 and _within(entries[0], entries[1])
    return False


def _within(old: Sequence[object], new: Sequence[object]) -> bool:
    """Whether all of the old entries are in the new ones, in order."""
    entries = iter(new)
    return all(any(entry == other for other in entries) for entry in old)


def _statements(old: Sequence[ast.stmt], new: Sequence[ast.stmt]) -> Iterator[str]:
    """Statements that are neither definitions nor imports: what is new runs before the tests do."""
    before, after = Counter(map(ast.dump, old)), Counter(map(ast.dump, new))
    gone, fresh = before - after, after - before
    yield from (f"-{_first(node)}" for node in old if gone[ast.dump(node)])
    for node in new:
        if fresh[ast.dump(node)] and not (_is_text(node) or _is_main(node) or _only_imports(node)):
            yield f"+{_first(node)}"


def _only_imports(node: ast.stmt) -> bool:
    """`try: import …`, `if …: import …`, which only gives names."""
    if isinstance(node, ast.Try):
        parts = [*node.body, *node.orelse, *node.finalbody]
        parts += [part for handler in node.handlers for part in handler.body]
    elif isinstance(node, ast.If):
        parts = [*node.body, *node.orelse]
    else:
        return False
    return all(
        isinstance(part, ast.Import | ast.ImportFrom | ast.Pass)
        or (isinstance(part, ast.Assign) and isinstance(part.value, ast.Constant))
        for part in parts
    )


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Pass) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    )


def _is_main(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and "'__main__'" in ast.dump(node.test)


def _names(body: Sequence[ast.stmt]) -> dict[str, list[ast.stmt]]:
    """Definitions and plain variables by name, each in order."""
    names: dict[str, list[ast.stmt]] = {}
    for node in body:
        for name in _bound(node):
            names.setdefault(name, []).append(node)
    return names


def _bound(node: ast.stmt) -> tuple[str, ...]:
    if isinstance(node, _DEFINITIONS):
        return (node.name,)
    if isinstance(node, ast.Assign) and all(isinstance(t, ast.Name) for t in node.targets):
        return tuple(t.id for t in node.targets if isinstance(t, ast.Name))
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return (node.target.id,)
    return ()


def _others(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    return [
        node
        for node in body
        if not _bound(node) and not isinstance(node, ast.Import | ast.ImportFrom)
    ]


def _imports(body: Sequence[ast.stmt]) -> dict[str, str]:
    """Names that are imported, and from where."""
    names: dict[str, str] = {}
    for node in body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                bound = alias.asname or alias.name.partition(".")[0]
                names.setdefault(bound if alias.asname else alias.name, alias.name)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                names[alias.asname or alias.name] = (
                    f"{'.' * node.level}{node.module or ''}:{alias.name}"
                )
    return names


def _lines_of(one: ast.stmt, other: ast.stmt) -> Iterator[str]:
    """The lines in which two definitions differ, as Python would write them."""
    old, new = (ast.unparse(node).split("\n") for node in (one, other))
    before, after = Counter(old), Counter(new)
    only_old, only_new = before - after, after - before
    shown = [f"-{text.strip()[:LONGEST]}" for text in old if only_old[text]]
    shown += [f"+{text.strip()[:LONGEST]}" for text in new if only_new[text]]
    yield from shown or [f"-{_first(one)} (in another order)"]


def _first(node: ast.stmt) -> str:
    return ast.unparse(node).partition("\n")[0][:LONGEST]
