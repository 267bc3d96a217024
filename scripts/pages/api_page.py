"""The reference of the public API, generated from what `podium` exports."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from typing import Any

from scripts.pages import NOTE

import podium

MEMBERS = {
    "Document": ("read", "check", "render", "update", "example", "prompt", "schema"),
    "Workflow": ("input", "rules", "Settings", "State", "stop"),
    "Run": ("input", "slug"),
    "Policy": (),
    "Rule": (),
}
"""What belongs to the API of each class; everything else is Podium's own."""


def api_page() -> str:
    """One section for each name, with its signature and what it says of itself."""
    parts = [
        NOTE,
        "# The public API\n",
        (
            "What `from podium import …` offers, and nothing behind it, stays as it is from one "
            "version to the next. [Write a workflow of your own](../how-to/write-a-workflow.md) "
            "shows it at work.\n"
        ),
    ]
    for name in sorted(podium.__all__, key=str.casefold):
        parts += _section(name, getattr(podium, name))
    return "\n".join(parts)


def _section(name: str, item: Any) -> Iterator[str]:
    yield f"## `{name}`\n"
    if inspect.isclass(item):
        yield f"{_text(item)}\n"
        if name == "Rule":
            yield _forms()
        known = _attributes(item)
        for member in MEMBERS[name]:
            about = known.get(member)
            if about is None:
                found = inspect.getattr_static(item, member)
                about = (_signature(member, found), _text(found))
            yield f"- `{about[0]}`: {_line(about[1])}"
        if MEMBERS[name]:
            yield ""
    else:
        yield f"```python\n{_signature(name, item)}\n```\n"
        yield f"{_text(item)}\n"


def _text(item: Any) -> str:
    """What the code says of itself; its example as a block of code."""
    text = inspect.getdoc(item)
    assert text, f"{item} says nothing of itself"
    lines, indented = list[str](), False
    for line in text.splitlines():
        if line.startswith("    ") != indented and line.strip():
            indented = not indented
            after = [lines.pop()] if not indented and not lines[-1] else []
            lines += ["```python" if indented else "```", *after]
        lines.append(line.removeprefix("    ") if indented else line)
    if indented:
        lines.append("```")
    return "\n".join(lines)


def _line(text: str) -> str:
    return " ".join(text.split())


def _signature(name: str, item: Any) -> str:
    """As its source has it, without self."""
    source = textwrap.dedent(inspect.getsource(getattr(item, "__func__", item)))
    node = ast.parse(source).body[0]
    assert isinstance(node, ast.FunctionDef)
    plain = [arg for arg in node.args.args if arg.arg not in {"self", "cls"}]
    given = [None] * (len(plain) - len(node.args.defaults)) + list(node.args.defaults)
    parts = [_parameter(arg, value) for arg, value in zip(plain, given, strict=True)]
    if node.args.vararg:
        parts.append(f"*{_parameter(node.args.vararg, None)}")
    elif node.args.kwonlyargs:
        parts.append("*")
    named = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
    parts += [_parameter(arg, value) for arg, value in named]
    after = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    line = f"{name}({', '.join(parts)}){after}"
    if len(line) <= 90:
        return line
    return "\n".join([f"{name}(", *(f"    {part}," for part in parts), f"){after}"])


def _parameter(arg: ast.arg, value: ast.expr | None) -> str:
    told = f"{arg.arg}: {ast.unparse(arg.annotation)}" if arg.annotation else arg.arg
    return told if value is None else f"{told} = {ast.unparse(value)}"


def _attributes(item: type) -> dict[str, tuple[str, str]]:
    """The annotated members of a class with the text below each."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(item))).body[0]
    assert isinstance(tree, ast.ClassDef)
    told = {}
    for node, after in zip(tree.body, [*tree.body[1:], None], strict=True):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            value = getattr(getattr(after, "value", None), "value", None)
            if isinstance(value, str):
                told[node.target.id] = (node.target.id, value)
    return told


def _forms() -> str:
    from podium.api.rules import FORMS  # noqa: PLC0415 - behind the API, for its list

    return (
        "\n".join(
            [
                "| Rule | holds if |",
                "|---|---|",
                *(f"| `{form}` | {says} |" for form, says in FORMS.items()),
            ]
        )
        + "\n"
    )
